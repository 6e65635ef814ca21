// SPDX-License-Identifier: MIT
#include "libtorch/torch_info.hpp"

#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <torch/cuda.h>
#include <torch/types.h>
#include <torch/version.h>

#include "engine/blas_library.hpp"
#include "engine/product_speed.hpp"

namespace sheaf {

namespace {

// `settings`: "..., BLAS_INFO=generic, BUILD_TYPE=...". What LibTorch brings along itself (mkl) goes by its name there;
// else it calls the library that the process has.
std::string torch_blas(const std::string& settings) {
  const std::string key = "BLAS_INFO=";
  const std::size_t begin = settings.find(key);
  const std::string name = begin == std::string::npos
                               ? ""
                               : settings.substr(begin + key.size(), settings.find(',', begin) - begin - key.size());
  return name.empty() || name == "generic" || name == "open" || name == "flexi" ? blas_library() : name;
}

}  // namespace

TorchInfo torch_info() {
  TorchInfo info;
  info.version = TORCH_VERSION;
  info.blas = torch_blas(at::show_config());
  info.cuda_device_count = static_cast<int>(torch::cuda::device_count());
  return info;
}

double measure_blas_flops() {
  const torch::NoGradGuard no_grad;
  const int thread_count = at::get_num_threads();
  at::set_num_threads(1);
  const torch::Tensor ones = torch::ones({measured_side, measured_side});
  torch::Tensor product = torch::empty_like(ones);
  const double flops = measure_flops([&] { torch::mm_out(product, ones, ones); });
  at::set_num_threads(thread_count);
  return flops;
}

}  // namespace sheaf

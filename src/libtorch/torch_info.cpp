// SPDX-License-Identifier: MIT
#include "libtorch/torch_info.hpp"

#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <torch/cuda.h>
#include <torch/types.h>
#include <torch/version.h>

#include "engine/product_speed.hpp"

namespace sheaf {

TorchInfo torch_info() {
  TorchInfo info;
  info.version = TORCH_VERSION;
  // "..., BLAS_INFO=generic, BUILD_TYPE=..."
  const std::string settings = at::show_config();
  const std::string key = "BLAS_INFO=";
  const std::size_t begin = settings.find(key);
  info.blas = begin == std::string::npos
                  ? "unknown"
                  : settings.substr(begin + key.size(), settings.find(',', begin) - begin - key.size());
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

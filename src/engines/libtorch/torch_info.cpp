// SPDX-License-Identifier: MIT
#include "engines/libtorch/torch_info.hpp"

#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <fmt/format.h>
#include <torch/cuda.h>
#include <torch/types.h>
#include <torch/version.h>

#include <optional>
#include <string>

#include "core/error.hpp"
#include "engines/native/kernels/product_speed.hpp"

namespace sheaf {

namespace {

// The text after `key` in LibTorch's description of itself, up to one of `ends`; nullopt: it has no such key.
std::optional<std::string> value_of(const std::string& configuration, const std::string& key, const char* ends) {
  const std::size_t found = configuration.find(key);
  if (found == std::string::npos) return std::nullopt;
  const std::size_t begin = found + key.size();
  return configuration.substr(begin, configuration.find_first_of(ends, begin) - begin);
}

}  // namespace

TorchInfo torch_info() {
  const std::string configuration = at::show_config();
  const auto contains = [&](const char* text) { return configuration.find(text) != std::string::npos; };
  TorchInfo info;
  info.version = TORCH_VERSION;
  info.instruction_set = value_of(configuration, "CPU capability usage: ", "\n").value_or("unknown");
  info.built_with_cuda = contains("USE_CUDA=ON") || contains("USE_CUDA=1");
  info.cuda_device_count = static_cast<int>(torch::cuda::device_count());
  return info;
}

void require_torch_of_build() {
  const auto found = value_of(at::show_config(), "TORCH_VERSION=", ", \n");
  require(!found || *found == TORCH_VERSION,
          fmt::format(
              "LibTorch {} was loaded, but this program was built with LibTorch {} (LD_LIBRARY_PATH may contain the "
              "other version). Remove its folder from LD_LIBRARY_PATH, or build with that version.",
              found.value_or(""), TORCH_VERSION));
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

// SPDX-License-Identifier: MIT
#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <torch/cuda.h>
#include <torch/types.h>
#include <torch/version.h>

#include <algorithm>
#include <chrono>

#include "engine/engine.hpp"

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
  using Clock = std::chrono::steady_clock;
  constexpr std::int64_t side = 256;
  const torch::NoGradGuard no_grad;
  const int thread_count = at::get_num_threads();
  at::set_num_threads(1);
  const torch::Tensor left = torch::ones({side, side});
  const torch::Tensor right = torch::ones({side, side});
  torch::Tensor product = torch::mm(left, right);  // the first one starts the library

  // The best of several, so that what else the machine does counts less.
  double best = 0;
  const auto end = Clock::now() + std::chrono::milliseconds(10);
  do {
    const auto start = Clock::now();
    torch::mm_out(product, left, right);
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    best = std::max(best, 2.0 * side * side * side / seconds);
  } while (Clock::now() < end);
  at::set_num_threads(thread_count);
  return best;
}

}  // namespace sheaf

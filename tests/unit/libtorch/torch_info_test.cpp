// SPDX-License-Identifier: MIT
#include "libtorch/torch_info.hpp"

#include "support/catch.hpp"

using namespace sheaf;

TEST_CASE("LibTorch tells its version and BLAS") {
  const TorchInfo info = torch_info();
  CHECK(info.version.find('.') != std::string::npos);
  CHECK_FALSE(info.blas.empty());
  CHECK(info.blas.find('\n') == std::string::npos);
  CHECK(info.blas != "generic");
  CHECK(info.cuda_device_count >= 0);
}

TEST_CASE("a matrix product runs at a speed that computers have") {
  const double flops = measure_blas_flops();
  CHECK(flops > 1e7);
  CHECK(flops < 1e13);  // one core
}

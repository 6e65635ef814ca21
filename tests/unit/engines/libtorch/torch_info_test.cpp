// SPDX-License-Identifier: MIT
#include "engines/libtorch/torch_info.hpp"

#include <dlfcn.h>

#include "support/catch.hpp"

using namespace sheaf;

TEST_CASE("the LibTorch information has its version and build settings") {
  const TorchInfo info = torch_info();
  CHECK(info.version.find('.') != std::string::npos);
  CHECK(info.built_with_cuda == (dlopen("libtorch_cuda.so", RTLD_NOW | RTLD_NOLOAD) != nullptr));
  CHECK(info.cuda_device_count >= 0);
}

TEST_CASE("the measured speed of a matrix product is plausible") {
  const double flops = measure_blas_flops();
  CHECK(flops > 1e7);
  CHECK(flops < 1e13);  // one core
}

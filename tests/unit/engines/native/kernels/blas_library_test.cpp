// SPDX-License-Identifier: MIT
#include "engines/native/kernels/blas_library.hpp"

#include <dlfcn.h>

#include "engines/native/kernels/product_speed.hpp"
#include "support/catch.hpp"

using namespace sheaf;

TEST_CASE("the BLAS library is reported with its file") {
  measure_native_flops();  // makes sure that the library is loaded
  const std::string named = blas_library();
  CAPTURE(named);
  CHECK(named.find("/lib") != std::string::npos);
  const bool is_openblas = dlsym(RTLD_DEFAULT, "openblas_get_config") != nullptr;
  CHECK((named.rfind("OpenBLAS ", 0) == 0) == is_openblas);
}

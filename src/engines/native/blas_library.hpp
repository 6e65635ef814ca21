// Which BLAS library is behind the matrix products of this process.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace sheaf {

/// The library that defines sgemm_ for the program and all that it loads, e.g. "OpenBLAS 0.3.21 DYNAMIC_ARCH USE_OPENMP
/// Zen MAX_THREADS=64 (/usr/lib/x86_64-linux-gnu/openblas-openmp/libblas.so.3)"; the file alone for libraries other
/// than OpenBLAS. Local.
std::string blas_library();

}  // namespace sheaf

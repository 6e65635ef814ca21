// Identifies the BLAS library that computes the matrix products of this process.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace sheaf {

/// The library that defines sgemm_ in this process, e.g. "OpenBLAS 0.3.21 DYNAMIC_ARCH USE_OPENMP Zen MAX_THREADS=64
/// (/usr/lib/x86_64-linux-gnu/openblas-openmp/libblas.so.3)". For libraries other than OpenBLAS, only the file. Local.
std::string blas_library();

}  // namespace sheaf

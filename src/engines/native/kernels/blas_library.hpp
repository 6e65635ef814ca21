// The BLAS library. It is loaded on demand, because OpenBLAS allocates large buffers when it is loaded, and because its
// OpenMP library reads the environment at that time (core/environment.hpp).
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace sheaf {

/// Matrix product and matrix-vector product of BLAS for one type of numbers, with Fortran's calling convention.
template <class Value>
struct BlasProducts {
  void (*gemm)(const char* transpose_a, const char* transpose_b, const int* m, const int* n, const int* k,
               const Value* alpha, const Value* a, const int* lda, const Value* b, const int* ldb, const Value* beta,
               Value* c, const int* ldc);
  void (*gemv)(const char* transpose, const int* m, const int* n, const Value* alpha, const Value* a, const int* lda,
               const Value* x, const int* incx, const Value* beta, Value* y, const int* incy);
};

/// The functions of the loaded library that Sheaf uses.
struct BlasFunctions {
  BlasProducts<float> of_floats;
  BlasProducts<double> of_doubles;
  void (*set_threads)(int);  ///< omp_set_num_threads of the OpenMP library that BLAS uses, or null
};

/// Loads the BLAS library at the first call. Throws RunError if that fails. Local, thread-safe.
const BlasFunctions& blas_functions();

/// Loads the BLAS library and returns its name, version and build options, for example "OpenBLAS 0.3.21 NO_LAPACKE ...
/// (/usr/lib/x86_64-linux-gnu/openblas-openmp/libblas.so.3)". For libraries other than OpenBLAS, only the file. "cannot
/// be loaded" if that fails. Local.
std::string blas_library();

}  // namespace sheaf

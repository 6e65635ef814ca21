// SPDX-License-Identifier: MIT
#include "engines/native/kernels/product.hpp"

#ifdef SHEAF_HAVE_LIBXSMM
#include <libxsmm.h>
#endif

#include <cassert>
#include <limits>
#include <type_traits>

#include "engines/native/kernels/blas_library.hpp"

#ifdef SHEAF_HAVE_LIBXSMM
// LIBXSMM refers to these functions, for shapes that it does not support. They call the library that is loaded on
// demand.
extern "C" {
void sgemm_(const char* transpose_a, const char* transpose_b, const int* m, const int* n, const int* k,
            const float* alpha, const float* a, const int* lda, const float* b, const int* ldb, const float* beta,
            float* c, const int* ldc) {
  sheaf::blas_functions().of_floats.gemm(transpose_a, transpose_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
void dgemm_(const char* transpose_a, const char* transpose_b, const int* m, const int* n, const int* k,
            const double* alpha, const double* a, const int* lda, const double* b, const int* ldb, const double* beta,
            double* c, const int* ldc) {
  sheaf::blas_functions().of_doubles.gemm(transpose_a, transpose_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
void sgemv_(const char* transpose, const int* m, const int* n, const float* alpha, const float* a, const int* lda,
            const float* x, const int* incx, const float* beta, float* y, const int* incy) {
  sheaf::blas_functions().of_floats.gemv(transpose, m, n, alpha, a, lda, x, incx, beta, y, incy);
}
void dgemv_(const char* transpose, const int* m, const int* n, const double* alpha, const double* a, const int* lda,
            const double* x, const int* incx, const double* beta, double* y, const int* incy) {
  sheaf::blas_functions().of_doubles.gemv(transpose, m, n, alpha, a, lda, x, incx, beta, y, incy);
}
}
#endif

namespace sheaf {
namespace {

int blas_int(std::int64_t value) {
  assert(value >= 0 && value <= std::numeric_limits<int>::max());
  return static_cast<int>(value);
}

// A lane uses one core, but the OpenMP library of a BLAS library gives each new thread all cores.
void limit_blas_to_one_core() {
  const auto set_threads = blas_functions().set_threads;
  if (set_threads != nullptr) set_threads(1);
}

}  // namespace

template <class Value>
Product<Value>::Product(const ProductShape& shape) : shape_(shape) {
#ifdef SHEAF_HAVE_LIBXSMM
  const int m = blas_int(shape.m), n = blas_int(shape.n), k = blas_int(shape.k);
  const int lda = blas_int(shape.lda), ldb = blas_int(shape.ldb), ldc = blas_int(shape.ldc);
  const Value alpha = 1, beta = shape.accumulate ? Value{1} : Value{0};
  const int flags = shape.transpose_b ? LIBXSMM_GEMM_FLAG_TRANS_B : LIBXSMM_GEMM_FLAG_NONE;
  if constexpr (std::is_same_v<Value, float>)
    code_ = libxsmm_smmdispatch(m, n, k, &lda, &ldb, &ldc, &alpha, &beta, &flags, nullptr);
  else
    code_ = libxsmm_dmmdispatch(m, n, k, &lda, &ldb, &ldc, &alpha, &beta, &flags, nullptr);
#endif
  if (code_ == nullptr) limit_blas_to_one_core();  // loads BLAS here, and not in a call
}

template <class Value>
void Product<Value>::call_blas(const Value* a, const Value* b, Value* c) const {
  const int m = blas_int(shape_.m), n = blas_int(shape_.n), k = blas_int(shape_.k);
  const int lda = blas_int(shape_.lda), ldb = blas_int(shape_.ldb), ldc = blas_int(shape_.ldc);
  const Value alpha = 1, beta = shape_.accumulate ? Value{1} : Value{0};
  const char plain = 'N';
  const char of_b = shape_.transpose_b ? 'T' : 'N';
  if constexpr (std::is_same_v<Value, float>)
    blas_functions().of_floats.gemm(&plain, &of_b, &m, &n, &k, &alpha, a, &lda, b, &ldb, &beta, c, &ldc);
  else
    blas_functions().of_doubles.gemm(&plain, &of_b, &m, &n, &k, &alpha, a, &lda, b, &ldb, &beta, c, &ldc);
}

template class Product<float>;
template class Product<double>;

bool products_need_blas() {
  return !Product<float>(ProductShape{16, 16, 16, 16, 16, 16, false, false}).uses_libxsmm();
}

std::string product_library() {
#ifdef SHEAF_HAVE_LIBXSMM
  if (!products_need_blas()) return std::string("LIBXSMM " LIBXSMM_VERSION " (") + libxsmm_get_target_arch() + ")";
#endif
  return "BLAS, " + blas_library();
}

}  // namespace sheaf

// Products of small matrices, with machine code for each shape.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

namespace sheaf {

/// The shape of C = A B or C = C + A B in column-major storage: A [m, k], B [k, n] (or its transpose [n, k]), C [m, n].
/// m is the contiguous direction that is vectorised.
struct ProductShape {
  std::int64_t m = 0, n = 0, k = 0;
  std::int64_t lda = 0, ldb = 0, ldc = 0;
  bool transpose_b = false;
  bool accumulate = false;
};

/// A product of one shape. LIBXSMM generates machine code for the shape and this machine. If LIBXSMM is missing or does
/// not support the machine, BLAS computes the product; the constructor then limits BLAS to one thread in the calling
/// thread. Cheap to copy; calls allocate nothing. Value: float or double.
template <class Value>
class Product {
 public:
  Product() = default;
  explicit Product(const ProductShape& shape);

  void operator()(const Value* a, const Value* b, Value* c) const {
    if (code_ != nullptr)
      code_(a, b, c);
    else
      call_blas(a, b, c);
  }

  /// Whether LIBXSMM computes the product, and not BLAS.
  bool uses_libxsmm() const { return code_ != nullptr; }

 private:
  void call_blas(const Value* a, const Value* b, Value* c) const;

  using Code = void (*)(const Value* a, const Value* b, Value* c, ...);
  Code code_ = nullptr;
  ProductShape shape_;
};

/// Whether products use BLAS on this machine.
bool products_need_blas();

/// The library for products, e.g. "LIBXSMM 1.17 (hsw)", or "BLAS, " and blas_library().
std::string product_library();

}  // namespace sheaf

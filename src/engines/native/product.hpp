// Products of small matrices, each made for its exact shape.
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

/// A product whose machine code LIBXSMM has made for the shape and this machine; where LIBXSMM is missing or has no
/// code for the machine, BLAS, which keeps to one thread from now on where this is made. Cheap to copy; calls allocate
/// nothing. Value: float or double.
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

  /// False: BLAS does the work.
  bool is_made_to_measure() const { return code_ != nullptr; }

 private:
  void call_blas(const Value* a, const Value* b, Value* c) const;

  using Code = void (*)(const Value* a, const Value* b, Value* c, ...);
  Code code_ = nullptr;
  ProductShape shape_;
};

/// Whether products are left to BLAS on this machine.
bool products_need_blas();

/// What makes the products, e.g. "LIBXSMM 1.17 (hsw)" or "BLAS".
std::string product_library();

}  // namespace sheaf

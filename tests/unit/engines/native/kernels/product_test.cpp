// Compares products of small matrices with the definition. The factors are small integers, so that sums are exact in
// any order.
// SPDX-License-Identifier: MIT
#include "engines/native/kernels/product.hpp"

#include <cstddef>
#include <vector>

#include "support/catch.hpp"

using namespace sheaf;

namespace {

constexpr std::int64_t sizes[] = {1, 2, 3, 5, 16, 17, 31, 64, 65, 130};

template <class Value>
std::vector<Value> whole_numbers(std::int64_t count, std::int64_t start) {
  std::vector<Value> values(static_cast<std::size_t>(count));
  for (auto& value : values) value = static_cast<Value>((start = (start * 37 + 11) % 101) % 9 - 4);
  return values;
}

// The expected memory of C, including the padding between its columns.
template <class Value>
std::vector<Value> expected(const ProductShape& shape, const std::vector<Value>& a, const std::vector<Value>& b,
                            std::vector<Value> c) {
  for (std::int64_t n = 0; n < shape.n; ++n) {
    for (std::int64_t m = 0; m < shape.m; ++m) {
      double sum = shape.accumulate ? static_cast<double>(c[static_cast<std::size_t>(n * shape.ldc + m)]) : 0;
      for (std::int64_t k = 0; k < shape.k; ++k)
        sum +=
            static_cast<double>(a[static_cast<std::size_t>(k * shape.lda + m)]) *
            static_cast<double>(b[static_cast<std::size_t>(shape.transpose_b ? k * shape.ldb + n : n * shape.ldb + k)]);
      c[static_cast<std::size_t>(n * shape.ldc + m)] = static_cast<Value>(sum);
    }
  }
  return c;
}

template <class Value>
void check(const ProductShape& shape) {
  const auto a = whole_numbers<Value>(shape.lda * shape.k, 1);
  const auto b = whole_numbers<Value>(shape.ldb * (shape.transpose_b ? shape.k : shape.n), 2);
  auto c = whole_numbers<Value>(shape.ldc * shape.n, 3);
  const auto right = expected(shape, a, b, c);
  Product<Value>{shape}(a.data(), b.data(), c.data());
  if (c == right) return;
  FAIL_CHECK("C [" << shape.m << ", " << shape.n << "], k " << shape.k << ", leading " << shape.lda << " " << shape.ldb
                   << " " << shape.ldc << ", transpose_b " << shape.transpose_b << ", accumulate " << shape.accumulate);
}

template <class Value>
void check_all() {
  for (const std::int64_t m : {16, 48, 128})
    for (const std::int64_t n : sizes)
      for (const std::int64_t k : sizes)
        for (const bool transpose_b : {false, true})
          for (const bool accumulate : {false, true})
            for (const std::int64_t more : {0, 3}) {
              const std::int64_t rows_of_b = transpose_b ? n : k;
              check<Value>({m, n, k, m + more, rows_of_b + 2 * more, m + 3 * more, transpose_b, accumulate});
            }
}

}  // namespace

TEST_CASE("products equal their definition and do not change other memory") {
  check_all<float>();
  check_all<double>();
}

TEST_CASE("products use LIBXSMM exactly if the reported library is not BLAS") {
  const Product<double> product(ProductShape{16, 8, 8, 16, 8, 16, false, false});
  CHECK(product.uses_libxsmm() == (product_library() != "BLAS"));
  if (product.uses_libxsmm()) CHECK_THAT(product_library(), StartsWith("LIBXSMM "));
}

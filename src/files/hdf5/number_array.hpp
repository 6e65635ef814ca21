// Arrays of numbers of any type, by rows, as files hold them.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/half.hpp"

namespace sheaf {

enum class NumberType { int8, int16, int32, int64, uint8, uint16, uint32, uint64, float16, float32, float64 };

/// Bytes of one number.
std::size_t number_bytes(NumberType type);

/// "uint8", as NumPy calls it.
const char* number_type_name(NumberType type);

bool is_real(NumberType type);

/// Bytes of an array of that shape (extents >= 0). Nothing when the product of its nonzero extents does not fit 64
/// bits, also when another extent is 0: rows and elements are counted one by one later. Pure.
std::optional<std::uint64_t> array_bytes(const std::vector<std::int64_t>& shape, std::size_t number_bytes);

/// Row-major numbers in the machine's byte order.
struct NumberArray {
  NumberType type = NumberType::float32;
  std::vector<std::int64_t> shape;  ///< rank >= 1; the first dimension counts the rows
  std::vector<std::byte> bytes;

  std::int64_t rows() const { return shape.front(); }
  /// Numbers of one row, flattened.
  std::int64_t row_elements() const;
  std::size_t elements() const { return bytes.size() / number_bytes(type); }
};

/// Calls visitor(const T* values) with the array's own T (of float16: Half), and returns what it returns.
template <class Visitor>
decltype(auto) visit_numbers(const NumberArray& array, Visitor visitor) {
  const void* values = array.bytes.data();
  switch (array.type) {
    case NumberType::int8:
      return visitor(static_cast<const std::int8_t*>(values));
    case NumberType::int16:
      return visitor(static_cast<const std::int16_t*>(values));
    case NumberType::int32:
      return visitor(static_cast<const std::int32_t*>(values));
    case NumberType::int64:
      return visitor(static_cast<const std::int64_t*>(values));
    case NumberType::uint8:
      return visitor(static_cast<const std::uint8_t*>(values));
    case NumberType::uint16:
      return visitor(static_cast<const std::uint16_t*>(values));
    case NumberType::uint32:
      return visitor(static_cast<const std::uint32_t*>(values));
    case NumberType::uint64:
      return visitor(static_cast<const std::uint64_t*>(values));
    case NumberType::float16:
      return visitor(static_cast<const Half*>(values));
    case NumberType::float32:
      return visitor(static_cast<const float*>(values));
    case NumberType::float64:
      break;
  }
  return visitor(static_cast<const double*>(values));
}

}  // namespace sheaf

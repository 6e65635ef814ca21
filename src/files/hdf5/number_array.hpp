// Row-major arrays of numbers of any type, for file contents.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/half.hpp"
#include "files/hdf5/elements.hpp"

namespace sheaf {

enum class NumberType { int8, int16, int32, int64, uint8, uint16, uint32, uint64, float16, float32, float64 };

/// Returns the type of the numbers in native byte order.
NumberType number_type_of(const StoredElement& element);

/// Returns the size of one number, in bytes.
std::size_t number_bytes(NumberType type);

/// Returns the NumPy name of the type, for example "uint8".
const char* number_type_name(NumberType type);

bool is_real(NumberType type);

/// Returns the size in bytes of an array of that shape (extents >= 0). Returns nullopt if the product of its nonzero
/// extents does not fit into 64 bits, even if another extent is 0, because later code multiplies only some of the
/// extents. Pure.
std::optional<std::uint64_t> array_bytes(const std::vector<std::int64_t>& shape, std::size_t number_bytes);

/// Row-major numbers in native byte order.
struct NumberArray {
  NumberType type = NumberType::float32;
  std::vector<std::int64_t> shape;  ///< rank >= 1; the first dimension counts the rows
  std::vector<std::byte> bytes;

  std::int64_t rows() const { return shape.front(); }
  /// Returns the numbers per row.
  std::int64_t row_elements() const;
  std::size_t elements() const { return bytes.size() / number_bytes(type); }
};

/// Calls visitor(const T* values) with the type T of the array (Half for float16) and returns its result.
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

// Converts numbers from their stored types to native types. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

namespace sheaf {

/// The type of a number in a file.
struct StoredElement {
  enum class Kind { signed_integer, unsigned_integer, real };
  Kind kind = Kind::real;
  std::size_t bytes = 4;  ///< 1, 2, 4 or 8 for integers; 2, 4 or 8 for IEEE 754 reals
  bool swapped = false;   ///< whether the byte order differs from native
};

/// Converts `count` contiguous numbers from `from`, at any alignment, to `to`. T is float, double, std::int64_t (from
/// integers only) or std::uint8_t (from uint8 only). Values beyond the range of float become infinite; values beyond
/// the range of int64 become its maximum.
template <class T>
void convert_elements(const std::byte* from, StoredElement element, T* to, std::int64_t count);

extern template void convert_elements(const std::byte*, StoredElement, float*, std::int64_t);
extern template void convert_elements(const std::byte*, StoredElement, double*, std::int64_t);
extern template void convert_elements(const std::byte*, StoredElement, std::int64_t*, std::int64_t);
extern template void convert_elements(const std::byte*, StoredElement, std::uint8_t*, std::int64_t);

}  // namespace sheaf

// Numbers as files store them, turned into the machine's own. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

namespace sheaf {

/// One number in a file.
struct StoredElement {
  enum class Kind { signed_integer, unsigned_integer, real };
  Kind kind = Kind::real;
  std::size_t bytes = 4;  ///< 1, 2, 4 or 8; of IEEE 754 reals 2, 4 or 8
  bool swapped = false;   ///< the byte order is not the machine's
};

/// Converts `count` contiguous numbers from `from`, aligned or not, to `to`. T: float, double,
/// std::int64_t (from integers alone), std::uint8_t (from itself alone). What float cannot hold becomes infinite, what
/// int64 cannot hold its highest value.
template <class T>
void convert_elements(const std::byte* from, StoredElement element, T* to, std::int64_t count);

extern template void convert_elements(const std::byte*, StoredElement, float*, std::int64_t);
extern template void convert_elements(const std::byte*, StoredElement, double*, std::int64_t);
extern template void convert_elements(const std::byte*, StoredElement, std::int64_t*, std::int64_t);
extern template void convert_elements(const std::byte*, StoredElement, std::uint8_t*, std::int64_t);

}  // namespace sheaf

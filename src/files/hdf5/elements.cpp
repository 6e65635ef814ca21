// SPDX-License-Identifier: MIT
#include "files/hdf5/elements.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <limits>
#include <type_traits>

#include "core/half.hpp"

namespace sheaf {
namespace {

// The unsigned integer type of `bytes`.
template <std::size_t bytes>
using Bits = std::conditional_t<
    bytes == 1, std::uint8_t,
    std::conditional_t<bytes == 2, std::uint16_t, std::conditional_t<bytes == 4, std::uint32_t, std::uint64_t>>>;

template <class Word>
Word swap_bytes(Word word) {
  if constexpr (sizeof(Word) == 2) return __builtin_bswap16(word);
  if constexpr (sizeof(Word) == 4) return __builtin_bswap32(word);
  if constexpr (sizeof(Word) == 8) return __builtin_bswap64(word);
  return word;
}

template <class To, class From>
To reinterpret_bits(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}

template <class From, class T>
T converted(From value) {
  if constexpr (std::is_same_v<From, std::uint64_t> && std::is_same_v<T, std::int64_t>)
    return static_cast<T>(std::min<std::uint64_t>(value, std::numeric_limits<T>::max()));
  else
    return static_cast<T>(value);
}

template <class From, bool swapped, class T>
void convert_as(const std::byte* from, T* to, std::int64_t count) {
  for (std::int64_t index = 0; index < count; ++index) {
    Bits<sizeof(From)> word;
    std::memcpy(&word, from + index * static_cast<std::int64_t>(sizeof word), sizeof word);
    if constexpr (swapped) word = swap_bytes(word);
    to[index] = converted<From, T>(reinterpret_bits<From>(word));
  }
}

template <class From, class T>
void convert_from(const std::byte* from, bool swapped, T* to, std::int64_t count) {
  if (sizeof(From) > 1 && swapped)
    convert_as<From, true>(from, to, count);
  else if constexpr (std::is_same_v<From, T>)
    std::copy_n(from, count * static_cast<std::int64_t>(sizeof(T)), reinterpret_cast<std::byte*>(to));
  else
    convert_as<From, false>(from, to, count);
}

// Selects one of the four types of a kind by size.
template <class One, class Two, class Four, class Eight, class T>
void convert_sized(const std::byte* from, StoredElement element, T* to, std::int64_t count) {
  switch (element.bytes) {
    case 1:
      return convert_from<One>(from, element.swapped, to, count);
    case 2:
      return convert_from<Two>(from, element.swapped, to, count);
    case 4:
      return convert_from<Four>(from, element.swapped, to, count);
    default:
      return convert_from<Eight>(from, element.swapped, to, count);
  }
}

}  // namespace

template <class T>
void convert_elements(const std::byte* from, StoredElement element, T* to, std::int64_t count) {
  using Kind = StoredElement::Kind;
  if constexpr (std::is_same_v<T, std::uint8_t>) {
    assert(element.kind == Kind::unsigned_integer && element.bytes == 1);
    return convert_from<std::uint8_t>(from, false, to, count);
  } else {
    if (element.kind == Kind::signed_integer)
      return convert_sized<std::int8_t, std::int16_t, std::int32_t, std::int64_t>(from, element, to, count);
    if (element.kind == Kind::unsigned_integer)
      return convert_sized<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>(from, element, to, count);
    assert((!std::is_same_v<T, std::int64_t> && element.bytes >= 2));
    if constexpr (!std::is_same_v<T, std::int64_t>) convert_sized<Half, Half, float, double>(from, element, to, count);
  }
}

template void convert_elements(const std::byte*, StoredElement, float*, std::int64_t);
template void convert_elements(const std::byte*, StoredElement, double*, std::int64_t);
template void convert_elements(const std::byte*, StoredElement, std::int64_t*, std::int64_t);
template void convert_elements(const std::byte*, StoredElement, std::uint8_t*, std::int64_t);

}  // namespace sheaf

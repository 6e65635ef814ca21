// A hash of file contents and settings. Not cryptographic.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

namespace sheaf {

/// FNV-1a of 64 bits over all bytes added so far, except with add_array().
class Fingerprint {
 public:
  void add(const void* bytes, std::size_t size) {
    const auto* begin = static_cast<const unsigned char*>(bytes);
    for (const auto* byte = begin; byte != begin + size; ++byte) hash_ = (hash_ ^ *byte) * 1099511628211u;
  }
  /// As add(), but eight bytes at a time: faster for large arrays, and another hash.
  void add_array(const void* bytes, std::size_t size) {
    const auto* begin = static_cast<const unsigned char*>(bytes);
    const std::size_t words = size / sizeof hash_;
    for (std::size_t index = 0; index < words; ++index) {
      std::uint64_t word = 0;
      std::memcpy(&word, begin + index * sizeof word, sizeof word);
      hash_ = (hash_ ^ word) * 1099511628211u;
      hash_ ^= hash_ >> 29;  // a product passes differences on to higher bits only
    }
    add(begin + words * sizeof hash_, size % sizeof hash_);
  }
  void add(const std::string& text) { add(text.data(), text.size()); }

  /// 16 hexadecimal digits.
  std::string text() const;

 private:
  std::uint64_t hash_ = 14695981039346656037u;
};

/// Returns a hash of bytes, at the speed of the memory: sixteen bytes per product of 64 bits, as in wyhash (Wang Yi,
/// 2019). Equal bytes with different seeds have unrelated hashes. `bytes` may be null if `size` is 0. Pure.
std::uint64_t hash_bytes(const void* bytes, std::size_t size, std::uint64_t seed);

}  // namespace sheaf

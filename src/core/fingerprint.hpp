// A hash of file contents and settings. Not cryptographic.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace sheaf {

/// FNV-1a of 64 bits over all bytes added so far.
class Fingerprint {
 public:
  void add(const void* bytes, std::size_t size) {
    const auto* begin = static_cast<const unsigned char*>(bytes);
    for (const auto* byte = begin; byte != begin + size; ++byte) hash_ = (hash_ ^ *byte) * 1099511628211u;
  }
  void add(const std::string& text) { add(text.data(), text.size()); }

  /// 16 hexadecimal digits.
  std::string text() const;

 private:
  std::uint64_t hash_ = 14695981039346656037u;
};

}  // namespace sheaf

// Helpers for tests of the importers: files in memory, and arrays as numbers or bytes.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "files/byte_source.hpp"
#include "files/hdf5/number_array.hpp"

namespace sheaf::test {

using Sources = std::vector<std::unique_ptr<ByteSource>>;

/// Sources named "0", "1", ... for the contents `files`, which must outlive them.
inline Sources sources_of(const std::vector<std::string>& files) {
  Sources sources;
  for (const auto& file : files)
    sources.push_back(std::make_unique<MemorySource>(std::to_string(sources.size()), file));
  return sources;
}

/// The array's numbers, converted to double.
inline std::vector<double> numbers(const NumberArray& array) {
  return visit_numbers(array,
                       [&](const auto* values) { return std::vector<double>(values, values + array.elements()); });
}

/// The value's bytes, in native order or reversed.
template <class T>
std::string bytes_of(T value, bool reversed = false) {
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  return reversed ? std::string(bytes.rbegin(), bytes.rend()) : bytes;
}

}  // namespace sheaf::test

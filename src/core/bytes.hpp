// Converts values to bytes and back. The bytes are in native byte order, for files that are read on the same kind of
// machine.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace sheaf {

class ByteWriter {
 public:
  template <class T>
  void put(const T& value) {
    put_array(&value, 1);
  }

  template <class T>
  void put_array(const T* values, std::int64_t count) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (count > 0) bytes_.append(reinterpret_cast<const char*>(values), static_cast<std::size_t>(count) * sizeof(T));
  }

  /// Writes the length of a vector or string, then its elements.
  template <class List>
  void put_list(const List& values) {
    put(static_cast<std::int64_t>(values.size()));
    put_array(values.data(), static_cast<std::int64_t>(values.size()));
  }

  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

/// Reads the values that a ByteWriter wrote, in the same order. Throws std::out_of_range at the end of the bytes.
class ByteReader {
 public:
  /// `bytes` must outlive the reader.
  explicit ByteReader(const std::string& bytes) : bytes_(bytes) {}

  template <class T>
  T get() {
    T value;
    get_array(&value, 1);
    return value;
  }

  template <class T>
  void get_array(T* values, std::int64_t count) {
    static_assert(std::is_trivially_copyable_v<T>);
    const std::size_t size = checked(count, sizeof(T));
    if (size > 0) std::memcpy(values, bytes_.data() + offset_, size);  // `values` of an empty list may be null
    offset_ += size;
  }

  /// Reads a std::string or std::vector.
  template <class List>
  List get_list() {
    const auto count = get<std::int64_t>();
    checked(count, sizeof(typename List::value_type));
    List values(static_cast<std::size_t>(count), typename List::value_type{});
    get_array(values.data(), count);
    return values;
  }

  /// Returns whether all bytes have been read.
  bool is_at_end() const { return offset_ == bytes_.size(); }

 private:
  std::size_t checked(std::int64_t count, std::size_t size) const {
    if (count < 0 || static_cast<std::uint64_t>(count) > (bytes_.size() - offset_) / size)
      throw std::out_of_range("fewer bytes than expected");
    return static_cast<std::size_t>(count) * size;
  }

  const std::string& bytes_;
  std::size_t offset_ = 0;
};

}  // namespace sheaf

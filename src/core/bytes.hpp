// Values as bytes and back, for files that the same program on the same kind of machine reads again.
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

  /// A vector or text with its length.
  template <class List>
  void put_list(const List& values) {
    put(static_cast<std::int64_t>(values.size()));
    put_array(values.data(), static_cast<std::int64_t>(values.size()));
  }

  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

/// Gives back what a ByteWriter was given, in the same order. Throws std::out_of_range when there is less.
class ByteReader {
 public:
  /// `bytes` outlives it.
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
    if (size > 0) std::memcpy(values, bytes_.data() + place_, size);  // an empty list may have no place
    place_ += size;
  }

  /// std::string or std::vector.
  template <class List>
  List get_list() {
    const auto count = get<std::int64_t>();
    checked(count, sizeof(typename List::value_type));
    List values(static_cast<std::size_t>(count), typename List::value_type{});
    get_array(values.data(), count);
    return values;
  }

  /// Everything has been read.
  bool is_at_end() const { return place_ == bytes_.size(); }

 private:
  std::size_t checked(std::int64_t count, std::size_t size) const {
    if (count < 0 || static_cast<std::uint64_t>(count) > (bytes_.size() - place_) / size)
      throw std::out_of_range("fewer bytes than expected");
    return static_cast<std::size_t>(count) * size;
  }

  const std::string& bytes_;
  std::size_t place_ = 0;
};

}  // namespace sheaf

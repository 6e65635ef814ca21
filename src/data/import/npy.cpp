// SPDX-License-Identifier: MIT
#include "data/import/npy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "core/error.hpp"
#include "core/quoted.hpp"
#include "core/text.hpp"
#include "files/byte_order.hpp"

namespace sheaf {
namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::int64_t max_characters = 1 << 20;  // of a text

[[noreturn]] void refuse(const ByteSource& source, const std::string& why) {
  throw RunError(
      fmt::format("'{}' is not a readable .npy file ({}). Save it again with numpy.save.", source.name(), why));
}

// The file is valid, but the array cannot be used.
[[noreturn]] void refuse_type(const ByteSource& source, const std::string& type) {
  throw RunError(fmt::format(
      "'{}' cannot be used (its type is {}). Save bool, integers, or floating-point numbers of 16, 32 or 64 "
      "bits; labels may also be texts, such as y.astype(str).",
      source.name(), type));
}

// The text after "'key':" in the header, which is a Python dictionary.
std::string_view value_of(std::string_view header, std::string_view key, const ByteSource& source) {
  const std::size_t found = header.find(fmt::format("'{}'", key));
  const std::size_t colon = found == header.npos ? found : header.find(':', found);
  const std::size_t value = colon == header.npos ? colon : header.find_first_not_of(' ', colon + 1);
  if (value == header.npos) refuse(source, fmt::format("its header has no {}", key));
  return header.substr(value);
}

void parse_type(std::string_view value, NpyHeader& header, const ByteSource& source) {
  const std::size_t close = value.find('\'', 1);
  const std::string_view type = value.substr(1, close == value.npos ? 0 : close - 1);
  const bool plain = value.front() == '\'' && type.size() >= 3 && std::string_view("<>|=").find(type[0]) != type.npos;
  constexpr std::string_view known[] = {"f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "b1"};
  header.big_endian = plain && (type[0] == '>' || (type[0] == '=' && machine_is_big_endian()));
  if (plain && (type[1] == 'U' || type[1] == 'S')) {
    std::int64_t characters = 0;
    const char* end = type.data() + type.size();
    const auto [stop, error] = std::from_chars(type.data() + 2, end, characters);
    if (error != std::errc() || stop != end || characters < 1 || characters > max_characters)
      refuse(source, fmt::format("its type is {}", quoted(std::string(type))));
    header.kind = type[1];
    header.number_bytes = static_cast<std::size_t>(characters) * (type[1] == 'U' ? 4 : 1);
    return;
  }
  if (!plain || std::find(std::begin(known), std::end(known), type.substr(1)) == std::end(known))
    refuse_type(source, plain || value.front() == '\'' ? quoted(std::string(type)) : "structured");
  header.kind = type[1];
  header.number_bytes = static_cast<std::size_t>(type[2] - '0');
}

// Parses a shape such as "(3, 4)" or "(3,)".
std::vector<std::int64_t> parse_shape(std::string_view value, const ByteSource& source) {
  std::vector<std::int64_t> shape;
  const std::size_t close = value.find(')');
  if (value.front() != '(' || close == value.npos) refuse(source, "its shape cannot be read");
  for (const char *next = value.data() + 1, *end = value.data() + close; next < end;) {
    if (*next == ' ' || *next == ',') {
      ++next;
      continue;
    }
    std::int64_t extent = 0;
    const auto [stop, error] = std::from_chars(next, end, extent);
    if (error != std::errc() || extent < 0) refuse(source, "its shape cannot be read");
    shape.push_back(extent);
    next = stop;
  }
  if (shape.empty()) refuse(source, "it contains a single value, not rows of numbers");
  if (shape.size() > 32) refuse(source, "it has more than 32 dimensions");
  return shape;
}

std::uint64_t byte_count(const NpyHeader& header, const ByteSource& source) {
  const auto bytes = array_bytes(header.shape, header.number_bytes);
  if (!bytes) refuse(source, "its shape has too many values");
  return *bytes;
}

NumberType number_type(const NpyHeader& header) {
  if (header.kind == 'f')
    return header.number_bytes == 2   ? NumberType::float16
           : header.number_bytes == 4 ? NumberType::float32
                                      : NumberType::float64;
  const bool is_signed = header.kind == 'i';
  switch (header.number_bytes) {
    case 1:
      return is_signed ? NumberType::int8 : NumberType::uint8;
    case 2:
      return is_signed ? NumberType::int16 : NumberType::uint16;
    case 4:
      return is_signed ? NumberType::int32 : NumberType::uint32;
    default:
      return is_signed ? NumberType::int64 : NumberType::uint64;
  }
}

// Converts column-major to row-major order. Visits the elements in the order of the result.
std::vector<std::byte> to_c_order(const std::vector<std::byte>& bytes, const std::vector<std::int64_t>& shape,
                                  std::size_t number_bytes) {
  std::vector<std::byte> ordered(bytes.size());
  std::vector<std::size_t> strides(shape.size(), number_bytes);
  for (std::size_t d = 1; d < shape.size(); ++d) strides[d] = strides[d - 1] * static_cast<std::size_t>(shape[d - 1]);
  std::vector<std::int64_t> index(shape.size(), 0);
  std::size_t from = 0;
  for (std::size_t to = 0; to < ordered.size(); to += number_bytes) {
    std::memcpy(ordered.data() + to, bytes.data() + from, number_bytes);
    for (std::size_t d = shape.size(); d-- > 0;) {
      from += strides[d];
      if (++index[d] < shape[d]) break;
      from -= strides[d] * static_cast<std::size_t>(shape[d]);
      index[d] = 0;
    }
  }
  return ordered;
}

}  // namespace

NpyHeader read_npy_header(ByteSource& source) {
  char opening[8] = {};
  if (source.read(opening, sizeof opening) != sizeof opening || std::string_view(opening, magic.size()) != magic)
    refuse(source, "it does not begin with an .npy header");
  const int version = opening[6];
  if (version < 1 || version > 3)
    refuse(source, fmt::format("its format version is {}; supported versions are 1 to 3", version));
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  unsigned char length[4] = {};
  read_exactly(source, length, length_bytes, "its header");
  const auto text_bytes = static_cast<std::size_t>(read_unsigned(length, length_bytes, false));
  if (text_bytes > std::size_t{1} << 16) refuse(source, fmt::format("its header has {} bytes", text_bytes));
  std::string text(text_bytes, '\0');
  read_exactly(source, text.data(), text.size(), "its header");

  NpyHeader header;
  parse_type(value_of(text, "descr", source), header, source);
  header.fortran_order = value_of(text, "fortran_order", source).substr(0, 4) == "True";
  header.shape = parse_shape(value_of(text, "shape", source), source);
  header.header_bytes = sizeof opening + length_bytes + text_bytes;
  header.data_bytes = byte_count(header, source);
  return header;
}

namespace {

// Appends a character in UTF-8; U+FFFD if there is no such character.
void append_character(std::string& text, std::uint32_t code) {
  if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) code = 0xfffd;
  const auto append = [&text](std::uint32_t byte) { text += static_cast<char>(byte); };
  if (code < 0x80) {
    append(code);
  } else if (code < 0x800) {
    append(0xc0 | code >> 6);
    append(0x80 | (code & 0x3f));
  } else {
    append(code < 0x10000 ? 0xe0 | code >> 12 : 0xf0 | code >> 18);
    if (code >= 0x10000) append(0x80 | (code >> 12 & 0x3f));
    append(0x80 | (code >> 6 & 0x3f));
    append(0x80 | (code & 0x3f));
  }
}

// The text in `bytes` of a type such as '<U3' or '|S3', without the zeros at its end.
std::string text_of(const std::byte* bytes, const NpyHeader& header) {
  std::string text;
  if (header.kind == 'S') {
    text.assign(reinterpret_cast<const char*>(bytes), header.number_bytes);
    text.erase(text.find_last_not_of('\0') + 1);
    return as_utf8(text);
  }
  for (std::size_t offset = 0; offset < header.number_bytes; offset += 4) {
    const auto code = static_cast<std::uint32_t>(
        read_unsigned(reinterpret_cast<const unsigned char*>(bytes) + offset, 4, header.big_endian));
    if (code == 0) break;
    append_character(text, code);
  }
  return text;
}

}  // namespace

std::vector<std::string> read_npy_texts(ByteSource& source, const NpyHeader& header) {
  const auto& shape = header.shape;
  require(shape.size() == 1 || (shape.size() == 2 && shape[1] == 1), [&] {
    return fmt::format("'{}' is not a list of class labels (its shape has several texts per row). Save one per row.",
                       source.name());
  });
  std::vector<std::byte> bytes;
  append_exactly(source, bytes, header.data_bytes, "its texts");
  require_end(source);
  std::vector<std::string> texts;
  for (std::int64_t row = 0; row < shape.front(); ++row)
    texts.push_back(text_of(bytes.data() + static_cast<std::size_t>(row) * header.number_bytes, header));
  return texts;
}

NumberArray read_npy_numbers(ByteSource& source, const NpyHeader& header) {
  if (header.is_text()) refuse_type(source, "text");
  NumberArray array{number_type(header), header.shape, {}};
  append_exactly(source, array.bytes, header.data_bytes, "its numbers");
  require_end(source);
  to_machine_order(array.bytes, header.number_bytes, header.big_endian);
  if (header.fortran_order && header.shape.size() > 1)
    array.bytes = to_c_order(array.bytes, header.shape, header.number_bytes);
  if (header.kind == 'b')
    for (std::byte& value : array.bytes) value = std::byte{value != std::byte{0}};
  return array;
}

NumberArray read_npy(ByteSource& source) {
  return read_npy_numbers(source, read_npy_header(source));
}

}  // namespace sheaf

// SPDX-License-Identifier: MIT
#include "data/import/csv_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "core/error.hpp"

namespace sheaf {
namespace {

constexpr std::uint32_t replacement_character = 0xfffd;

// The bytes that decide about the encoding.
constexpr std::size_t detected_bytes = 4096;

// A sample has at least this many line ends: rows below a long header decide about it.
constexpr std::ptrdiff_t sampled_line_ends = 8;

void append_utf8(std::string& text, std::uint32_t code) {
  const auto add = [&text](std::uint32_t byte) { text.push_back(static_cast<char>(byte)); };
  if (code < 0x80) {
    add(code);
  } else if (code < 0x800) {
    add(0xc0 | code >> 6);
    add(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    add(0xe0 | code >> 12);
    add(0x80 | (code >> 6 & 0x3f));
    add(0x80 | (code & 0x3f));
  } else {
    add(0xf0 | code >> 18);
    add(0x80 | (code >> 12 & 0x3f));
    add(0x80 | (code >> 6 & 0x3f));
    add(0x80 | (code & 0x3f));
  }
}

// Whether most characters of the bytes are ASCII in UTF-16, with the zero bytes at positions of this parity.
bool has_zeros_at(std::string_view bytes, std::size_t parity) {
  std::size_t zeros[2] = {0, 0};
  for (std::size_t at = 0; at < bytes.size(); ++at) zeros[at % 2] += bytes[at] == '\0';
  return bytes.size() >= 4 && zeros[1 - parity] == 0 && zeros[parity] * 4 > bytes.size() / 2 * 3;
}

bool separates_fields(char c) {
  return c == ',' || c == ';' || c == '\t' || c == '|' || c == '\n' || c == '\r';
}

bool has_lines(std::string_view sample) {
  const auto ends_line = [](char c) { return c == '\n' || c == '\r'; };
  return std::count_if(sample.begin(), sample.end(), ends_line) >= sampled_line_ends;
}

}  // namespace

CsvText::CsvText(ByteSource& source, std::size_t sample_bytes, std::size_t longest)
    : ByteSource(source.name()), source_(source) {
  raw_.resize(std::max(sample_bytes, detected_bytes));
  raw_.resize(source_.read(raw_.data(), raw_.size()));
  detect_encoding();
  std::size_t wanted = sample_bytes;
  do {
    const std::size_t old = sample_.size();
    sample_.resize(wanted);
    sample_.resize(old + read_text(sample_.data() + old, wanted - old));
    is_whole_ = sample_.size() < wanted;
    wanted *= 4;
  } while (!is_whole_ && sample_.size() < longest && !has_lines(sample_));
}

void CsvText::detect_encoding() {
  const std::string_view start = std::string_view(raw_).substr(0, detected_bytes);
  const std::string_view mark = start.substr(0, 2);
  if (mark == std::string_view("\xff\xfe", 2) || mark == std::string_view("\xfe\xff", 2)) {
    encoding_ = mark.front() == '\xff' ? Encoding::utf16_little : Encoding::utf16_big;
    raw_.erase(0, 2);
  } else if (has_zeros_at(start, 1)) {
    encoding_ = Encoding::utf16_little;
  } else if (has_zeros_at(start, 0)) {
    encoding_ = Encoding::utf16_big;
  }
}

std::size_t CsvText::read(void* bytes, std::size_t count) {
  auto* text = static_cast<char*>(bytes);
  const std::size_t first = std::min(count, sample_.size() - returned_);
  std::copy_n(sample_.data() + returned_, first, text);
  returned_ += first;
  return first == count ? count : first + read_text(text + first, count - first);
}

// Reads text that follows, and refuses zero bytes.
std::size_t CsvText::read_text(char* text, std::size_t count) {
  const std::size_t got = read_decoded(text, count);
  const auto* zero = static_cast<const char*>(got == 0 ? nullptr : std::memchr(text, 0, got));
  require(zero == nullptr, [&] {
    return fmt::format(
        "'{}' has a zero byte at position {} (it is a binary file, a damaged one, or text in UTF-16 or UTF-32 without "
        "a byte order mark). Save it as CSV in UTF-8.",
        name(), read_ + static_cast<std::uint64_t>(zero - text));
  });
  read_ += got;
  return got;
}

std::size_t CsvText::read_decoded(char* text, std::size_t count) {
  if (encoding_ == Encoding::bytes) {
    const std::size_t first = std::min(count, raw_.size());
    std::copy_n(raw_.data(), first, text);
    raw_.erase(0, first);
    return first == count ? count : first + source_.read(text + first, count - first);
  }
  constexpr std::size_t block_bytes = std::size_t{1} << 20;
  for (bool more = true; more && decoded_.size() < count;) {
    if (raw_.size() < 2) {
      const std::size_t old = raw_.size();
      raw_.resize(old + block_bytes);
      raw_.resize(old + source_.read(raw_.data() + old, block_bytes));
    }
    const std::size_t whole = raw_.size() / 2 * 2;
    decode(std::string_view(raw_).substr(0, whole));
    more = whole > 0;
    if (!more && (high_half_ != 0 || !raw_.empty())) append_utf8(decoded_, replacement_character);  // the file is cut
    if (!more) high_half_ = 0;
    raw_.erase(0, more ? whole : raw_.size());
  }
  const std::size_t got = std::min(count, decoded_.size());
  std::copy_n(decoded_.data(), got, text);
  decoded_.erase(0, got);
  return got;
}

void CsvText::decode(std::string_view bytes) {
  const std::size_t low = encoding_ == Encoding::utf16_little ? 0 : 1;
  for (std::size_t at = 0; at < bytes.size(); at += 2)
    decode_unit(static_cast<unsigned char>(bytes[at + low]) |
                std::uint32_t{static_cast<unsigned char>(bytes[at + 1 - low])} << 8);
}

void CsvText::decode_unit(std::uint32_t unit) {
  const bool is_high = unit >= 0xd800 && unit < 0xdc00;
  const bool is_low = unit >= 0xdc00 && unit < 0xe000;
  if (high_half_ != 0 && is_low) {
    append_utf8(decoded_, 0x10000 + ((high_half_ - 0xd800) << 10) + (unit - 0xdc00));
    high_half_ = 0;
    return;
  }
  if (high_half_ != 0) append_utf8(decoded_, replacement_character);
  high_half_ = is_high ? unit : 0;
  if (!is_high) append_utf8(decoded_, is_low ? replacement_character : unit);
}

char detect_line_end(std::string_view sample) {
  bool quoted = false;
  bool starts_field = true;
  bool has_return = false;
  for (const char c : sample) {
    if (quoted) {
      quoted = c != '"';
      starts_field = !quoted;  // a doubled quote
      continue;
    }
    if (c == '\n') return '\n';
    has_return = has_return || c == '\r';
    quoted = c == '"' && starts_field;
    starts_field = separates_fields(c) || (starts_field && c == ' ');
  }
  return has_return ? '\r' : '\n';
}

}  // namespace sheaf

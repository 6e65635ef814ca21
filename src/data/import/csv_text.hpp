// The text of a CSV file: in UTF-8, with its beginning at hand.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "files/byte_source.hpp"

namespace sheaf {

/// Reads a source and decodes UTF-16. Other encodings are passed on unchanged.
class CsvText : public ByteSource {
 public:
  /// Reads the first `sample_bytes` bytes or, if they contain only a few line ends, as many as needed to find more, up
  /// to `longest`. `source` must outlive this object. Throws as read().
  CsvText(ByteSource& source, std::size_t sample_bytes, std::size_t longest);

  /// The beginning of the text, or all of it.
  std::string_view sample() const { return sample_; }
  /// Whether sample() is the whole text.
  bool is_whole() const { return is_whole_; }

  /// Returns the whole text, from the beginning of the sample. Throws RunError for zero bytes in it, which only other
  /// files and other encodings have.
  std::size_t read(void* bytes, std::size_t count) override;

 private:
  enum class Encoding { bytes, utf16_little, utf16_big };

  void detect_encoding();
  std::size_t read_text(char* text, std::size_t count);
  std::size_t read_decoded(char* text, std::size_t count);
  void decode(std::string_view bytes);
  void decode_unit(std::uint32_t unit);

  ByteSource& source_;
  Encoding encoding_ = Encoding::bytes;
  std::string sample_;
  std::string raw_;              // bytes of the source that are not decoded yet
  std::string decoded_;          // text that was not returned yet
  std::uint32_t high_half_ = 0;  // the first half of a surrogate pair; 0: none
  std::size_t returned_ = 0;     // bytes of the sample
  std::uint64_t read_ = 0;       // bytes of the text that were read, with the sample
  bool is_whole_ = false;
};

/// The last character of lines: '\n', or '\r' if no line outside quotes ends in '\n'. Pure.
char detect_line_end(std::string_view sample);

}  // namespace sheaf

// CSV (RFC 4180) as text: records and their fields.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "files/byte_source.hpp"

namespace sheaf {

/// The longest record that is read, in bytes. Without a limit, a file of one endless line, a few megabytes of gzip,
/// would take all memory.
constexpr std::size_t longest_csv_record = std::size_t{64} << 20;

/// The most fields of a record, for the same reason.
constexpr std::size_t most_csv_fields = std::size_t{1} << 22;

/// The records of a source, in order. Blank lines and a byte-order mark at the start are passed over; a line ends in
/// "\n" or "\r\n".
class CsvRecords {
 public:
  /// `block_bytes`: bytes to read at a time, at least 3.
  explicit CsvRecords(ByteSource& source, std::size_t block_bytes = std::size_t{1} << 20,
                      std::size_t longest = longest_csv_record)
      : source_(source), block_bytes_(block_bytes), longest_(longest) {}

  /// Goes to the next record; false at the end. Throws RunError when a quote is not closed or the record is longer than
  /// `longest` bytes.
  bool next();
  /// The record without its line end; valid until the next call of next().
  std::string_view text() const { return text_; }
  /// Where it begins, from 1.
  std::int64_t line() const { return line_; }
  /// "line 3 of 'train.csv'"
  std::string place() const;

 private:
  bool fill();
  std::size_t find_end();

  ByteSource& source_;
  std::size_t block_bytes_;
  std::size_t longest_;
  std::string buffer_;
  std::size_t begin_ = 0;  // of the bytes that no record has used yet
  bool started_ = false;
  std::string_view text_;
  std::int64_t line_ = 0;
  std::int64_t next_line_ = 1;
};

/// The fields of one record, in memory that is used again for the next.
class CsvFields {
 public:
  /// Cuts `record`, which must outlive the fields. Blanks around a field are dropped, but kept inside quotes. Returns
  /// false when text follows a closing quote. Stops after most_csv_fields + 1 fields.
  bool split(std::string_view record, char delimiter);

  std::size_t size() const { return fields_.size(); }
  std::string_view operator[](std::size_t index) const { return fields_[index]; }

 private:
  const char* take_quoted(const char* begin, const char* end);

  std::vector<std::string_view> fields_;
  std::deque<std::string> unescaped_;  // fields with doubled quotes; a deque, since the fields point into it
};

/// The most frequent of tab, semicolon and comma in the record, outside quotes; without any, the comma.
char detect_delimiter(std::string_view record);

}  // namespace sheaf

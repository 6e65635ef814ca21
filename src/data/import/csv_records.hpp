// Splits CSV text (RFC 4180) into records and fields.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "files/byte_source.hpp"

namespace sheaf {

/// The maximum length of a record, in bytes. Without a limit, a few megabytes of gzip with a single endless line could
/// fill the memory.
constexpr std::size_t longest_csv_record = std::size_t{64} << 20;

/// The maximum number of fields of a record, for the same reason.
constexpr std::size_t max_csv_fields = std::size_t{1} << 22;

/// What separates records and fields.
struct CsvSyntax {
  char delimiter = 0;    ///< between fields; 0: not known yet, any of csv_delimiters or a space
  char line_end = '\n';  ///< '\n', also after '\r'; or '\r'
};

/// The delimiters that detect_delimiter() knows.
constexpr std::string_view csv_delimiters = "\t;|,";

/// Reads the records of a source, in order. Skips blank lines and a byte order mark at the start. A line end inside a
/// quoted field belongs to it. Quotes count only where a field begins.
class CsvRecords {
 public:
  /// `block_bytes` is the number of bytes per read, at least 3.
  explicit CsvRecords(ByteSource& source, CsvSyntax syntax = {}, std::size_t block_bytes = std::size_t{1} << 20,
                      std::size_t longest = longest_csv_record)
      : source_(source), syntax_(syntax), block_bytes_(block_bytes), longest_(longest) {}

  /// Advances to the next record; returns false at the end. Throws RunError if a quote is not closed or the record is
  /// longer than `longest` bytes.
  bool next();
  /// The record without its line ending; valid until the next call of next().
  std::string_view text() const { return text_; }
  /// The line in which the record begins, from 1.
  std::int64_t line() const { return line_; }
  /// "line 3 of 'train.csv'"
  std::string location() const;

 private:
  bool fill();
  std::size_t find_end();
  void pass_quotes(std::size_t from, std::size_t stop);
  bool starts_field(std::size_t quote) const;

  ByteSource& source_;
  CsvSyntax syntax_;
  std::size_t block_bytes_;
  std::size_t longest_;
  std::string buffer_;
  std::size_t begin_ = 0;  // the first byte of buffer_ after the current record
  bool started_ = false;
  std::string_view text_;
  std::int64_t line_ = 0;
  std::int64_t next_line_ = 1;
  bool quoted_ = false;         // inside a quoted field of the current record
  std::size_t last_close_ = 0;  // position after the latest closing quote, from begin_; 0: none
};

/// The fields of one record. Reuses its memory for the next record.
class CsvFields {
 public:
  /// Splits `record`, which must outlive the fields. Strips spaces and tabs around a field, but not inside quotes.
  /// Returns false if text follows a closing quote. Stops after max_csv_fields + 1 fields.
  bool split(std::string_view record, char delimiter);

  std::size_t size() const { return fields_.size(); }
  std::string_view operator[](std::size_t index) const { return fields_[index]; }

 private:
  const char* take_quoted(const char* begin, const char* end);

  std::vector<std::string_view> fields_;
  std::deque<std::string> unescaped_;  // fields with doubled quotes; a deque, since the fields point into it
};

/// The delimiter that gives most of the records the same number of fields, more than one. Tab, semicolon and bar are
/// preferred to the comma, which may be in numbers and texts; without a delimiter in most records, the one that is most
/// frequent in the first record, unless a space gives most records the same number. A comma if there is none. Pure.
char detect_delimiter(const std::vector<std::string_view>& records);

}  // namespace sheaf

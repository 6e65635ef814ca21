// SPDX-License-Identifier: MIT
#include "data/import/csv_records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "core/error.hpp"
#include "core/text.hpp"

namespace sheaf {
namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

const char* skip_blanks(const char* begin, const char* end, char delimiter) {
  while (begin < end && is_blank(*begin) && *begin != delimiter) ++begin;
  return begin;
}

}  // namespace

std::string CsvRecords::location() const {
  return fmt::format("line {} of '{}'", line_, source_.name());
}

// Moves the unused bytes to the front of the buffer and reads more. Returns false at the end of the source.
bool CsvRecords::fill() {
  buffer_.erase(0, begin_);
  begin_ = 0;
  const std::size_t old = buffer_.size();
  buffer_.resize(old + block_bytes_);
  const std::size_t got = source_.read(buffer_.data() + old, block_bytes_);
  buffer_.resize(old + got);
  return got > 0;
}

// The end of the record that begins at begin_: the first line end outside quotes, or the end of the source.
std::size_t CsvRecords::find_end() {
  std::size_t scanned = 0;  // bytes from begin_; fill() changes begin_
  quoted_ = false;
  last_close_ = 0;
  for (;;) {
    const char* from = buffer_.data() + begin_ + scanned;
    const char* end = buffer_.data() + buffer_.size();
    const auto* line_end =
        static_cast<const char*>(std::memchr(from, syntax_.line_end, static_cast<std::size_t>(end - from)));
    const char* stop = line_end ? line_end : end;
    const std::size_t reached = scanned + static_cast<std::size_t>(stop - from);
    pass_quotes(scanned, reached);
    scanned = reached;
    require(scanned <= longest_, [&] {
      return fmt::format(
          "The record that begins in {} is longer than {} (a quote is not closed, or this is not a CSV file). "
          "Correct it.",
          location(), human_bytes(static_cast<double>(longest_)));
    });
    if (line_end) ++next_line_;
    if (line_end && !quoted_) break;
    if (line_end) {
      ++scanned;
    } else if (!fill()) {
      require(!quoted_,
              fmt::format("A quote of the record in {} is not closed (the file ends). Close it.", location()));
      break;
    }
  }
  return begin_ + scanned;
}

// Follows the quotes between two positions of the record, counted from begin_.
void CsvRecords::pass_quotes(std::size_t from, std::size_t stop) {
  const char* record = buffer_.data() + begin_;
  while (from < stop) {
    const auto* quote = static_cast<const char*>(std::memchr(record + from, '"', stop - from));
    if (quote == nullptr) return;
    const auto at = static_cast<std::size_t>(quote - record);
    if (quoted_) {
      quoted_ = false;
      last_close_ = at + 1;
    } else {
      quoted_ = (last_close_ == at && at > 0) || starts_field(at);  // a doubled quote does not end the field
    }
    from = at + 1;
  }
}

bool CsvRecords::starts_field(std::size_t quote) const {
  const char* record = buffer_.data() + begin_;
  const auto separates = [this](char c) {
    if (syntax_.delimiter != 0) return c == syntax_.delimiter;
    return c == ' ' || csv_delimiters.find(c) != std::string_view::npos;
  };
  while (quote > 0 && is_blank(record[quote - 1]) && !separates(record[quote - 1])) --quote;
  return quote == 0 || separates(record[quote - 1]);
}

bool CsvRecords::next() {
  if (!started_) {
    started_ = true;
    fill();
    if (buffer_.compare(0, 3, "\xef\xbb\xbf") == 0) begin_ = 3;
  }
  do {
    if (begin_ == buffer_.size() && !fill()) return false;
    line_ = next_line_;
    const std::size_t end = find_end();
    text_ = std::string_view(buffer_).substr(begin_, end - begin_);
    begin_ = std::min(end + 1, buffer_.size());
    if (syntax_.line_end == '\n' && !text_.empty() && text_.back() == '\r') text_.remove_suffix(1);
  } while (std::all_of(text_.begin(), text_.end(), is_blank));
  return true;
}

// Appends a quoted field that begins at `begin`, after the opening quote. Returns the position after the closing quote.
const char* CsvFields::take_quoted(const char* begin, const char* end) {
  const char* close = std::find(begin, end, '"');
  if (close == end || close + 1 == end || close[1] != '"') {
    fields_.emplace_back(begin, static_cast<std::size_t>(close - begin));
    return std::min(close + 1, end);
  }
  std::string& text = unescaped_.emplace_back();
  while (close != end && close + 1 != end && close[1] == '"') {
    text.append(begin, close + 1);
    begin = close + 2;
    close = std::find(begin, end, '"');
  }
  text.append(begin, close);
  fields_.push_back(text);
  return std::min(close + 1, end);
}

bool CsvFields::split(std::string_view record, char delimiter) {
  fields_.clear();
  unescaped_.clear();
  const char* end = record.data() + record.size();
  for (const char* next = record.data();; ++next) {
    next = skip_blanks(next, end, delimiter);
    if (next < end && *next == '"') {
      next = skip_blanks(take_quoted(next + 1, end), end, delimiter);
      if (next < end && *next != delimiter) return false;
    } else {
      const char* stop = std::find(next, end, delimiter);
      const char* last = stop;
      while (last > next && is_blank(last[-1])) --last;
      fields_.emplace_back(next, static_cast<std::size_t>(last - next));
      next = stop;
    }
    if (next == end || fields_.size() > max_csv_fields) return true;
  }
}

char detect_delimiter(const std::vector<std::string_view>& records) {
  CsvFields fields;
  const auto count = [&fields](std::string_view record, char candidate) {
    return fields.split(record, candidate) ? fields.size() : std::size_t{0};
  };
  // Whether a separator is inside a quoted text.
  const auto cuts_quotes = [&fields] {
    for (std::size_t field = 0; field < fields.size(); ++field)
      if (std::count(fields[field].begin(), fields[field].end(), '"') % 2 == 1) return true;
    return false;
  };
  const auto separates_all = [&](char candidate, bool respects_quotes) {
    std::map<std::size_t, std::size_t> records_with;  // this number of fields
    for (std::size_t index = records.size() > 10 ? 1 : 0; index < records.size(); ++index) {
      const std::size_t found = count(records[index], candidate);
      ++records_with[respects_quotes && cuts_quotes() ? 0 : found];
    }
    return std::any_of(records_with.begin(), records_with.end(), [&](const auto& entry) {
      return entry.first > 1 && records.size() > 2 && entry.second * 10 >= records.size() * 9;
    });
  };
  for (const bool respects_quotes : {true, false}) {
    for (const char candidate : csv_delimiters)
      if (separates_all(candidate, respects_quotes)) return candidate;
    if (separates_all(' ', respects_quotes)) return ' ';  // tables of numpy.savetxt and of R
  }
  char frequent = ',';
  std::size_t most = 1;
  for (const char candidate : csv_delimiters) {
    const std::size_t found = records.empty() ? 0 : count(records.front(), candidate);
    if (found > most) {
      most = found;
      frequent = candidate;
    }
  }
  return frequent;
}

}  // namespace sheaf

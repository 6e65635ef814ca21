// SPDX-License-Identifier: MIT
#include "data/import/csv_sample.hpp"

#include <fmt/format.h>

#include <optional>

#include "core/error.hpp"

namespace sheaf {
namespace {

constexpr std::size_t max_records = 20000;
constexpr std::size_t max_cells = std::size_t{1} << 20;

// "sep=;", which Excel writes and reads as the first line.
std::optional<char> declared_delimiter(std::string_view record) {
  if (record.size() != 5 || record.substr(0, 4) != "sep=") return std::nullopt;
  return record[4];
}

// Calls `take` with the records of the sample, until it returns false. Returns whether the sample ended.
template <class Take>
bool for_each_record(const CsvText& text, const CsvSyntax& syntax, const Take& take) {
  MemorySource source(text.name(), text.sample());
  CsvRecords records(source, syntax, text.sample().size() + 1);
  try {
    while (records.next())
      if (!take(records)) return false;
  } catch (const RunError&) {  // reading the whole file will report it
  }
  return true;
}

// The record in the sample, since that of the reader is in its buffer.
std::string_view in_sample(const CsvText& text, const CsvRecords& records, std::size_t& from) {
  const std::size_t at = text.sample().find(records.text(), from);
  from = at + records.text().size();
  return text.sample().substr(at, records.text().size());
}

}  // namespace

CsvSample take_sample(const CsvText& text, char delimiter) {
  CsvSample sample;
  sample.syntax.line_end = detect_line_end(text.sample());
  std::vector<std::string_view> first;
  std::size_t from = 0;
  for_each_record(text, sample.syntax, [&](const CsvRecords& records) {
    const std::string_view record = in_sample(text, records, from);
    const auto declared = first.empty() && !sample.declared ? declared_delimiter(record) : std::nullopt;
    if (declared) {
      sample.declared = true;
      if (delimiter == 0) delimiter = *declared;
    } else if (record.front() != '#' || first.empty()) {
      first.push_back(record);
    }
    return first.size() < 100;
  });
  require(!first.empty(),
          fmt::format("'{}' is empty (it has no rows). Use a file with at least one row.", text.name()));
  if (first.size() > 1 && first.front().front() == '#') first.erase(first.begin());
  sample.syntax.delimiter = delimiter != 0 ? delimiter : detect_delimiter(first);

  from = 0;
  bool skips = sample.declared;
  std::size_t cells = 0;
  CsvFields fields;
  const bool at_end = for_each_record(text, sample.syntax, [&](const CsvRecords& records) {
    const std::string_view record = in_sample(text, records, from);
    if (std::exchange(skips, false)) return true;
    CsvSample::Record taken{records.line(), record, {}};
    if (fields.split(record, sample.syntax.delimiter)) {
      for (std::size_t field = 0; field < fields.size(); ++field) {
        const std::string_view cell = fields[field];
        const bool is_inside =
            cell.empty() || (cell.data() >= record.data() && cell.data() < record.data() + record.size());
        taken.cells.push_back(is_inside ? cell : std::string_view(sample.unescaped.emplace_back(cell)));
      }
    }
    cells += taken.cells.size();
    sample.records.push_back(std::move(taken));
    return sample.records.size() < max_records && cells < max_cells;
  });
  sample.is_whole = at_end && text.is_whole();
  // The last record of the beginning of a file may be cut.
  if (at_end && !text.is_whole() && sample.records.size() > 1) sample.records.pop_back();
  require(!sample.records.empty(),
          fmt::format("'{}' is empty (it has no rows). Use a file with at least one row.", text.name()));
  return sample;
}

}  // namespace sheaf

// SPDX-License-Identifier: MIT
#include "data/import/csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "core/text.hpp"
#include "data/import/csv_beginning.hpp"
#include "data/import/csv_decimal.hpp"
#include "data/import/csv_layout.hpp"
#include "data/import/csv_notes.hpp"
#include "data/import/csv_table.hpp"

namespace sheaf {
namespace {

// Cells are read as those of the known data, unless options are set.
CsvOptions completed(CsvOptions options) {
  if (options.like != nullptr) options.empty.complete(options.like->reading);
  return options;
}

// How the cells were read. Points in files with commas as the delimiter are usual, so they are only stored if there are
// thousands separators.
CellReading reading_of(const CsvOptions& options, const CsvBeginning& first, const ChosenDecimal& decimal) {
  const auto forms = number_forms(first.evidence, decimal.mark);
  const bool has_groups =
      std::any_of(forms.begin(), forms.end(), [](const NumberForm& form) { return form.grouping != 0; });
  const bool is_usual = decimal.mark == '.' && first.sample.syntax.delimiter == ',' && !has_groups;
  CellReading reading = options.empty.reading();
  if (decimal.is_known && !is_usual) reading.decimal = decimal.mark;
  return reading;
}

}  // namespace

ImportedData import_csv(const std::vector<std::unique_ptr<ByteSource>>& sources, const CsvOptions& given) {
  const CsvOptions options = completed(given);
  std::vector<CsvBeginning> files;
  CsvLayout layout;
  for (const auto& source : sources) {
    CsvBeginning file = read_beginning(*source, options, files.empty() ? nullptr : &layout.names);
    if (files.empty()) {
      layout = choose_layout(file, options);
    } else {
      require_same_columns(layout, file, files.back().name());
      file.forget_cells();
    }
    files.push_back(std::move(file));
  }
  const ChosenDecimal decimal = choose_decimal(files, layout, options);
  CsvTable table(files.front(), layout, decimal, options);
  const std::string taken = layout_note(files.front(), layout);
  std::vector<std::string> column_notes_of_first = column_notes(files.front(), layout, table.features(), options);
  const std::string last_file = files.back().name();
  CellReading reading = options.like != nullptr ? options.like->reading : reading_of(options, files.front(), decimal);
  for (auto& file : files) table.add_file(std::move(file));

  ImportedData data;
  const CsvCounts& counts = table.counts();
  data.notes.push_back(fmt::format(
      "{}: {} {}", files.size() == 1 ? fmt::format("'{}'", last_file) : fmt::format("{} files", files.size()),
      counted(counts.rows + counts.dropped_rows, "row"), taken));
  const auto add_notes = [&](std::vector<std::string> notes) {
    for (auto& note : notes) data.notes.push_back(std::move(note));
  };
  add_notes(std::move(column_notes_of_first));
  table.finish(last_file, data);
  data.description.dropped_columns = options.like != nullptr ? options.like->dropped_columns : layout.dropped_names();
  data.description.reading = std::move(reading);
  add_notes(cell_notes(table, layout, decimal, data.description, options));
  return data;
}

}  // namespace sheaf

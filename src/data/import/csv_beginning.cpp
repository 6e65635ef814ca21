// SPDX-License-Identifier: MIT
#include "data/import/csv_beginning.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/error.hpp"
#include "data/import/csv_columns.hpp"
#include "data/import/csv_first_line.hpp"
#include "data/table_columns.hpp"

namespace sheaf {
namespace {

// The beginning of a file that decides how it is read.
constexpr std::size_t sample_bytes = std::size_t{1} << 20;

StartHints hints_for(const CsvOptions& options, const std::vector<std::string>* names) {
  StartHints hints;
  hints.header = options.header;
  hints.label = options.label;
  if (names != nullptr) {  // like the first file
    hints.is_unnamed = names->empty();
    std::copy_if(names->begin(), names->end(), std::back_inserter(hints.features),
                 [](const std::string& name) { return !is_row_number_name(name); });
  } else if (options.like != nullptr && has_names(options.like->columns)) {
    hints.features = table_columns(options.like->columns).names;
  } else {
    hints.is_unnamed = options.like != nullptr && !options.like->columns.empty();
  }
  for (const auto* list :
       {&options.drop, &options.id, &options.groups, &options.folds, &options.time, &options.weights})
    for (const auto& name : split_list(*list)) {
      hints.columns.push_back(name);
      hints.left_out.push_back(name);
    }
  for (const auto* list : {&options.categorical, &options.keep})
    for (const auto& name : split_list(*list)) hints.columns.push_back(name);
  if (options.label && options.label != "none")
    for (const auto& name : split_list(*options.label)) hints.columns.push_back(name);
  return hints;
}

}  // namespace

void CsvBeginning::forget_cells() {
  sample.records = {};
  for (auto& column : evidence) column.different_texts = column.different_numbers = {};
}

CsvBeginning read_beginning(ByteSource& source, const CsvOptions& options, const std::vector<std::string>* names) {
  CsvBeginning file;
  file.text = std::make_unique<CsvText>(source, sample_bytes, longest_csv_record);
  file.sample = take_sample(*file.text, options.delimiter);
  file.start = find_start(file.sample, hints_for(options, names), options.empty, file.name());
  if (file.start.first_row() >= file.sample.records.size()) {
    for (CsvRecords all(*file.text, file.sample.syntax); all.next();) {
    }  // reports a quote that is not closed
    throw RunError(fmt::format("'{}' is empty (it has only a header). Use a file with at least one row.", file.name()));
  }
  file.first_line = file.sample.records[file.start.first_row()].line;
  file.evidence =
      collect_evidence(file.sample, file.start.first_row(), file.start.columns, std::nullopt, options.empty);
  return file;
}

std::string_view first_unreadable(const CsvBeginning& file, std::size_t column, std::optional<char> decimal,
                                  const EmptyCells& empty) {
  const NumberForm form = file.evidence[column].form.likely_form(decimal);
  for (std::size_t index = file.start.first_row(); index < file.sample.records.size(); ++index) {
    const auto& cells = file.sample.records[index].cells;
    if (column < cells.size() && !empty.is_empty_number(cells[column]) && !parse_cell(cells[column], form))
      return cells[column];
  }
  return file.evidence[column].example;
}

}  // namespace sheaf

// The targets of the rows of an import: labels or numbers.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "data/import/csv_beginning.hpp"
#include "data/import/csv_decimal.hpp"
#include "data/import/csv_features.hpp"
#include "data/import/csv_labels.hpp"
#include "data/import/csv_layout.hpp"
#include "data/import/imported_data.hpp"

namespace sheaf {

class CsvTargets {
 public:
  /// The arguments must outlive this object, apart from `first` and `decimal`. Throws RunError if the only target has
  /// dates, identifiers or texts that resemble numbers, unless the task is known.
  CsvTargets(const CsvBeginning& first, const CsvLayout& layout, const ChosenDecimal& decimal,
             const CsvOptions& options);

  /// Whether the target is read as text; otherwise all targets are numbers.
  bool has_text_labels() const { return has_text_labels_; }

  /// Whether a cell of a target is empty.
  bool is_empty(std::string_view text, const NumberForm& form) const;

  /// Adds the next cell, in the order of the rows and of layout.roles.targets. Throws BadCell.
  void add(std::string_view text, const NumberForm& form);

  /// Moves the targets of `rows` rows and their description to `data`. `file`: for messages.
  void finish(std::int64_t rows, const std::string& file, ImportedData& data);

 private:
  void code_several(CodedTargets& coded, const std::string& file) const;
  double number(std::string_view text, const NumberForm& form) const;
  double label(std::string_view text, const NumberForm& form) const;
  void add_label(std::string_view text, const NumberForm& form);
  bool is_known_class(std::string_view label) const;

  const CsvLayout& layout_;
  const CsvOptions& options_;
  bool has_text_labels_ = false;
  bool are_words_ = false;  // the labels of several columns: yes and no, true and false
  CellBlocks numbers_;      // if layout_.has_numbers
  LabelColumn labels_;      // otherwise; finish() chooses the task
};

/// --missing is an option of imports that learn the encoding: advice on a row with an empty cell.
std::string drop_row_advice(const CsvOptions& options);

}  // namespace sheaf

// The columns of the files of an import, all of which have the same.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "data/import/csv_beginning.hpp"
#include "data/import/csv_columns.hpp"
#include "data/import/csv_options.hpp"

namespace sheaf {

/// A feature of an import.
struct CsvFeature {
  std::size_t column = 0;                 ///< of the file
  std::optional<DataColumn> date_part{};  ///< if the column has dates, and there are no known data
};

struct CsvLayout {
  std::size_t column_count = 0;
  std::vector<std::string> names;  ///< empty without a header
  ColumnRoles roles;
  std::vector<CsvFeature> features;  ///< one for each of roles.features, but one for each part of dates
  bool has_numbers = false;          ///< whether targets are numbers, if that is known before they are read

  /// "column 2 ('price')"
  std::string text_of(std::size_t column) const;
  /// The name of the column or, if options cannot contain it, its number.
  std::string option_of(std::size_t column) const;
  /// Whether a feature is from the same column as the one before it.
  bool repeats_column(std::size_t feature) const {
    return feature > 0 && features[feature].column == features[feature - 1].column;
  }
  /// The names of the columns that are neither features nor targets, sorted.
  std::vector<std::string> dropped_names() const;
};

/// The columns of the first file. Throws RunError as choose_roles(), and if the number of targets does not fit the
/// task.
CsvLayout choose_layout(const CsvBeginning& first, const CsvOptions& options);

/// Throws RunError unless `file` has the columns of `layout`. `previous`: the name of the file before it.
void require_same_columns(const CsvLayout& layout, const CsvBeginning& file, const std::string& previous);

}  // namespace sheaf

// The options of commands that read CSV files. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "data/import/csv_options.hpp"

namespace sheaf {

/// Options for reading a file: header, delimiter, decimal, label, drop, unknown, na_values, keep_default_na.
const std::vector<std::string>& csv_reading_options();

/// Options for commands that learn the encoding of the columns: categorical, missing, keep, groups, folds, weights.
const std::vector<std::string>& csv_encoding_options();

/// Sets one of these options. Throws UsageError if the value is not valid.
void apply_csv_option(CsvOptions& options, const std::string& name, const std::string& text);

/// The help of csv_reading_options(), without `label` and `drop`.
std::string csv_reading_help();

}  // namespace sheaf

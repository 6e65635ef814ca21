// The description of a data set: what its features, classes and targets are called, and how a table of numbers and
// texts becomes features. Data files and saved models store it.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "data/date_source.hpp"
#include "study/data_options.hpp"

namespace sheaf {

/// The value that replaces empty cells of a column of numbers: the median or the mean of the training rows.
enum class FillRule { median, mean };

/// A column of a table, which is one feature: a number, or the code of a text, its position in the list of categories.
struct DataColumn {
  std::string name{};                     ///< empty if the table has no header
  std::vector<std::string> categories{};  ///< of a column of texts, without the empty text; empty: numbers
  bool has_empty_cells = false;  ///< texts: empty cells are a category of their own, before the others; numbers:
                                 ///< empty cells (NaN) are filled
  double offset = 0;             ///< subtracted in double before numbers are rounded to float
  FillRule fill_rule = FillRule::median;  ///< how empty cells of a column of numbers are filled
  std::optional<double> fill{};           ///< the known value of empty cells, in the units of the table: of a saved
                                          ///< model, or stated at the import; it takes precedence over `fill_rule`
  std::optional<DateSource> date{};       ///< of a column of numbers that are parts of dates

  bool is_text() const { return !categories.empty(); }
};

bool operator==(const DataColumn& a, const DataColumn& b);

DataColumn number_column(std::string name);
DataColumn text_column(std::string name, std::vector<std::string> categories, bool has_empty_cells = false);

/// How the cells of a table were read. New tables of the same kind are read in the same way.
struct CellReading {
  std::optional<char> decimal{};         ///< the decimal mark, '.' or ','; nullopt: as their numbers show
  std::vector<std::string> na_values{};  ///< texts that mean an empty cell
  bool keep_default_na = true;           ///< whether the usual texts mean an empty cell, too
};

bool operator==(const CellReading& a, const CellReading& b);

/// All members are optional, since files that other programs write may have none of them.
struct DataDescription {
  std::vector<DataColumn> columns;             ///< in the order of the features
  std::vector<std::string> class_names;        ///< of the labels 0, 1, ...
  std::vector<std::string> target_names;       ///< of the columns with the label or the targets, or of several labels
  std::string source;                          ///< names of the files from which the data were imported
  std::string preprocessing;                   ///< how `sheaf preprocess` scaled the features; empty: not at all
  std::string content_hash;                    ///< fingerprint of the features and targets
  std::vector<double> target_offsets{};        ///< subtracted in double from each regression target; empty: none
  std::vector<std::string> dropped_columns{};  ///< columns of the imported files that were left out
  CellReading reading{};                       ///< how the cells of the imported files were read
  bool is_multilabel = false;  ///< a data file says that its targets are labels, even if all rows have exactly one
};

/// The names of the classes or, with several labels per row, of the labels; may be empty.
inline const std::vector<std::string>& names_of_classes(const DataDescription& description, Task task) {
  return task == Task::multilabel ? description.target_names : description.class_names;
}

/// Whether all columns have names. False without columns.
bool has_names(const std::vector<DataColumn>& columns);

std::vector<std::string> column_names(const std::vector<DataColumn>& columns);

/// A name that two columns have. nullopt: all are different, or the columns have no names.
std::optional<std::string> repeated_name(const std::vector<DataColumn>& columns);

/// The same description; without columns, with `features` columns of numbers that have no names.
DataDescription with_columns(DataDescription description, std::int64_t features);

/// Columns of numbers with these names.
std::vector<DataColumn> number_columns(const std::vector<std::string>& names);

/// Whether the names say everything about the columns: they are numbers without offsets, empty cells and fill values,
/// and not parts of dates.
bool are_plain(const std::vector<DataColumn>& columns);

/// Throws RunError unless `sheaf preprocess` scaled the features of both in the same way. The texts name the two.
void require_same_preprocessing(const DataDescription& file, const DataDescription& model, const std::string& file_text,
                                const std::string& model_text);

/// Finds each name of `wanted` in `present`. Returns the positions in `present`, in the order of `wanted`. Throws
/// RunError for names that are missing, and for others in `present`, with `advice` on these: "Leave them out.". The
/// texts name the two sides: "'new.csv'", "model 'm.pt'".
std::vector<std::int64_t> match_names(const std::vector<std::string>& present, const std::vector<std::string>& wanted,
                                      const std::string& present_text, const std::string& wanted_text,
                                      const std::string& advice);

}  // namespace sheaf

// SPDX-License-Identifier: MIT
#include "commands/line/csv_arguments.hpp"

#include <cassert>
#include <cmath>

#include "commands/line/arguments.hpp"
#include "core/error.hpp"
#include "data/import/csv_columns.hpp"
#include "data/import/csv_numbers.hpp"
#include "study/value_types.hpp"

namespace sheaf {
namespace {

// median, mean, drop, error, or a number.
MissingCells missing_cells(const std::string& name, const std::string& text) {
  using Kind = MissingCells::Kind;
  const auto number = parse_number<double>(text);
  if (number && std::isfinite(static_cast<float>(*number))) return {Kind::value, *number};
  auto kinds =
      choice<Kind>({{"median", Kind::median}, {"mean", Kind::mean}, {"drop", Kind::drop}, {"error", Kind::error}});
  kinds.allowed += " or a number";
  return {option_value(kinds, name, text), 0};
}

}  // namespace

const std::vector<std::string>& csv_reading_options() {
  static const std::vector<std::string> names = {"header", "delimiter", "decimal",   "label",
                                                 "drop",   "unknown",   "na_values", "keep_default_na"};
  return names;
}

const std::vector<std::string>& csv_encoding_options() {
  static const std::vector<std::string> names = {"categorical", "missing", "keep",   "groups",
                                                 "folds",       "time",    "weights"};
  return names;
}

void apply_csv_option(CsvOptions& options, const std::string& name, const std::string& text) {
  if (name == "header") {
    options.header = option_value(flag(), name, text);
  } else if (name == "delimiter") {
    const auto delimiters = choice<char>({{",", ','}, {";", ';'}, {"tab", '\t'}, {"\t", '\t'}, {"|", '|'}, {" ", ' '}});
    options.delimiter = option_value(delimiters, name, text);
  } else if (name == "decimal") {
    options.decimal = option_value(choice<char>({{".", '.'}, {",", ','}}), name, text);
  } else if (name == "label") {
    options.label = option_value(non_empty_text(), name, text);
  } else if (name == "drop") {
    options.drop = option_value(non_empty_text(), name, text);
  } else if (name == "unknown") {
    options.refuses_unknown = option_value(choice<bool>({{"ignore", false}, {"error", true}}), name, text);
  } else if (name == "na_values") {
    options.empty.add(split_list(option_value(non_empty_text(), name, text)));
  } else if (name == "keep_default_na") {
    options.empty.use_default(option_value(flag(), name, text));
  } else if (name == "keep") {
    options.keep = option_value(non_empty_text(), name, text);
  } else if (name == "groups") {
    options.groups = option_value(non_empty_text(), name, text);
  } else if (name == "folds") {
    options.folds = option_value(non_empty_text(), name, text);
  } else if (name == "time") {
    options.time = option_value(non_empty_text(), name, text);
  } else if (name == "weights") {
    options.weights = option_value(non_empty_text(), name, text);
  } else if (name == "categorical") {
    options.categorical = option_value(non_empty_text(), name, text);
  } else {
    assert(name == "missing");
    options.missing = missing_cells(name, text);
  }
}

std::string csv_reading_help() {
  return R"(  --header=true|false   default: the first line is a header if it has the names that options or the model expect,
                        texts above columns of numbers, numbers 0, 1, ... or rising numbers beside the name of the
                        label, or a label or texts that do not occur again; the log shows the choice
  --delimiter=,|;|tab|'|'|' '
                        default: the one that gives all lines the same number of columns
  --decimal=.|,         decimal mark; default: the one that numbers show, otherwise that of the training data or a point
  --na_values=TEXT,...  more texts that mean an empty cell, such as -999. The usual ones are NA, N/A, NaN, null, None, ?
                        and error values such as #N/A; in columns of numbers also ., -, *, unknown and missing
  --keep_default_na=false
                        only the texts of --na_values and cells with nothing in them are empty, so that NA and None
                        are classes and categories
                        The data file and its models remember these three options for evaluate, predict and --like
)";
}

}  // namespace sheaf

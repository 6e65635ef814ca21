// SPDX-License-Identifier: MIT
#include "commands/line/csv_arguments.hpp"

#include <cassert>
#include <cmath>

#include "commands/line/arguments.hpp"
#include "core/error.hpp"
#include "data/import/csv_numbers.hpp"
#include "study/value_types.hpp"

namespace sheaf {
namespace {

// error, mean, median, drop, or a number.
MissingCells missing_cells(const std::string& name, const std::string& text) {
  using Kind = MissingCells::Kind;
  if (const auto number = parse_number<float>(text); number && std::isfinite(*number)) return {Kind::value, *number};
  auto kinds =
      choice<Kind>({{"error", Kind::error}, {"mean", Kind::mean}, {"median", Kind::median}, {"drop", Kind::drop}});
  kinds.allowed += " or a number";
  return {option_value(kinds, name, text), 0};
}

}  // namespace

const std::vector<std::string>& csv_reading_options() {
  static const std::vector<std::string> names = {"header", "delimiter", "decimal", "label", "drop", "unknown"};
  return names;
}

const std::vector<std::string>& csv_encoding_options() {
  static const std::vector<std::string> names = {"categorical", "missing"};
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
    options.ignore_unknown = option_value(choice<bool>({{"error", false}, {"ignore", true}}), name, text);
  } else if (name == "categorical") {
    options.categorical = option_value(non_empty_text(), name, text);
  } else {
    assert(name == "missing");
    options.missing = missing_cells(name, text);
  }
}

std::string csv_reading_help() {
  return R"(  --header=true|false   default: true if the first line contains no numbers, or has text in a column where
                        the second line has a number
  --delimiter=,|;|tab|'|'|' '
                        default: the most frequent of comma, semicolon and tab in the first line
  --decimal=.|,         decimal separator; default: a comma if fields are separated by semicolons and the first
                        number with a decimal separator has a comma; otherwise a point
)";
}

}  // namespace sheaf

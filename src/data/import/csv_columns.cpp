// SPDX-License-Identifier: MIT
#include "data/import/csv_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <unordered_set>
#include <utility>

#include "core/error.hpp"
#include "core/quoted.hpp"
#include "core/text.hpp"
#include "data/import/csv_first_line.hpp"
#include "data/import/csv_start.hpp"
#include "data/table_columns.hpp"

namespace sheaf {
namespace {

using Texts = std::vector<std::string>;
using Columns = std::vector<std::size_t>;

template <class T>
bool contains(const std::vector<T>& list, const T& value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

std::optional<std::int64_t> column_number(const std::string& text, std::size_t column_count) {
  std::int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  const auto count = static_cast<std::int64_t>(column_count);
  require(number >= -count && number < count,
          fmt::format("There is no column {} (there are {} columns, counted from 0 or backwards from -1). Check the "
                      "options that name columns.",
                      number, count));
  return number < 0 ? number + count : number;
}

std::size_t find_column(const std::string& text, const Texts& names, std::size_t column_count,
                        const std::string& file) {
  const auto named = std::find(names.begin(), names.end(), text);
  if (named != names.end()) {
    const auto column = static_cast<std::size_t>(named - names.begin());
    const auto other = std::find(named + 1, names.end(), text);
    require(other == names.end(), [&] {
      return fmt::format(
          "Columns {} and {} of '{}' have the same name, {}. Rename one, or name the column by its number.", column,
          other - names.begin(), file, quoted(text));
    });
    return column;
  }
  if (const auto number = column_number(text, column_count)) return static_cast<std::size_t>(*number);
  throw RunError(fmt::format("'{}' has no column {} ({}).{} Columns can also be given by number, from 0.", file,
                             quoted(text),
                             names.empty() ? "no header was found; if there is one, pass --header=true"
                                           : fmt::format("its header has {} names", names.size()),
                             did_you_mean(text, names)));
}

// How many of the first columns have names of row numbers: a table that was saved twice has two.
std::size_t count_row_names(const Texts& names) {
  std::size_t count = 0;
  while (count + 1 < names.size() && is_row_number_name(names[count])) ++count;
  return count;
}

// Those of `columns` that have this name.
Columns columns_with(const std::string& name, const Columns& columns, const Texts& names) {
  Columns found;
  std::copy_if(columns.begin(), columns.end(), std::back_inserter(found),
               [&](std::size_t column) { return names[column] == name; });
  return found;
}

// The targets among the `remaining` columns according to the data that the file is coded like.
Columns known_targets(const DataDescription& like, const Columns& remaining, const Texts& names) {
  if (names.empty() || !has_names(like.columns))
    return remaining.size() == table_columns(like.columns).names.size() + 1 ? Columns{remaining.back()} : Columns();
  Columns found;
  for (const auto& target : like.target_names) {
    const Columns same = columns_with(target, remaining, names);
    if (same.size() != 1) return {};
    found.push_back(same.front());
  }
  return found;
}

// Puts the columns that an option names in the order of the known targets. Columns with other names stay as they are,
// because the names of the targets may have changed.
Columns in_target_order(Columns targets, const DataDescription& like, const Texts& names, const std::string& file,
                        const std::string& like_name) {
  const Texts& wanted = like.target_names;
  if (names.empty() || wanted.size() < 2 || targets.size() != wanted.size()) return targets;
  Columns ordered;
  for (const auto& name : wanted)
    if (const Columns same = columns_with(name, targets, names); same.size() == 1) ordered.push_back(same.front());
  require(ordered.empty() || ordered.size() == wanted.size(), [&] {
    Texts found;
    for (const std::size_t column : targets) found.push_back(quoted(names[column]));
    Texts known;
    for (const auto& name : wanted) known.push_back(quoted(name));
    return fmt::format("The targets {} of '{}' are not those of {}, {}. Rename the columns.", listed(found), file,
                       like_name, listed(known));
  });
  return ordered.empty() ? targets : ordered;
}

// `remaining`: columns that the options do not use for something else.
Columns find_targets(const CsvOptions& options, const Columns& remaining, const Texts& names, std::size_t column_count,
                     const std::string& file) {
  if (options.label == "none") return {};
  if (options.label) {
    Columns named = find_columns(*options.label, names, column_count, file);
    return options.like == nullptr ? named
                                   : in_target_order(std::move(named), *options.like, names, file, options.like_name);
  }
  if (options.like != nullptr) return known_targets(*options.like, remaining, names);
  return remaining.empty() ? Columns() : Columns{remaining.back()};
}

void require_distinct_names(const Columns& features, const Texts& names, const std::string& file) {
  if (names.empty()) return;
  Columns sorted = features;
  std::stable_sort(sorted.begin(), sorted.end(), [&](std::size_t a, std::size_t b) { return names[a] < names[b]; });
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end(),
                                        [&](std::size_t a, std::size_t b) { return names[a] == names[b]; });
  if (twice == sorted.end()) return;
  throw RunError(
      fmt::format("Columns {} and {} of '{}' have the same name, {}. Rename one, or drop one with --drop={}.", *twice,
                  *(twice + 1), file, quoted(names[*twice]), *(twice + 1)));
}

// Puts the features in the order of the known columns.
Columns in_known_order(const CsvOptions& options, const Columns& features, const Texts& names,
                       const std::string& file) {
  const Texts wanted = table_columns(options.like->columns).names;
  if (wanted.empty()) return features;
  if (names.empty() || !has_names(options.like->columns)) {
    require(features.size() == wanted.size(),
            fmt::format("'{}' has {} feature columns, but {} has {} (without column names, the numbers must be "
                        "equal). Check --header, --label and --drop.",
                        file, features.size(), options.like_name, wanted.size()));
    return features;
  }
  Texts present;
  for (const std::size_t column : features) present.push_back(names[column]);
  Columns ordered;
  for (const std::int64_t position : match_names(present, wanted, fmt::format("'{}'", file), options.like_name,
                                                 "Leave out columns that are not features (--drop)."))
    ordered.push_back(features[static_cast<std::size_t>(position)]);
  return ordered;
}

}  // namespace

std::vector<std::string> split_list(const std::string& list) {
  Texts parts;
  for (std::size_t begin = 0; begin < list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    parts.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::vector<std::size_t> find_columns(const std::string& list, const std::vector<std::string>& names,
                                      std::size_t column_count, const std::string& file) {
  Columns columns;
  for (const auto& part : split_list(list)) {
    const std::size_t column = find_column(part, names, column_count, file);
    if (!contains(columns, column)) columns.push_back(column);
  }
  return columns;
}

namespace {

// The column that an option names, if any.
std::optional<std::size_t> find_one(const std::string& option, const std::string& list, const Texts& names,
                                    std::size_t column_count, const std::string& file) {
  const Columns columns = find_columns(list, names, column_count, file);
  require(columns.size() <= 1,
          [&] { return fmt::format("--{}={} names {} columns. Name one.", option, list, columns.size()); });
  return columns.empty() ? std::nullopt : std::optional(columns.front());
}

// Columns with these names.
Columns named(const Texts& wanted, const Texts& names) {
  const std::unordered_set<std::string> searched(wanted.begin(), wanted.end());  // there may be thousands
  Columns found;
  for (std::size_t column = 0; column < names.size(); ++column)
    if (searched.count(names[column]) > 0) found.push_back(column);
  return found;
}

// Held out by their targets, all rows of a class would be trained on or none.
void require_other_columns(const ColumnRoles& roles, const Columns& targets, const std::string& file) {
  for (const auto& [option, column] :
       {std::pair("groups", roles.groups), {"folds", roles.folds}, {"time", roles.time}, {"weights", roles.weights}})
    if (column && contains(targets, *column))
      throw RunError(fmt::format("--{} and --label name the same column of '{}' ({}). Name another column.", option,
                                 file, *column));
}

}  // namespace

ColumnRoles choose_roles(const CsvOptions& options, const std::vector<std::string>& names, std::size_t column_count,
                         const std::string& file, const std::vector<std::size_t>& left_out) {
  ColumnRoles roles;
  roles.dropped = find_columns(options.drop, names, column_count, file);
  if (options.like != nullptr)
    for (const std::size_t column : named(options.like->dropped_columns, names)) roles.dropped.push_back(column);
  roles.id = find_one("id", options.id, names, column_count, file);
  roles.groups = find_one("groups", options.groups, names, column_count, file);
  roles.folds = find_one("folds", options.folds, names, column_count, file);
  roles.time = find_one("time", options.time, names, column_count, file);
  roles.weights = find_one("weights", options.weights, names, column_count, file);
  roles.kept = find_columns(options.keep, names, column_count, file);
  roles.categorical = find_columns(options.categorical, names, column_count, file);
  // A feature of the model stays one if it also describes the rows.
  std::unordered_set<std::string> known;
  if (options.like != nullptr)
    for (auto& name : table_columns(options.like->columns).names) known.insert(std::move(name));
  const auto is_known = [&](std::size_t column) { return !names.empty() && known.count(names[column]) > 0; };
  const std::unordered_set<std::size_t> dropped(roles.dropped.begin(), roles.dropped.end());
  const auto has_other_role = [&](std::size_t column) {
    const bool describes_rows = roles.groups == column || roles.folds == column || roles.time == column ||
                                roles.weights == column || roles.id == column;
    return dropped.count(column) > 0 || (describes_rows && !is_known(column));
  };
  const auto is_left_out = [&](std::size_t column) {
    return contains(left_out, column) && !contains(roles.kept, column) && !contains(roles.categorical, column) &&
           !is_known(column);
  };
  const std::size_t row_names = count_row_names(names);
  Columns remaining;
  for (std::size_t column = row_names; column < column_count; ++column)
    if (!has_other_role(column)) remaining.push_back(column);
  const Columns targets = find_targets(options, remaining, names, column_count, file);
  require_other_columns(roles, targets, file);
  for (std::size_t column = 0; column < row_names; ++column)
    if (!contains(targets, column) && !has_other_role(column)) roles.row_names.push_back(column);
  for (const std::size_t column : remaining) {
    if (contains(targets, column)) continue;
    if (is_left_out(column))
      roles.left_out.push_back(column);
    else
      roles.features.push_back(column);
  }
  require(!roles.features.empty(), fmt::format("'{}' has no features (all of its {} columns are labels or left out). "
                                               "Check --delimiter, --label and --drop.",
                                               file, column_count));
  require_distinct_names(roles.features, names, file);
  if (options.like != nullptr) roles.features = in_known_order(options, roles.features, names, file);
  if (options.reads_targets) roles.targets = targets;
  return roles;
}

}  // namespace sheaf

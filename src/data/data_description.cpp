// SPDX-License-Identifier: MIT
#include "data/data_description.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "core/error.hpp"
#include "core/quoted.hpp"
#include "core/text.hpp"

namespace sheaf {
namespace {

using Texts = std::vector<std::string>;

// "column 'a'", "columns 'a', 'b' and 3 more"
std::string list_of_columns(Texts names) {
  for (auto& name : names) name = sheaf::quoted(name);
  return (names.size() == 1 ? "column " : "columns ") + listed(names);
}

// The names that are not wanted.
Texts others_of(const Texts& present, Texts wanted) {
  std::sort(wanted.begin(), wanted.end());
  Texts others;
  for (const auto& name : present)
    if (!std::binary_search(wanted.begin(), wanted.end(), name)) others.push_back(name);
  return others;
}

}  // namespace

bool operator==(const DataColumn& a, const DataColumn& b) {
  return a.name == b.name && a.categories == b.categories && a.has_empty_cells == b.has_empty_cells &&
         a.offset == b.offset && a.fill_rule == b.fill_rule && a.fill == b.fill && a.date == b.date;
}

bool operator==(const CellReading& a, const CellReading& b) {
  return a.decimal == b.decimal && a.na_values == b.na_values && a.keep_default_na == b.keep_default_na;
}

DataColumn number_column(std::string name) {
  DataColumn column;
  column.name = std::move(name);
  return column;
}

DataColumn text_column(std::string name, std::vector<std::string> categories, bool has_empty_cells) {
  DataColumn column = number_column(std::move(name));
  column.categories = std::move(categories);
  column.has_empty_cells = has_empty_cells;
  return column;
}

bool has_names(const std::vector<DataColumn>& columns) {
  return !columns.empty() &&
         std::none_of(columns.begin(), columns.end(), [](const DataColumn& column) { return column.name.empty(); });
}

std::vector<std::string> column_names(const std::vector<DataColumn>& columns) {
  Texts names;
  for (const DataColumn& column : columns) names.push_back(column.name);
  return names;
}

std::optional<std::string> repeated_name(const std::vector<DataColumn>& columns) {
  if (!has_names(columns)) return std::nullopt;
  Texts names = column_names(columns);
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  return twice == names.end() ? std::nullopt : std::optional(*twice);
}

std::vector<DataColumn> number_columns(const std::vector<std::string>& names) {
  std::vector<DataColumn> columns;
  for (const auto& name : names) columns.push_back(number_column(name));
  return columns;
}

bool are_plain(const std::vector<DataColumn>& columns) {
  return std::all_of(columns.begin(), columns.end(),
                     [](const DataColumn& column) { return column == number_column(column.name); });
}

DataDescription with_columns(DataDescription description, std::int64_t features) {
  if (description.columns.empty()) description.columns = number_columns(Texts(static_cast<std::size_t>(features)));
  return description;
}

void require_same_preprocessing(const DataDescription& file, const DataDescription& model, const std::string& file_text,
                                const std::string& model_text) {
  const auto shown = [](const std::string& steps) { return steps.empty() ? std::string("none") : steps; };
  require(file.preprocessing == model.preprocessing, [&] {
    return fmt::format(
        "{} and the training data of {} have different units (scaling by sheaf preprocess: {}; {}). "
        "Scale the file with sheaf preprocess --like=TRAIN.h5, or train on unscaled data with data.normalize.",
        file_text, model_text, shown(file.preprocessing), shown(model.preprocessing));
  });
}

std::vector<std::int64_t> match_names(const std::vector<std::string>& present, const std::vector<std::string>& wanted,
                                      const std::string& present_text, const std::string& wanted_text,
                                      const std::string& advice) {
  std::unordered_map<std::string, std::int64_t> positions;
  for (std::size_t index = 0; index < present.size(); ++index)
    positions.try_emplace(present[index], static_cast<std::int64_t>(index));
  Texts missing;
  std::vector<std::int64_t> order;
  for (const auto& name : wanted) {
    const auto found = positions.find(name);
    if (found == positions.end())
      missing.push_back(name);
    else
      order.push_back(found->second);
  }
  require(missing.empty(), [&] {
    const bool one = missing.size() == 1;
    return fmt::format("{} has no {} ({} of {}).{} Add {}.", present_text, list_of_columns(missing),
                       one ? "it is a feature" : "they are features", wanted_text,
                       did_you_mean(missing.front(), others_of(present, wanted)),
                       one ? "it, or correct its name" : "them, or correct their names");
  });
  const Texts unknown = others_of(present, wanted);
  require(unknown.empty(), [&] {
    return fmt::format("{} has {}, which {} does not have. {}", present_text, list_of_columns(unknown), wanted_text,
                       advice);
  });
  return order;
}

}  // namespace sheaf

// SPDX-License-Identifier: MIT
#include "data/stored_description.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.hpp"
#include "core/quoted.hpp"

namespace sheaf {
namespace {

using Texts = std::vector<std::string>;

std::string attribute_text(const std::string& name, const std::string& object, const std::string& path) {
  return fmt::format("attribute '{}' of '{}' in '{}'", name, object, path);
}

void require_distinct_names(Texts names, const std::string& attribute) {
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  require(twice == names.end(), [&] {
    return fmt::format("The {} has the name {} twice. Give each entry its own name, or remove the attribute.",
                       attribute, sheaf::quoted(*twice));
  });
}

std::vector<DataColumn> read_columns(const InputFile& file, const std::string& path, const std::string& features,
                                     std::int64_t features_per_row) {
  const auto names = file.texts(features, "feature_names");
  const std::string names_attribute = attribute_text("feature_names", features, path);
  if (names) {
    require(static_cast<std::int64_t>(names->size()) == features_per_row, [&] {
      return fmt::format("The {} has {} names for {} features. Store one name per feature, or remove the attribute.",
                         names_attribute, names->size(), features_per_row);
    });
    require_distinct_names(*names, names_attribute);
  }
  const auto stored = file.texts(features, "columns");
  if (!stored) return names ? number_columns(*names) : std::vector<DataColumn>();
  const std::string attribute = attribute_text("columns", features, path);
  const std::string advice = "Import the data again, or remove the attribute";
  std::vector<DataColumn> columns;
  try {
    require(stored->size() == 1, "it is not one text");
    columns = parse_columns(stored->front());
  } catch (const RunError& error) {
    throw RunError(fmt::format("The {} is not valid ({}). {}.", attribute, error.what(), advice));
  }
  require(feature_count(columns) == features_per_row, [&] {
    return fmt::format("The {} describes {} features, but there are {}. {}.", attribute, feature_count(columns),
                       features_per_row, advice);
  });
  require(!names || (has_names(columns) && feature_names(columns) == *names),
          [&] { return fmt::format("The {} does not agree with feature_names. {}.", attribute, advice); });
  return columns;
}

// An attribute that may have another meaning in files of other programs; then it is empty.
std::string shown_text(const InputFile& file, const std::string& object, const std::string& attribute) {
  try {
    const auto texts = file.texts(object, attribute);
    return texts && texts->size() == 1 ? texts->front() : "";
  } catch (const RunError&) {
    return "";
  }
}

}  // namespace

std::string scaling_attribute(const InputFile& file, const std::string& features) {
  const std::string text = shown_text(file, features, "scaling");
  const bool is_known = text.rfind("standard by ", 0) == 0 || text.rfind("minmax by ", 0) == 0;
  return is_known ? text : "";
}

DataDescription read_description(const InputFile& file, const std::string& path, const std::string& features,
                                 const std::string& targets, std::int64_t feature_count) {
  DataDescription description;
  description.columns = read_columns(file, path, features, feature_count);
  description.class_names = file.texts(targets, "class_names").value_or(Texts());
  require_distinct_names(description.class_names, attribute_text("class_names", targets, path));
  description.target_names = file.texts(targets, "target_names").value_or(Texts());
  description.preprocessing = scaling_attribute(file, features);
  description.source = shown_text(file, "/", "source");
  description.content_hash = shown_text(file, "/", "content_hash");
  return description;
}

void write_description(Hdf5Writer& file, const std::string& features, const std::string& targets,
                       const DataDescription& description) {
  const auto& columns = description.columns;
  if (has_names(columns)) file.write_texts(features, "feature_names", feature_names(columns));
  const auto is_plain = [](const DataColumn& column) { return !column.is_text() && !column.fill; };
  if (!std::all_of(columns.begin(), columns.end(), is_plain))
    file.write_texts(features, "columns", {columns_text(columns)});
  if (!targets.empty() && !description.class_names.empty())
    file.write_texts(targets, "class_names", description.class_names);
  if (!targets.empty() && !description.target_names.empty())
    file.write_texts(targets, "target_names", description.target_names);
  if (!description.source.empty()) file.write_attribute("source", description.source);
  if (!description.content_hash.empty()) file.write_attribute("content_hash", description.content_hash);
}

}  // namespace sheaf

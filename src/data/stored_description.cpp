// SPDX-License-Identifier: MIT
#include "data/stored_description.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.hpp"
#include "core/quoted.hpp"
#include "core/text.hpp"

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

// The attribute `offset` of targets that are numbers.
std::vector<double> read_target_offsets(const InputFile& file, const std::string& path, const std::string& targets) {
  constexpr double limit = 1e300;
  if (!file.has_attribute(targets, "offset")) return {};
  const DataSetInfo info = file.data_set(targets, Values::numbers_or_texts).info();
  if (info.number_class == NumberClass::text) return {};
  const auto offsets = file.reals(targets, "offset");
  const auto columns = static_cast<std::size_t>(info.row_elements());
  const bool are_valid = offsets && offsets->size() == columns &&
                         std::all_of(offsets->begin(), offsets->end(),
                                     [](double offset) { return std::abs(offset) <= limit; });  // false for NaN
  require(are_valid, [&] {
    return fmt::format(
        "The {} is not valid (it must be a list of {}, one per target, of at most 1e300). Correct it, or remove the "
        "attribute.",
        attribute_text("offset", targets, path), counted(info.row_elements(), "floating-point number"));
  });
  return *offsets;
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

DescribedColumns read_columns(const InputFile& file, const std::string& path, const std::string& features,
                              std::int64_t stored_count) {
  const auto names = file.texts(features, "feature_names");
  const std::string names_attribute = attribute_text("feature_names", features, path);
  if (names) {
    require(static_cast<std::int64_t>(names->size()) == stored_count, [&] {
      return fmt::format("The {} has {} names for {} features. Store one name per feature, or remove the attribute.",
                         names_attribute, names->size(), stored_count);
    });
    require_distinct_names(*names, names_attribute);
  }
  const auto stored = file.texts(features, "columns");
  DescribedColumns described;
  if (!stored) {
    if (names) described.columns = number_columns(*names);
    return described;
  }
  const std::string attribute = attribute_text("columns", features, path);
  const std::string advice = "Import the data again, or remove the attribute";
  try {
    require(stored->size() == 1, "it is not one text");
    described = parse_columns(stored->front());
  } catch (const RunError& error) {
    throw RunError(fmt::format("The {} is not valid ({}). {}.", attribute, error.what(), advice));
  }
  const auto& columns = described.columns;
  require(static_cast<std::int64_t>(columns.size()) == stored_count, [&] {
    return fmt::format("The {} describes {} {}, but there are {}. {}.", attribute, columns.size(),
                       described.form == FeatureForm::columns ? "columns" : "features", stored_count, advice);
  });
  require(!names || (has_names(columns) && column_names(columns) == *names),
          [&] { return fmt::format("The {} does not agree with feature_names. {}.", attribute, advice); });
  return described;
}

std::string scaling_attribute(const InputFile& file, const std::string& features) {
  const std::string text = shown_text(file, features, "scaling");
  const bool is_known = text.rfind("standard by ", 0) == 0 || text.rfind("minmax by ", 0) == 0;
  return is_known ? text : "";
}

StoredDescription read_description(const InputFile& file, const std::string& path, const std::string& features,
                                   const std::string& targets, std::int64_t stored_count) {
  DescribedColumns described = read_columns(file, path, features, stored_count);
  StoredDescription stored;
  stored.form = described.form;
  DataDescription& description = stored.data;
  description.columns = std::move(described.columns);
  description.dropped_columns = std::move(described.dropped);
  description.reading = std::move(described.reading);
  description.class_names = file.texts(targets, "class_names").value_or(Texts());
  require_distinct_names(description.class_names, attribute_text("class_names", targets, path));
  description.target_names = file.texts(targets, "target_names").value_or(Texts());
  description.target_offsets = read_target_offsets(file, path, targets);
  description.is_multilabel = shown_text(file, targets, "task") == "multilabel";
  description.preprocessing = scaling_attribute(file, features);
  description.source = shown_text(file, "/", "source");
  description.content_hash = shown_text(file, "/", "content_hash");
  return stored;
}

void write_description(Hdf5Writer& file, const std::string& features, const std::string& targets,
                       const DataDescription& description) {
  const auto& columns = description.columns;
  if (has_names(columns)) file.write_texts(features, "feature_names", column_names(columns));
  const bool names_are_all =
      are_plain(columns) && description.dropped_columns.empty() && description.reading == CellReading();
  if (!columns.empty() && !names_are_all)
    file.write_text(features, "columns", columns_text(columns, description.dropped_columns, description.reading));
  if (!targets.empty() && !description.class_names.empty())
    file.write_texts(targets, "class_names", description.class_names);
  if (!targets.empty() && !description.target_names.empty())
    file.write_texts(targets, "target_names", description.target_names);
  if (!targets.empty() && description.is_multilabel) file.write_text(targets, "task", "multilabel");
  if (!targets.empty() && !description.target_offsets.empty())
    file.write_reals(targets, "offset", description.target_offsets);
  if (!description.source.empty()) file.write_attribute("source", description.source);
  if (!description.content_hash.empty()) file.write_attribute("content_hash", description.content_hash);
}

}  // namespace sheaf

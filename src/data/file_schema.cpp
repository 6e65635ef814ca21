// SPDX-License-Identifier: MIT
#include "data/file_schema.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <tuple>
#include <utility>

#include "core/error.hpp"
#include "core/escaped.hpp"
#include "core/fingerprint.hpp"
#include "data/stored_description.hpp"
#include "files/hdf5/unwritten_rows.hpp"

namespace sheaf {
namespace {

std::string named_shape(const std::string& name, const DataSetInfo& info) {
  return fmt::format("'{}' {}", name, shape_text(info.shape));
}

void check_features(const DataOptions& options, const DataSetInfo& features) {
  require(features.rows() > 0, fmt::format("Data set {} of '{}' has no rows. Store at least one row.",
                                           named_shape(options.features, features), options.file));
  require(features.row_elements() > 0, fmt::format("Data set {} of '{}' has no features. Store at least one per row.",
                                                   named_shape(options.features, features), options.file));
}

void check_targets(const DataOptions& options, const DataSetInfo& features, const DataSetInfo& targets) {
  const std::string shape = named_shape(options.targets, targets);
  require(features.rows() == targets.rows(),
          fmt::format("Data sets '{}' and '{}' of '{}' have {} and {} rows (they must have the same number). Store one "
                      "target per row.",
                      options.features, options.targets, options.file, features.rows(), targets.rows()));
  if (options.task == automatic) {
    require(targets.shape.size() <= 2 && targets.row_elements() >= 1,
            fmt::format("Data set {} of '{}' is not a list of targets (its shape must be [rows] or [rows, outputs]). "
                        "Store at least one number per row.",
                        shape, options.file));
  } else if (options.task == Task::classification) {
    require(targets.shape.size() <= 2 && targets.row_elements() >= 1,
            fmt::format("Data set {} of '{}' is not a list of class labels (data.task = classification needs [rows], "
                        "[rows, 1] or one-hot rows). Store one label per row, or set data.task = regression.",
                        shape, options.file));
  } else if (options.task == Task::multilabel) {
    require(targets.shape.size() == 2 && targets.row_elements() > 1, [&] {
      return fmt::format(
          "Data set {} of '{}' does not have several labels per row (data.task = multilabel needs [rows, labels] of 0 "
          "and 1, with at least two labels). Store one column per label, or set data.task = classification.",
          shape, options.file);
    });
  } else {
    require(targets.shape.size() <= 2 && targets.row_elements() >= 1,
            fmt::format("Data set {} of '{}' is not a list of targets (data.task = regression needs [rows] or [rows, "
                        "outputs]). Store at least one number per row.",
                        shape, options.file));
  }
}

// MATLAB stores the transposed arrays.
void refuse_transposed(const InputFile& file, const DataOptions& options, const DataSetInfo& features,
                       const DataSetInfo& targets) {
  const bool are_turned = features.rows() != targets.rows() && features.shape.back() == targets.shape.back();
  require(!are_turned || !file.has_attribute(options.features, "MATLAB_class"), [&] {
    return fmt::format(
        "Data sets {} and {} of '{}' have different numbers of rows (MATLAB has stored them transposed). In MATLAB, "
        "save "
        "the transposed arrays: features = features'; targets = targets'; save(..., '-v7.3').",
        named_shape(options.features, features), named_shape(options.targets, targets), options.file);
  });
}

// Texts are class labels.
void check_texts(const DataOptions& options, const DataSetInfo& targets) {
  const std::string shape = named_shape(options.targets, targets);
  require(options.task != Task::regression && options.task != Task::multilabel,
          fmt::format("Data set {} of '{}' contains text (data.task = {} needs numbers). Store numbers, or set "
                      "data.task = classification.",
                      shape, options.file, options.task == Task::regression ? "regression" : "multilabel"));
  require(
      targets.row_elements() == 1,
      fmt::format("Data set {} of '{}' is not a list of class labels (it contains several texts per row). Store one "
                  "label per row.",
                  shape, options.file));
}

std::string features_name(const DataOptions& options) {
  return fmt::format("data set '{}' of '{}'", options.features, options.file);
}

std::int64_t values_in(const ImageShape& image) {
  return image.channels * image.height * image.width;
}

// data.image takes precedence over the shape of the features.
RowLayout layout_of(const DataOptions& options, const DataSetInfo& features, const ImageShape& expected) {
  const ImageShape& image = options.image;
  require(image.channels == 0 || values_in(image) == features.row_elements(),
          fmt::format("data.image = {}x{}x{} does not match data set {} of '{}' ({} values per row, not {}). Set "
                      "data.image to channels x height x width of its images.",
                      image.channels, image.height, image.width, named_shape(options.features, features), options.file,
                      features.row_elements(), values_in(image)));
  RowFacts facts{features.shape, options.channels, features.channels, image, {}};
  if (values_in(expected) == features.row_elements()) facts.expected = expected;
  const RowLayout layout = row_layout(facts, "data.channels", features_name(options));
  require(options.channels != ChannelOrder::last || layout.image.channels > 0,
          fmt::format("data.channels = last needs images (data set {} of '{}' has no image shape). Set data.image to "
                      "channels x height x width of its images.",
                      named_shape(options.features, features), options.file));
  return layout;
}

std::int64_t classes_of(const DataOptions& options, const DataDescription& description) {
  const auto names = static_cast<std::int64_t>(description.class_names.size());
  require(options.classes == 0 || names == 0 || options.classes == names,
          fmt::format("data.classes = {} does not agree with '{}' (the attribute 'class_names' of '{}' has {} names). "
                      "Leave out data.classes, or correct the attribute.",
                      options.classes, options.file, options.targets, names));
  return options.classes != 0 ? options.classes : names;
}

// The files other than options.file that contain values, without duplicates.
std::vector<std::string> other_files(const DataOptions& options, const FileSchema& schema) {
  std::vector<std::string> others;
  const auto add = [&](const DataSetInfo& info) {
    for (const auto& file : info.files) {
      std::error_code ignored;
      if (file == options.file || std::filesystem::equivalent(file, options.file, ignored)) continue;
      others.push_back(file);
    }
  };
  add(schema.features);
  add(schema.targets);
  if (schema.weights) add(*schema.weights);
  if (schema.marks.is_data_set()) add(schema.marks.info);
  std::sort(others.begin(), others.end());
  others.erase(std::unique(others.begin(), others.end()), others.end());
  return others;
}

std::string shapes_of(const DataOptions& options, const FileSchema& schema) {
  const bool marked = schema.marks.is_data_set();
  return escaped(fmt::format("{}, {}{}{}", named_shape(options.features, schema.features),
                             named_shape(options.targets, schema.targets),
                             schema.weights ? ", " + named_shape(options.weights, *schema.weights) : "",
                             marked ? ", " + named_shape(schema.marks.name, schema.marks.info) : ""));
}

std::string files_of(const DataOptions& options, const FileSchema& schema) {
  const auto others = other_files(options, schema);
  return file_identity(options.file) + (others.empty() ? "" : ", from " + file_identities(others));
}

}  // namespace

std::string file_identity(const std::string& path) {
  struct stat status {};
  require(::stat(path.c_str(), &status) == 0,
          [&] { return fmt::format("File '{}' cannot be read ({}).", path, std::strerror(errno)); });
  return fmt::format("{}, {} bytes of {}.{:09}", escaped(std::filesystem::path(path).filename().string()),
                     status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
}

std::string file_identities(const std::vector<std::string>& paths) {
  constexpr std::size_t max_by_name = 8;
  std::vector<std::string> identities;
  for (const auto& path : paths) identities.push_back(file_identity(path));
  std::string text = fmt::format("{}", fmt::join(identities, ", "));
  if (paths.size() <= max_by_name) return text;
  Fingerprint fingerprint;
  fingerprint.add(text);
  return fmt::format("{} files with fingerprint {}", paths.size(), fingerprint.text());
}

FileSchema inspect_features(const InputFile& file, const DataOptions& options, const ImageShape& expected) {
  FileSchema schema;
  schema.path = options.file;
  schema.features = file.data_set(options.features).info();
  check_features(options, schema.features);
  schema.rows = schema.features.rows();
  StoredDescription stored =
      read_description(file, options.file, options.features, options.targets, schema.features.row_elements());
  schema.description = std::move(stored.data);
  schema.form = stored.form;
  schema.encoding = ColumnEncoding::of(schema.description.columns);
  schema.feature_count = schema.features.row_elements();
  schema.layout = layout_of(options, schema.features, expected);
  require(schema.layout.image.channels == 0 || schema.encoding.is_identity(), [&] {
    return fmt::format(
        "The {} has columns of texts (attribute 'columns'), so its rows are not images. Leave out "
        "data.image and data.channels.",
        features_name(options));
  });
  schema.classes = classes_of(options, schema.description);
  return schema;
}

namespace {

// Without the files of held-out rows.
FileSchema inspect_one(const DataOptions& options) {
  const InputFile file(options.file);
  FileSchema schema = inspect_features(file, options);
  schema.targets = file.data_set(options.targets, Values::numbers_or_texts).info();
  refuse_transposed(file, options, schema.features, schema.targets);
  check_targets(options, schema.features, schema.targets);
  if (schema.targets.number_class == NumberClass::text) {
    check_texts(options, schema.targets);
    schema.coding = TargetCoding::texts;
  }
  if (!options.weights.empty()) {
    schema.weights = file.data_set(options.weights).info();
    check_weights(options, schema.features, *schema.weights);
  }
  schema.marks = find_marks(file, options, schema.rows);
  schema.target_columns = schema.targets.row_elements();
  schema.shapes = shapes_of(options, schema);
  schema.files = files_of(options, schema);
  return schema;
}

// A file whose name is needed to identify the data.
FileSchema inspect_held_out(const std::string& path, RowUse use, const DataOptions& options) {
  FileSchema named;
  named.path = path;
  named.use = use;
  DataOptions own = options_of(named, options);
  if (!options.weights.empty() && InputFile(path).has(options.weights)) own.weights = options.weights;
  FileSchema schema = inspect_one(own);
  schema.use = use;
  return schema;
}

}  // namespace

void check_weights(const DataOptions& options, const DataSetInfo& features, const DataSetInfo& weights) {
  require(features.rows() == weights.rows(),
          fmt::format("Data sets '{}' and '{}' of '{}' have {} and {} rows (they must have the same number). Store one "
                      "weight per row.",
                      options.features, options.weights, options.file, features.rows(), weights.rows()));
  require(weights.shape.size() <= 2 && weights.row_elements() == 1,
          fmt::format("Data set {} of '{}' is not a list of sample weights (its shape must be [rows] or [rows, 1]). "
                      "Store one weight per row.",
                      named_shape(options.weights, weights), options.file));
}

std::string bad_weight_text(const std::string& weights, double value, std::int64_t row) {
  return fmt::format("The {} contains {} in row {} (sample weights must be finite and not negative). Correct it.",
                     weights, value, row);
}

RowCounts FileSchema::counts() const {
  RowCounts counts{rows};
  for (const FileSchema& file : held_out)
    (file.use == RowUse::validation ? counts.validation_file : counts.test_file) = file.rows;
  return counts;
}

DataOptions options_of(const FileSchema& file, DataOptions options) {
  options.file = file.path;
  if (file.use == RowUse::divided) return options;
  if (!file.weights) options.weights.clear();
  options.groups = options.folds = options.time = "";
  return options;
}

FileSchema inspect_file(const DataOptions& options) {
  FileSchema schema = inspect_one(options);
  for (const auto& [path, use, name] : {std::tuple(options.validation_file, RowUse::validation, "validation"),
                                        {options.test_file, RowUse::test, "test"}}) {
    if (path.empty()) continue;
    const FileSchema& other = schema.held_out.emplace_back(inspect_held_out(path, use, options));
    schema.shapes += fmt::format("; {}: {}", name, other.shapes);
    schema.files += fmt::format("; {}: {}", name, other.files);
  }
  return schema;
}

std::vector<std::string> unwritten_warnings(const DataOptions& options) {
  const InputFile file(options.file);
  std::vector<std::string> warnings;
  for (const auto& name : {options.features, options.targets, options.weights, options.groups.value_or(""),
                           options.folds.value_or(""), options.time.value_or("")})
    if (!name.empty() && file.has(name))
      if (auto warning = unwritten_warning(file.data_set(name, Values::numbers_or_texts)))
        warnings.push_back(std::move(*warning));
  return warnings;
}

void require_certain_layout(const FileSchema& schema, const DataOptions& options) {
  require(schema.layout.certain, [&] {
    return uncertain_layout_problem(schema.features.shape, features_name(options)) +
           " Set data.channels to first or last, or store this text as the attribute 'channels' of the data set.";
  });
}

}  // namespace sheaf

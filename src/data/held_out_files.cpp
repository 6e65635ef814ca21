// SPDX-License-Identifier: MIT
#include "data/held_out_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "core/error.hpp"
#include "core/quoted.hpp"

namespace sheaf {
namespace {

using Names = std::vector<std::string>;

// Lists without names agree with all others.
std::string different_name(const char* what, const char* plural, const Names& other, const Names& file) {
  if (other.empty() || file.empty()) return "";
  if (other.size() != file.size()) return fmt::format("it has {} {}, not {}", other.size(), plural, file.size());
  const auto [found, wanted] = std::mismatch(other.begin(), other.end(), file.begin());
  if (found == other.end()) return "";
  return fmt::format("its {} {} is {}, not {}", what, found - other.begin(), quoted(*found), quoted(*wanted));
}

Names names_of(const std::vector<DataColumn>& columns) {
  return has_names(columns) ? column_names(columns) : Names();
}

bool has_texts(const std::vector<DataColumn>& columns) {
  return std::any_of(columns.begin(), columns.end(), [](const DataColumn& column) { return column.is_text(); });
}

// Texts are features of the same meaning only with the same categories, in the same order.
std::string different_category(const std::vector<DataColumn>& other, const std::vector<DataColumn>& file) {
  if (!has_texts(other) && !has_texts(file)) return "";
  if (other.size() != file.size()) return "only one of them describes columns of texts";
  for (std::size_t column = 0; column < file.size(); ++column) {
    const DataColumn &found = other[column], &wanted = file[column];
    const std::string name =
        wanted.name.empty() ? fmt::format("column {}", column) : fmt::format("column {}", quoted(wanted.name));
    if (found.is_text() != wanted.is_text())
      return fmt::format("its {} has {}", name, found.is_text() ? "texts, not numbers" : "numbers, not texts");
    if (found.is_text() && (found.categories != wanted.categories || found.has_empty_cells != wanted.has_empty_cells))
      return fmt::format("its {} has other categories", name);
  }
  return "";
}

std::string image_text(const RowLayout& layout) {
  const ImageShape& image = layout.image;
  if (image.channels == 0) return "no images";
  return fmt::format("images of {} x {} x {}, channels {}", image.channels, image.height, image.width,
                     layout.channels == ChannelOrder::last ? "last" : "first");
}

const char* coding_text(TargetCoding coding) {
  switch (coding) {
    case TargetCoding::texts:
      return "texts";
    case TargetCoding::one_hot:
      return "one-hot";
    case TargetCoding::multilabel:
      return "several labels per row";
    case TargetCoding::numbers:
      break;
  }
  return "numbers";
}

std::string different_features(const FileSchema& other, const FileSchema& file) {
  const DataDescription &found = other.description, &wanted = file.description;
  if (auto text = different_name("column", "columns", names_of(found.columns), names_of(wanted.columns)); !text.empty())
    return text;
  if (auto text = different_category(found.columns, wanted.columns); !text.empty()) return text;
  if (other.feature_count != file.feature_count)
    return fmt::format("it has {} features per row, not {}", other.feature_count, file.feature_count);
  if (image_text(other.layout) != image_text(file.layout))
    return fmt::format("it has {}, not {}", image_text(other.layout), image_text(file.layout));
  if (other.has_byte_features() != file.has_byte_features())
    return fmt::format("its features {} unsigned bytes", file.has_byte_features() ? "are not" : "are");
  if (found.preprocessing != wanted.preprocessing) return "sheaf preprocess has scaled their features differently";
  return "";
}

std::string different_targets(const FileSchema& other, const FileSchema& file) {
  const DataDescription &found = other.description, &wanted = file.description;
  if (other.coding != file.coding)
    return fmt::format("its targets are {}, not {}", coding_text(other.coding), coding_text(file.coding));
  if (other.target_columns != file.target_columns)
    return fmt::format("it has {} target columns, not {}", other.target_columns, file.target_columns);
  const bool has_several = found.target_names.size() > 1 || wanted.target_names.size() > 1;
  if (auto text = different_name("target", "targets", found.target_names, wanted.target_names);
      has_several && !text.empty())
    return text;
  return different_name("class", "classes", found.class_names, wanted.class_names);
}

// The offsets that are subtracted from stored targets, so that those of `file` are subtracted in all.
std::vector<double> missing_offsets(std::vector<double> wanted, const std::vector<double>& stored) {
  for (std::size_t target = 0; target < stored.size(); ++target) {
    if (wanted.size() < stored.size()) wanted.resize(stored.size());
    wanted[target] -= stored[target];
  }
  const bool any = std::any_of(wanted.begin(), wanted.end(), [](double offset) { return offset != 0; });
  return any ? wanted : std::vector<double>();
}

}  // namespace

std::string difference(const FileSchema& other, const FileSchema& file) {
  const std::string features = different_features(other, file);
  return features.empty() ? different_targets(other, file) : features;
}

void require_same_columns(const FileSchema& file) {
  for (const FileSchema& other : file.held_out) {
    const std::string found = difference(other, file);
    const bool scaled_alike = other.description.preprocessing == file.description.preprocessing;
    require(found.empty(), [&] {
      return fmt::format("'{0}' does not have the columns of '{1}' ({2}). `sheaf {3} --like={1}` creates such files.",
                         other.path, file.path, found, scaled_alike ? "import" : "preprocess");
    });
  }
}

void use_offsets_of(const FileSchema& file, FileSchema& other) {
  const std::vector<double> wanted = feature_offsets(file.description.columns);
  if (wanted != feature_offsets(other.description.columns)) {
    const auto columns = [&](const FileSchema& of) { return with_columns(of.description, file.feature_count).columns; };
    std::vector<std::int64_t> positions(columns(file).size());
    std::iota(positions.begin(), positions.end(), 0);
    other.encoding = ColumnEncoding::between(columns(other), columns(file), positions);
  }
  other.subtracted_targets = missing_offsets(file.description.target_offsets, other.description.target_offsets);
}

}  // namespace sheaf

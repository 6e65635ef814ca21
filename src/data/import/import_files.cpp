// SPDX-License-Identifier: MIT
#include "data/import/import_files.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "core/error.hpp"
#include "data/import/csv.hpp"
#include "data/import/image_files.hpp"
#include "data/import/numpy_files.hpp"
#include "files/zip.hpp"

namespace sheaf {
namespace {

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

ImportedData import_sources(const std::vector<std::unique_ptr<ByteSource>>& sources, const ImportOptions& options) {
  const CsvOptions& csv = options.csv;
  const TargetOptions coding{csv.task, csv.known_classes(), csv.task_option};
  switch (options.format) {
    case ImportFormat::csv:
      return import_csv(sources, csv);
    case ImportFormat::npy:
      return import_npy(*sources[0], sources.size() > 1 ? sources[1].get() : nullptr, coding);
    case ImportFormat::npz:
      return import_npz(read_archive(*sources[0]), sources[0]->name(),
                        {options.features, options.targets, csv.reads_targets, coding, options.are_new_data});
    case ImportFormat::idx:
      return import_idx(sources, coding.known_classes);
    case ImportFormat::cifar10:
      break;
  }
  return import_cifar10(sources, coding.known_classes);
}

}  // namespace

std::optional<ImportFormat> format_of(const std::string& path) {
  std::filesystem::path name = std::filesystem::path(path).filename();
  if (name.extension() == ".gz") name = name.stem();
  const std::string text = name.string();
  for (const char* end : {".csv", ".tsv"})
    if (ends_with(text, end)) return ImportFormat::csv;
  if (ends_with(text, ".npy")) return ImportFormat::npy;
  if (ends_with(text, ".npz")) return ImportFormat::npz;
  if (ends_with(text, "ubyte") || ends_with(text, ".idx")) return ImportFormat::idx;
  if (ends_with(text, ".bin")) return ImportFormat::cifar10;
  return std::nullopt;
}

ImportedData import_files(const std::vector<std::string>& files, const ImportOptions& options) {
  std::vector<std::unique_ptr<ByteSource>> sources;
  for (const auto& file : files) sources.push_back(open_source(file));
  ImportedData data = import_sources(sources, options);
  if (options.csv.like == nullptr || options.csv.like->columns.empty() || !data.description.columns.empty())
    return data;
  const auto features = static_cast<std::int64_t>(options.csv.like->columns.size());
  require(data.features.row_elements() == features,
          fmt::format("'{}' has {} features per row, but {} has {}. Use files with the same features.", files.front(),
                      data.features.row_elements(), options.csv.like_name, features));
  return data;
}

}  // namespace sheaf

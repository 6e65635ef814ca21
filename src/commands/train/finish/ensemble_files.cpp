// SPDX-License-Identifier: MIT
#include "commands/train/finish/ensemble_files.hpp"

#include <filesystem>
#include <optional>
#include <vector>

#include "files/directories.hpp"
#include "files/replace_file.hpp"
#include "models/torchscript_archive.hpp"
#include "models/torchscript_ensemble.hpp"
#include "runs/directory/run_directory.hpp"

namespace sheaf {
namespace {

constexpr std::uintmax_t max_module_bytes = std::uintmax_t{1} << 30;  // which are in memory while it is written

// The models of the members and their weights; nothing if they are too large, or a model has no layout.
std::optional<std::vector<WeightedModel>> models_of(const std::string& run_directory, const TrialEnsemble& ensemble) {
  const WeightedFiles all = weighted_files(ensemble);
  std::vector<WeightedModel> models;
  std::uintmax_t bytes = 0;
  for (std::size_t number = 0; number < all.files.size(); ++number) {
    const std::string path = models_directory(run_directory) + "/" + all.files[number];
    std::error_code ignored;
    bytes += std::filesystem::file_size(path, ignored);
    if (bytes > max_module_bytes) return std::nullopt;
    auto model = read_torchscript_archive(path);
    if (!model) return std::nullopt;
    models.push_back({std::move(*model), all.weights[number]});
  }
  return models;
}

}  // namespace

void write_ensemble_files(const std::string& run_directory, TrialEnsemble& ensemble) {
  const auto models = models_of(run_directory, ensemble);
  ensemble.has_module = models.has_value();
  if (models)
    write_whole_file(ensemble_module_path(run_directory),
                     [&](const ByteSink& sink) { write_torchscript_ensemble(*models, sink); });
  else
    remove_file(ensemble_module_path(run_directory));
  write_whole_file(ensemble_path(run_directory), ensemble_json(ensemble));
}

void remove_ensemble_files(const std::string& run_directory) {
  for (const auto& path : {ensemble_path(run_directory), ensemble_module_path(run_directory)}) remove_file(path);
}

}  // namespace sheaf

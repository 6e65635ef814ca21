// SPDX-License-Identifier: MIT
#include "commands/report/stored_results.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "commands/report/optional_file.hpp"
#include "commands/report/stored_summary.hpp"
#include "core/log.hpp"
#include "files/hdf5/file.hpp"
#include "files/regular_file.hpp"
#include "models/saved_model_record.hpp"
#include "runs/directory/run_directory.hpp"
#include "runs/results/feature_importance.hpp"
#include "runs/run_reader.hpp"
#include "study/metrics.hpp"

namespace sheaf {
namespace {

std::string summary_path(const RunState& run) {
  return run.directory + "/summary.json";
}

// The text of summary.json; nothing if it is missing or cannot be read.
std::optional<std::string> summary_text(const RunState& run) {
  std::optional<std::string> text;
  if (!run.has_results || !std::filesystem::exists(summary_path(run))) return text;
  read_if_possible([&] { text = RegularFile(summary_path(run)).read_all(); });
  return text;
}

// The kinds of models that the run has, in the order in which it prefers them.
std::vector<ModelsKind> models_of(const RunState& run) {
  std::vector<ModelsKind> kinds;
  const RunReader reader(run.directory);
  for (const ModelsKindRow& row : models_kinds)
    read_if_possible([&] {
      if (reader.models(row.kind)) kinds.push_back(row.kind);
    });
  return kinds;
}

std::vector<StoredRank> ranks_of(const InputFile& file) {
  const TableReader table = file.table("/ranks");
  const IndexRange all{0, table.rows()};
  const auto hosts = table.read_texts("host", all), devices = table.read_texts("device", all);
  const auto cores = table.read<std::int64_t>("cores", all), lanes = table.read<std::int64_t>("lanes", all);
  std::vector<StoredRank> ranks;
  for (std::size_t rank = 0; rank < hosts.size(); ++rank)
    ranks.push_back({hosts[rank], devices[rank], cores[rank], lanes[rank]});
  return ranks;
}

std::vector<EnsembleResult> ensembles_of(const InputFile& file, const Study& study) {
  const TableReader table = file.table("/ensembles");
  const IndexRange all{0, table.rows()};
  const auto whole = [&](const char* name) { return table.read<std::int64_t>(name, all); };
  const auto stages = whole("stage"), trials = whole("trial"), repeats = whole("repeat"), folds = whole("fold");
  const auto scores = table.read<double>("score", all), means = table.read<double>("mean_member_score", all);
  std::vector<std::vector<double>> metrics;
  for (const MetricChoice& metric : study.run.metrics) metrics.push_back(table.read<double>(metric.name(), all));
  std::vector<EnsembleResult> ensembles;
  for (std::size_t at = 0; at < scores.size(); ++at) {
    ensembles.push_back({stages[at], trials[at], repeats[at], folds[at], scores[at], means[at], {}});
    for (const auto& column : metrics) ensembles.back().metrics.push_back(column[at]);
  }
  return ensembles;
}

std::vector<std::string> output_names(const ModelDescription& model) {
  if (model.task != Task::regression) return names_of_classes(model.data, model.task);
  std::vector<std::string> names = model.data.target_names;
  if (!model.quantiles.empty()) {
    names.clear();
    for (const double quantile : model.quantiles) names.push_back(fmt::format("quantile {}", quantile));
  }
  return names;
}

}  // namespace

StoredResults read_stored_results(const RunState& run) {
  StoredResults stored;
  const StoredSummary summary = stored_summary(summary_text(run), run.study->data.file, run.program);
  if (summary.is_damaged) warn_root(fmt::format("'{}' is not a JSON object. It is left out.", summary_path(run)));
  stored.origin = summary.origin;
  stored.tests = summary.tests;
  stored.out_of_bag = summary.out_of_bag;
  stored.idle_share = summary.idle_share;
  stored.refit_rows = summary.refit_rows;
  read_if_possible([&] { stored.importances = read_importances(importance_path(run.directory)); });
  if (!run.has_results) return stored;
  stored.models = models_of(run);
  read_if_possible([&] {
    const InputFile file(results_path(run));
    if (file.has_data_set("/ranks")) stored.ranks = ranks_of(file);
    if (file.has_data_set("/ensembles")) stored.ensembles = ensembles_of(file, run.study);
  });
  if (summary.best_models.empty()) return stored;
  read_if_possible([&] {
    const std::string path = run.directory + "/" + summary.best_models.front();
    if (!std::filesystem::exists(path)) return;
    if (const auto model = read_saved_model_record(path)) stored.output_names = output_names(model->description);
  });
  return stored;
}

}  // namespace sheaf

// SPDX-License-Identifier: MIT
#include "commands/importance/importance_job.hpp"

#include <fmt/format.h>

#include <atomic>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "commands/evaluate/prepared_evaluation.hpp"
#include "commands/evaluate/scoring_choice.hpp"
#include "commands/importance/permuted_scores.hpp"
#include "commands/importance/reported_features.hpp"
#include "commands/importance/rows_in_memory.hpp"
#include "core/clock.hpp"
#include "core/error.hpp"
#include "core/parallel.hpp"
#include "core/version.hpp"
#include "files/replace_file.hpp"
#include "parallel/mpi/agreement.hpp"
#include "runs/directory/run_directory.hpp"
#include "runs/run_reader.hpp"
#include "study/key_defaults.hpp"
#include "study/losses.hpp"
#include "study/metrics.hpp"
#include "training/metrics/ranked.hpp"

namespace sheaf {
namespace {

// What is permuted, and by which metric.
struct Job {
  std::vector<ReportedFeature> features;
  std::optional<MetricChoice> metric;      // none: the loss
  std::optional<MetricFunction> function;  // the metric with the value of its parameter

  bool larger_is_better() const { return metric && metric->metric().larger_is_better(); }
};

bool is_run(const std::string& model) {
  std::error_code ignored;
  return std::filesystem::is_directory(model, ignored);
}

MetricChoice default_metric_of(const EvaluationRequest& request, const EvaluatedModel& evaluated) {
  constexpr bool forced = true;  // runs of other versions are accepted
  if (is_run(request.model)) return score_metric(RunReader(request.model).study(forced));
  return default_metric(evaluated.scoring.task, evaluated.scoring.loss.kind).kind;
}

// Throws UsageError and RunError. Local.
Job job_of(const ImportanceRequest& request, const EvaluatedModel& evaluated) {
  const std::string &model = request.evaluation.model, &data = request.evaluation.data.file;
  if (request.save && !is_run(model))
    throw UsageError(fmt::format("--save requires a run directory ('{}' is a file). Leave it out.", model));
  require(evaluated.rows->targets() != nullptr, [&] {
    return fmt::format("'{}' has no targets, which the importance of features needs. {}.", data, targets_advice(data));
  });
  Job job{reported_features(evaluated.rows->row_shape(), evaluated.columns(), data), std::nullopt, std::nullopt};
  job.metric = request.metric ? *request.metric : default_metric_of(request.evaluation, evaluated);
  if (job.metric) job.function = checked_metric("--metric", *job.metric, request.evaluation, evaluated);
  return job;
}

// For a permutation and, if the metric needs all rows, their outputs.
double lane_bytes_per_row(const Job& job, const EvaluatedModel& evaluated) {
  constexpr double of_permutation = sizeof(std::int64_t);
  const bool keeps_rows = job.metric && job.metric->metric().family == MetricFamily::ranked;
  return of_permutation + (keeps_rows ? RankedRows::bytes(1, evaluated.scoring, evaluated.has_weights(), 1) : 0);
}

std::string metric_label(const Job& job, const EvaluatedModel& evaluated) {
  return job.metric ? job.metric->label() : fmt::format("loss ({})", loss_of(evaluated.scoring.loss.kind).name);
}

// Throws RunError for a score of unchanged rows that is NaN.
void require_defined(double baseline, const Job& job, const EvaluatedModel& evaluated, const std::string& data) {
  require(!std::isnan(baseline), [&] {
    const std::string reason = job.metric ? std::string(job.metric->metric().undefined) : "";
    return fmt::format("{} is not defined for {} of '{}'. Choose another --metric.", metric_label(job, evaluated),
                       reason.empty() ? "the outputs" : reason, data);
  });
}

// The score of the rows as they are, on rank 0.
double baseline_of(const ImportanceRequest& request, const PreparedEvaluation& prepared, const RowsInMemory& rows,
                   const Job& job) {
  const double score =
      PermutedScores(prepared.evaluated, rows, job.function, request.evaluation.run, prepared.placement.lanes.front())
          .score(nullptr);
  require_defined(score, job, prepared.evaluated, request.evaluation.data.file);
  return score;
}

// Task feature * repeats + repeat scores the rows with a permuted feature.
std::vector<double> scores_of(const ImportanceRequest& request, const PreparedEvaluation& prepared,
                              const RowsInMemory& rows, const Job& job, IndexRange tasks) {
  std::vector<double> scores(static_cast<std::size_t>(tasks.count()));
  std::atomic<std::size_t> begun{0};
  for_each_index(tasks, prepared.placement.lane_count(), [&]() -> IndexWork {
    const auto lane = std::make_shared<PermutedScores>(prepared.evaluated, rows, job.function, request.evaluation.run,
                                                       prepared.placement.lanes[begun++]);
    return [&, lane](std::int64_t task) {
      const std::int64_t feature = task / request.repeats, repeat = task % request.repeats;
      const PermutedFeatures permuted{job.features[static_cast<std::size_t>(feature)].features,
                                      permutation(rows.count, request.seed, feature, repeat)};
      scores[static_cast<std::size_t>(task - tasks.begin)] = lane->score(&permuted);
    };
  });
  return scores;
}

// `scores`: of all tasks. Pure.
FeatureImportances importances_of(const ImportanceRequest& request, const EvaluatedModel& evaluated, const Job& job,
                                  std::int64_t rows, double baseline, const std::vector<double>& scores) {
  FeatureImportances found;
  found.program = "sheaf " + program_version();
  for (const auto& model : evaluated.models) found.models.push_back(model.path);
  found.models_kind = evaluated.kind;
  found.data = request.evaluation.data.file;
  found.file_rows = evaluated.rows->count();
  found.rows = rows;
  found.weights = evaluated.weights;
  found.metric = job.metric ? job.metric->name() : "loss";
  found.metric_label = metric_label(job, evaluated);
  found.larger_is_better = job.larger_is_better();
  found.baseline = baseline;
  found.repeats = request.repeats;
  found.seed = request.seed;
  for (std::size_t number = 0; number < job.features.size(); ++number) {
    FeatureImportance& feature = found.features.emplace_back();
    feature.feature = job.features[number].name;
    feature.number = static_cast<std::int64_t>(number);
    const auto first = scores.begin() + static_cast<std::ptrdiff_t>(number) * request.repeats;
    for (auto score = first; score != first + request.repeats; ++score)
      feature.values.push_back(found.larger_is_better ? found.baseline - *score : *score - found.baseline);
  }
  rank_features(found.features);
  return found;
}

}  // namespace

ImportanceResult compute_importances(const ImportanceRequest& request, const Communicator& world) {
  Job job;
  const PreparedEvaluation prepared = prepare_evaluation(
      request.evaluation, [&](const EvaluatedModel& evaluated) { job = job_of(request, evaluated); }, world);
  agree(world, [&] {  // so that a missing permission is found at once
    if (request.save && world.is_root()) UnfinishedFile(importance_path(request.evaluation.model));
  });
  const RowsInMemory rows = read_rows(request, lane_bytes_per_row(job, prepared.evaluated), prepared, world);
  const auto start = Clock::now();
  double baseline = 0;  // on rank 0
  agree(world, [&] {
    if (world.is_root()) baseline = baseline_of(request, prepared, rows, job);
  });
  const std::int64_t tasks = static_cast<std::int64_t>(job.features.size()) * request.repeats;
  std::vector<double> own;
  agree(world, [&] { own = scores_of(request, prepared, rows, job, split_evenly(tasks, world.size(), world.rank())); });
  const std::vector<double> scores = world.gather(own);
  ImportanceResult result;
  agree(world, [&] {
    if (!world.is_root()) return;
    result.importances = importances_of(request, prepared.evaluated, job, rows.count, baseline, scores);
    result.engine = prepared.engine;
    result.seconds = seconds_since(start);
    result.predicted = static_cast<double>(rows.count) * static_cast<double>(1 + tasks);
    if (!request.save) return;
    UnfinishedFile saved(importance_path(request.evaluation.model));
    saved.file().write(importance_json(result.importances));
    saved.commit();
  });
  return result;
}

}  // namespace sheaf

// SPDX-License-Identifier: MIT
#include "commands/evaluate/evaluation_job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "commands/evaluate/evaluated_model.hpp"
#include "commands/evaluate/evaluation_lane.hpp"
#include "commands/evaluate/prediction_file.hpp"
#include "commands/evaluate/prepared_evaluation.hpp"
#include "commands/evaluate/scoring_choice.hpp"
#include "core/clock.hpp"
#include "core/error.hpp"
#include "core/parallel.hpp"
#include "parallel/devices/memory.hpp"
#include "parallel/devices/placement.hpp"
#include "parallel/mpi/agreement.hpp"
#include "parallel/mpi/job_output.hpp"
#include "study/metrics.hpp"
#include "training/metrics/counts.hpp"
#include "training/metrics/ranked.hpp"

namespace sheaf {
namespace {

// A rank can send fewer than 2^31 values (Communicator::gather); its share of the rows is not exactly even.
constexpr double max_gathered_outputs = 1 << 30;

// The number of values in the OrderedResult of one segment.
std::int64_t number_count(const EvaluatedModel& evaluated) {
  return static_cast<std::int64_t>(OrderedResult(evaluated).numbers().size());
}

// Number of segments, ranges of batches that depend only on the file and the model. Sums are added up in row order
// within a segment, then in the order of the segments, so that they are the same for any number of ranks and lanes. The
// limits keep the memory of all sums small: those of targets and of rows with weights grow with the outputs. A change
// changes the last bits.
std::int64_t segment_count(const EvaluatedModel& evaluated) {
  std::int64_t numbers = 1;
  if (evaluated.has_weights())
    numbers = number_count(evaluated);
  else if (!evaluated.predicts_probabilities())
    numbers = 3 + 3 * evaluated.scoring.output_count;
  return std::min(evaluated.rows->batch_count(), std::clamp<std::int64_t>((1 << 20) / numbers, 64, 1024));
}

// The result of one rank's segments.
struct PartialResult {
  std::vector<double> sums;  // the numbers of each segment, in order
  UnorderedResult unordered;
  std::int64_t empty_cells = 0;    // that were filled
  std::int64_t unknown_cells = 0;  // see unknown_cells_note()
};

PartialResult evaluate_part(const EvaluatedModel& evaluated, const RunOptions& run, const Placement& placement,
                            const PredictionFile* predictions, bool keeps_rows, IndexRange segments) {
  const std::int64_t all_segments = segment_count(evaluated), batches = evaluated.rows->batch_count();
  const std::int64_t numbers_per_segment = number_count(evaluated);
  PartialResult part{std::vector<double>(static_cast<std::size_t>(segments.count() * numbers_per_segment)),
                     UnorderedResult(evaluated, keeps_rows), 0, 0};
  std::mutex mutex;
  std::vector<std::shared_ptr<EvaluationLane>> lanes;
  std::atomic<std::size_t> begun{0};
  for_each_index(segments, placement.lane_count(), [&]() -> IndexWork {
    const auto lane =
        std::make_shared<EvaluationLane>(evaluated, run, placement.lanes[begun++], predictions, keeps_rows);
    const std::lock_guard lock(mutex);
    lanes.push_back(lane);
    return [&, lane](std::int64_t segment) {
      const auto numbers = lane->evaluate(split_evenly(batches, all_segments, segment)).numbers();
      std::copy(numbers.begin(), numbers.end(), part.sums.begin() + (segment - segments.begin) * numbers_per_segment);
    };
  });
  evaluated.rows->require_unchanged();
  for (const auto& lane : lanes) {
    part.unordered.append(lane->unordered());
    part.empty_cells += lane->empty_cells();
    part.unknown_cells += lane->unknown_cells();
  }
  return part;
}

// Adds up arrays of all ranks on rank 0. Collective.
template <class Number>
std::vector<Number> gather_sum(const std::vector<Number>& own, const Communicator& world) {
  const std::vector<Number> all = world.gather(own);
  std::vector<Number> sum(own.size());
  for (std::size_t index = 0; index < all.size(); ++index) sum[index % own.size()] += all[index];
  return sum;
}

// Collects the results of all ranks on rank 0. Collective.
UnorderedResult gather_unordered(UnorderedResult own, const Scoring& scoring, const Communicator& world) {
  own.confusion = gather_sum(own.confusion, world);
  if (own.counts) own.counts = ClassCounts(gather_sum(own.counts->numbers(), world));
  if (own.ranked && world.size() > 1) {
    auto outputs = world.gather(own.ranked->outputs());
    auto labels = world.gather(own.ranked->labels());
    auto targets = world.gather(own.ranked->targets());
    auto weights = world.gather(own.ranked->weights());
    own.ranked.emplace(scoring, std::move(outputs), std::move(labels), std::move(targets), std::move(weights));
  }
  return own;
}

// The fit of the model from the numbers of all segments, in row order. Throws RunError if all rows weigh 0. Pure.
Fit fit_of(const EvaluatedModel& evaluated, const std::vector<double>& numbers, UnorderedResult unordered,
           std::int64_t threads) {
  OrderedResult ordered(evaluated);
  const auto numbers_per_segment = static_cast<std::size_t>(number_count(evaluated));
  for (std::size_t first = 0; first < numbers.size(); first += numbers_per_segment)
    ordered.append({evaluated, numbers.data() + first});
  const EvaluationSums& sums = ordered.sums;
  require_any_weight(sums.weight() > 0, evaluated);
  const auto& counts = ordered.counts ? ordered.counts : unordered.counts;
  std::vector<MetricKind> ranked_kinds;
  for (const MetricFunction& metric : evaluated.functions)
    if (metric_of(metric.kind).family == MetricFamily::ranked) ranked_kinds.push_back(metric.kind);
  const std::vector<double> pointwise = sums.values();
  std::vector<double> ranked;
  if (unordered.ranked) ranked = ranked_metrics(ranked_kinds, *unordered.ranked, threads);
  Fit fit;
  fit.loss = sums.loss();
  auto next_pointwise = pointwise.begin();
  auto next_ranked = ranked.begin();
  for (std::size_t number = 0; number < evaluated.metrics.size(); ++number) {
    const MetricChoice& metric = evaluated.metrics[number];
    switch (metric.metric().family) {
      case MetricFamily::pointwise:
        fit.metrics.push_back({metric, *next_pointwise++});
        break;
      case MetricFamily::counts:
        fit.metrics.push_back({metric, counts_metric(evaluated.functions[number], *counts)});
        break;
      case MetricFamily::ranked:
        if (unordered.ranked)
          fit.metrics.push_back({metric, *next_ranked++});
        else
          fit.left_out.push_back(metric);
        break;
    }
  }
  for (std::int64_t label = 0; counts && label < counts->classes(); ++label)
    fit.classes.push_back(class_scores(*counts, label));
  fit.confusion = std::move(unordered.confusion);
  return fit;
}

// Adds up the results of all ranks on rank 0, whose threads may be refused. Collective.
Fit gather_fit(const EvaluatedModel& evaluated, PartialResult part, std::int64_t threads, const Communicator& world) {
  const std::vector<double> numbers = world.gather(part.sums);
  UnorderedResult unordered = gather_unordered(std::move(part.unordered), evaluated.scoring, world);
  Fit fit;
  agree(world, [&] {
    if (world.is_root()) fit = fit_of(evaluated, numbers, std::move(unordered), threads);
  });
  return fit;
}

// Whether the outputs of all rows fit into memory and messages, for metrics that need all of them. The same on all
// ranks. Collective.
bool fits_into_memory(const EvaluatedModel& evaluated, const EvaluationRequest& request, std::int64_t threads,
                      const Communicator& world) {
  const std::int64_t half = world.minimum(usable_memory_bytes()) / 2;
  const std::int64_t limit = request.data.memory_mib > 0 ? request.data.memory_mib << 20 : half;
  const double bytes = RankedRows::bytes(evaluated.rows->count(), evaluated.scoring, evaluated.has_weights(), threads);
  const double outputs_of_rank =
      static_cast<double>(evaluated.rows->count()) / world.size() * static_cast<double>(evaluated.scoring.output_count);
  const bool can_be_gathered = world.size() == 1 || outputs_of_rank < max_gathered_outputs;
  return evaluated.rows->targets() != nullptr && can_be_gathered && bytes <= static_cast<double>(limit);
}

PredictionContents contents_of(const EvaluatedModel& evaluated, const EvaluationRequest& request) {
  PredictionContents contents;
  contents.rows = evaluated.rows->count();
  contents.outputs = evaluated.scoring.output_count;
  contents.task = evaluated.scoring.task;
  contents.class_names = evaluated.class_names();
  const auto& target_names = evaluated.description().target_names;
  if (contents.task == Task::regression && static_cast<std::int64_t>(target_names.size()) == contents.outputs &&
      evaluated.scoring.quantiles.empty())
    contents.target_names = target_names;
  for (const double quantile : evaluated.scoring.quantiles)
    contents.target_names.push_back(
        fmt::format("{}_q{}", target_names.size() == 1 ? target_names.front() : "prediction", quantile));
  contents.offsets = evaluated.scoring.target_offsets;
  contents.ids = evaluated.ids;
  contents.model = request.model;
  contents.data = request.data.file;
  return contents;
}

// Throws UsageError unless something can be computed of rows without targets.
void require_use_without_targets(const EvaluationRequest& request, const EvaluatedModel& evaluated) {
  if (evaluated.has_weights())
    throw UsageError(fmt::format("weights have no effect ('{}' has no targets). Leave them out.", request.data.file));
  if (request.predictions.empty())
    throw UsageError(fmt::format(
        "there is nothing to compute ('{}' has no targets to compare with, and --predictions is not set). {}, or "
        "write predictions with --predictions=OUT.csv.",
        request.data.file, targets_advice(request.data.file)));
}

}  // namespace

EvaluationReport execute_evaluate(const EvaluationRequest& request, const Communicator& world) {
  const PreparedEvaluation prepared = prepare_evaluation(
      request,
      [&](EvaluatedModel& evaluated) {
        choose_metrics(request, evaluated);
        if (evaluated.rows->targets() == nullptr) require_use_without_targets(request, evaluated);
      },
      world);
  const EvaluatedModel& evaluated = prepared.evaluated;
  const Placement& placement = prepared.placement;
  const std::int64_t rows = evaluated.rows->count();
  std::optional<PredictionFile> predictions;
  if (!request.predictions.empty())
    predictions.emplace(request.predictions, contents_of(evaluated, request), request.overwrite, world);

  const auto start = Clock::now();
  const std::int64_t threads = world.minimum(placement.lane_count());
  const bool keeps_rows = fits_into_memory(evaluated, request, threads, world);
  std::optional<PartialResult> part;
  agree(world, [&] {
    part = evaluate_part(evaluated, request.run, placement, predictions ? &*predictions : nullptr, keeps_rows,
                         split_evenly(segment_count(evaluated), world.size(), world.rank()));
  });
  log_changed_cells(part->empty_cells, part->unknown_cells, world);
  EvaluationReport report;
  if (evaluated.rows->targets() != nullptr) report.fit = gather_fit(evaluated, std::move(*part), threads, world);
  if (predictions) predictions->finish();
  report.seconds = seconds_since(start);
  if (!world.is_root()) return report;

  for (const auto& model : evaluated.models) report.models.push_back(model.path);
  report.kind = evaluated.kind;
  report.data = request.data.file;
  report.loss = evaluated.scoring.loss.kind;
  report.engine = prepared.engine;
  report.rows = rows;
  report.outputs = evaluated.scoring.output_count;
  report.task = evaluated.scoring.task;
  report.class_names = evaluated.class_names();
  report.predictions = request.predictions;
  report.threshold = request.threshold;
  report.weights = evaluated.weights;
  const bool has_positive = evaluated.scoring.task == Task::classification;
  if (has_positive && (request.threshold || !request.positive.empty())) report.positive = evaluated.scoring.positive;
  report.bytes = static_cast<double>(rows) * static_cast<double>(evaluated.rows->feature_count()) * 4;
  return report;
}

void evaluate_and_report(const std::function<EvaluateArguments()>& parse, const Communicator& world) {
  EvaluateArguments arguments;
  agree(world, [&] { arguments = parse(); });
  const EvaluationReport report = execute_evaluate(arguments.request, world);
  agree(world, [&] {
    if (!world.is_root()) return;
    const std::string text = arguments.json ? evaluation_json(report) : evaluation_text(report);
    if (report.predictions.empty())
      print_job_result(text);
    else
      print_job_result(text, fmt::format("'{}' is complete.", report.predictions));
  });
}

}  // namespace sheaf

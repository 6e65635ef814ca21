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
#include "commands/evaluate/prediction_file.hpp"
#include "core/clock.hpp"
#include "core/error.hpp"
#include "core/parallel.hpp"
#include "engines/model_opening.hpp"
#include "engines/native/blas_memory.hpp"
#include "engines/native/native_trainer.hpp"
#include "engines/usable_gpus.hpp"
#include "models/predictions.hpp"
#include "parallel/devices/lane_device.hpp"
#include "parallel/devices/rank_placement.hpp"
#include "parallel/mpi/agreement.hpp"
#include "training/metrics/predicted_label.hpp"

namespace sheaf {
namespace {

// Confusion is counted up to so many classes.
constexpr std::int64_t most_confused_classes = 256;

// A GPU takes so much at a time, a core one piece.
constexpr std::int64_t gpu_piece_bytes = std::int64_t{32} << 20;

// Of the sums of a run.
std::int64_t number_count(const Scoring& scoring) {
  return static_cast<std::int64_t>(EvaluationSums(scoring).numbers().size());
}

// The rows are cut into runs of pieces by file and model alone: a run's sums are made in the order of its rows, and put
// together in the order of the runs. Few enough that all sums fit a small part of memory.
std::int64_t run_count(const EvaluatedModel& subject) {
  const std::int64_t most = std::clamp<std::int64_t>((1 << 20) / number_count(subject.scoring), 64, 1024);
  return std::min(subject.rows.piece_count(), most);
}

// What a lane works with.
class EvaluationLane {
 public:
  EvaluationLane(const EvaluatedModel& subject, const RunOptions& run, LaneDevice device,
                 const PredictionFile* predictions)
      : subject_(subject),
        predictions_(predictions),
        reader_(subject.rows, subject.scoring.task, subject.scoring.output_count) {
    const std::int64_t piece_rows = subject.rows.rows_of({0, 1}).count();
    const auto piece_bytes = piece_rows * subject.rows.feature_count() * static_cast<std::int64_t>(sizeof(float));
    if (device.on_gpu()) pieces_at_once_ = std::max<std::int64_t>(1, gpu_piece_bytes / piece_bytes);
    for (const OpenedModel& model : subject.models)
      predictors_.push_back(make_predictor(model, subject.rows.row_shape(), subject.scoring.output_count, run, device));
    const std::int64_t classes = subject.scoring.output_count;
    if (subject.predicts_classes() && classes <= most_confused_classes)
      confusion_.resize(static_cast<std::size_t>(classes * classes));
  }

  // The sums of the rows of some pieces.
  EvaluationSums evaluate(IndexRange pieces) {
    EvaluationSums sums(subject_.scoring);
    for (std::int64_t begin = pieces.begin; begin < pieces.end; begin += pieces_at_once_)
      evaluate_rows(subject_.rows.rows_of({begin, std::min(begin + pieces_at_once_, pieces.end)}), sums);
    return sums;
  }

  const std::vector<std::int64_t>& confusion() const { return confusion_; }

 private:
  void evaluate_rows(IndexRange rows, EvaluationSums& sums) {
    const Scoring& scoring = subject_.scoring;
    reader_.read(rows);
    outputs_.resize(static_cast<std::size_t>(rows.count() * scoring.output_count));
    if (predictors_.size() == 1)
      predict(*predictors_.front(), rows.count());
    else
      average_members(rows.count());
    find_labels(rows.count());
    if (subject_.rows.targets() != nullptr) add_to(sums, rows.count());
    if (predictions_ == nullptr) return;
    if (predictors_.size() == 1 && subject_.predicts_classes())
      make_predictions(scoring.loss, scoring.output_count, outputs_.data(), rows.count());
    predictions_->write(rows, outputs_.data(), labels_.data());
  }

  void predict(Predictor& predictor, std::int64_t count) {
    if (!predictor.predict(reader_.features(), count, outputs_.data())) reader_.require_finite_features();
  }

  // Before logits become probabilities, whose rounding may make two alike.
  void find_labels(std::int64_t count) {
    if (!subject_.predicts_classes()) return;
    const std::int64_t classes = subject_.scoring.output_count;
    labels_.resize(static_cast<std::size_t>(count));
    for (std::int64_t row = 0; row < count; ++row)
      labels_[static_cast<std::size_t>(row)] = predicted_label(outputs_.data() + row * classes, classes);
  }

  // The mean of the members' predictions, summed in double in their order.
  void average_members(std::int64_t count) {
    const Scoring& scoring = subject_.scoring;
    sums_.assign(outputs_.size(), 0.0);
    for (const auto& predictor : predictors_) {
      predict(*predictor, count);
      make_predictions(scoring.loss, scoring.output_count, outputs_.data(), count);
      for (std::size_t place = 0; place < sums_.size(); ++place) sums_[place] += double{outputs_[place]};
    }
    const auto members = static_cast<double>(predictors_.size());
    for (std::size_t place = 0; place < sums_.size(); ++place)
      outputs_[place] = static_cast<float>(sums_[place] / members);
  }

  void add_to(EvaluationSums& sums, std::int64_t count) {
    if (!subject_.predicts_classes()) {
      sums.add({count, outputs_.data(), nullptr, nullptr, reader_.targets()});
      return;
    }
    sums.add({count, outputs_.data(), labels_.data(), reader_.labels(), nullptr});
    count_confusion(count);
  }

  void count_confusion(std::int64_t count) {
    if (confusion_.empty()) return;
    const std::int64_t classes = subject_.scoring.output_count;
    for (std::int64_t row = 0; row < count; ++row)
      ++confusion_[static_cast<std::size_t>(reader_.labels()[row] * classes + labels_[static_cast<std::size_t>(row)])];
  }

  const EvaluatedModel& subject_;
  const PredictionFile* predictions_;
  RowReader reader_;
  std::vector<std::unique_ptr<Predictor>> predictors_;  // of the members
  std::int64_t pieces_at_once_ = 1;
  std::vector<float> outputs_;
  std::vector<double> sums_;          // of the members
  std::vector<std::int64_t> labels_;  // that the outputs mean
  std::vector<std::int64_t> confusion_;
};

void add_to(std::vector<std::int64_t>& sums, const std::vector<std::int64_t>& more) {
  if (sums.empty()) sums.resize(more.size());
  for (std::size_t place = 0; place < more.size(); ++place) sums[place] += more[place];
}

// What a rank makes of its part of the runs.
struct PartialResult {
  std::vector<double> sums;             // the numbers of each run, in order
  std::vector<std::int64_t> confusion;  // may be empty
};

PartialResult evaluate_part(const EvaluatedModel& subject, const RunOptions& run, const Placement& placement,
                            const PredictionFile* predictions, IndexRange runs) {
  const std::int64_t all_runs = run_count(subject), pieces = subject.rows.piece_count();
  const std::int64_t run_numbers = number_count(subject.scoring);
  PartialResult part{std::vector<double>(static_cast<std::size_t>(runs.count() * run_numbers)), {}};
  std::mutex mutex;
  std::vector<std::shared_ptr<EvaluationLane>> lanes;
  std::atomic<std::size_t> begun{0};
  for_each_index(runs, placement.lane_count(), [&]() -> IndexWork {
    const auto lane = std::make_shared<EvaluationLane>(subject, run, placement.lanes[begun++], predictions);
    const std::lock_guard lock(mutex);
    lanes.push_back(lane);
    return [&, lane](std::int64_t number) {
      const auto numbers = lane->evaluate(split_evenly(pieces, all_runs, number)).numbers();
      std::copy(numbers.begin(), numbers.end(), part.sums.begin() + (number - runs.begin) * run_numbers);
    };
  });
  subject.rows.require_unchanged();
  for (const auto& lane : lanes) add_to(part.confusion, lane->confusion());
  return part;
}

// The ranks' shares put together, in the order of the rows. On rank 0. Collective.
Fit gather_fit(const EvaluatedModel& subject, const PartialResult& part, const Communicator& world) {
  const std::vector<double> numbers = world.gather(part.sums);
  const std::vector<std::int64_t> confusions = world.gather(part.confusion);
  Fit fit;
  if (!world.is_root()) return fit;
  const Scoring& scoring = subject.scoring;
  EvaluationSums sums(scoring);
  const auto run_numbers = static_cast<std::size_t>(number_count(scoring));
  for (std::size_t run = 0; run < numbers.size(); run += run_numbers) sums.append({scoring, numbers.data() + run});
  fit.loss = sums.loss();
  fit.metrics = sums.metrics();
  const auto cells = static_cast<std::ptrdiff_t>(scoring.output_count * scoring.output_count);
  for (auto rank = confusions.begin(); rank != confusions.end(); rank += cells)
    add_to(fit.confusion, {rank, rank + cells});
  return fit;
}

}  // namespace

EvaluationReport execute_evaluate(const EvaluationRequest& request, const Communicator& world) {
  const Communicator node = world.split_by_node();
  const Placement placement = place_ranks(request.run, find_usable_gpus, world, node);
  std::optional<EvaluatedModel> subject;
  EngineChoice choice{};
  agree(world, [&] {
    subject.emplace(make_evaluated_model(request, placement.lanes.front()));
    choice = choose_predictor(subject->models.front(), request.run, placement.lanes.front());
    const bool native = choice.engine->kind == EngineKind::native;
    if (request.run.engine == EngineKind::native && !native)
      throw UsageError(fmt::format("run.engine = native cannot run model '{}' ({}). Set run.engine = auto.",
                                   request.model, choice.reason.value_or("")));
    if (!native || native_engine_needs_blas()) reserve_blas_memory(placement.thread_count() + 1);
  });
  const std::int64_t rows = subject->rows.count();
  std::optional<PredictionFile> predictions;
  if (!request.predictions.empty())
    predictions.emplace(request.predictions,
                        PredictionShape{rows, subject->scoring.output_count, subject->predicts_classes()},
                        request.model, request.data.file, request.overwrite, world);

  const auto start = Clock::now();
  PartialResult part;
  agree(world, [&] {
    part = evaluate_part(*subject, request.run, placement, predictions ? &*predictions : nullptr,
                         split_evenly(run_count(*subject), world.size(), world.rank()));
  });
  EvaluationReport report;
  if (subject->rows.targets() != nullptr) report.fit = gather_fit(*subject, part, world);
  if (predictions) predictions->finish();
  report.seconds = seconds_since(start);
  if (!world.is_root()) return report;

  for (const auto& model : subject->models) report.models.push_back(model.path);
  report.data = request.data.file;
  report.loss = subject->scoring.loss;
  report.engine = described(choice.engine->name, choice.reason);
  report.rows = rows;
  report.outputs = subject->scoring.output_count;
  report.predictions = request.predictions;
  report.bytes = static_cast<double>(rows) * static_cast<double>(subject->rows.feature_count()) * 4;
  return report;
}

}  // namespace sheaf

// SPDX-License-Identifier: MIT
#include "engine/training.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>

#include "core/error.hpp"
#include "dataset/synthetic.hpp"
#include "engine/predictor.hpp"
#include "engine/score.hpp"
#include "model/initial_weights.hpp"
#include "plan/estimate.hpp"

namespace sheaf {
namespace {

// Whether drawn data need a split of their own: rows chosen by their labels, or scaled by their values.
bool depends_on_data(const Study& study) {
  return study.search.folds > 1 || study.data.validation > 0 || study.data.normalise != Normalise::none;
}

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// What finishes within it is not worth a checkpoint when the job is to stop.
constexpr double most_seconds_after_stop = 1;

// The course of one iteration.
class Course {
 public:
  Course(const TrainingContext& context, const Iteration& iteration, const Lot& lot, Trainer& trainer)
      : context_(context),
        trial_(context.plan.trials()[static_cast<std::size_t>(iteration.trial)]),
        lot_(lot),
        shape_(shape_of(lot_.data, context.study.data)),
        layers_(network_layout(trial_.model, shape_)),
        weights_(initial_weights(layers_, trial_.model.initialisation, iteration.seed)),
        trainer_(trainer) {
    trained_.record.iteration = iteration.number;
    if (context.study.ensemble.bootstrap) bootstrap_ = bootstrap_rows(lot_.split->training_rows, iteration.seed);
    const auto& rows = context.study.ensemble.bootstrap ? bootstrap_ : lot_.split->training_rows;
    trainer.start({trial_, layers_, weights_, lot_.data, *lot_.split, rows, iteration.seed, shape_});
  }

  TrainedIteration run(const std::function<bool()>& stop_requested) {
    IterationRecord& record = trained_.record;
    record.status = IterationStatus::finished;
    restore();
    while (record.epochs < trial_.train.epochs && record.status == IterationStatus::finished) {
      const auto start = Clock::now();
      record.final_loss = trainer_.train_epoch();
      ++record.epochs;
      if (!std::isfinite(record.final_loss)) record.status = IterationStatus::diverged;
      if (record.epochs == trial_.train.epochs || context_.study.run.curves) validate();
      if (context_.study.run.curves) note_epoch();
      if (!keep(seconds_since(start), stop_requested)) return TrainedIteration{};
    }
    record.steps = trainer_.steps();
    if (record.status == IterationStatus::finished)
      add_products(context_, trial_, *lot_.split, trainer_, std::move(outputs_), trained_);
    return std::move(trained_);
  }

 private:
  // Goes on where a checkpoint was made. What cannot be read is as if it were not there.
  void restore() {
    if (context_.checkpoints == nullptr) return;
    const auto kept = context_.checkpoints->load(trained_.record.iteration);
    if (!kept) return;
    ByteReader state(*kept);
    const auto record = state.get<IterationRecord>();
    auto epochs = state.get_list<std::vector<EpochRecord>>();
    trainer_.restore(state);
    trained_.record = record;
    trained_.epochs = std::move(epochs);
  }

  // Makes a checkpoint when it is time for one. False: the training is left here.
  bool keep(double epoch_seconds, const std::function<bool()>& stop_requested) {
    IterationRecord& record = trained_.record;
    const std::int64_t epochs_left = trial_.train.epochs - record.epochs;
    if (context_.checkpoints == nullptr || epochs_left == 0 || record.status != IterationStatus::finished) return true;
    const bool leaves = stop_requested() && static_cast<double>(epochs_left) * epoch_seconds > most_seconds_after_stop;
    if (!leaves && seconds_since(kept_at_) < context_.checkpoints->interval_seconds) return true;
    IterationRecord so_far = record;
    so_far.seconds += seconds_since(begun_at_);
    ByteWriter state;
    state.put(so_far);
    state.put_list(trained_.epochs);
    trainer_.save(state);
    try {
      context_.checkpoints->save(record.iteration, state.bytes());
    } catch (const RunError& error) {
      throw DeviceError(error.what());
    }
    kept_at_ = Clock::now();
    return !leaves;
  }

  void validate() {
    IterationRecord& record = trained_.record;
    const auto& rows = lot_.split->validation_rows;
    if (rows.empty()) return;
    const bool finished = record.status == IterationStatus::finished;
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    record.validation_loss = finished ? trainer_.evaluate(rows, outputs_) : none;
    record.validation_score = finished ? prediction_score(outputs_, lot_.data, rows) : none;
  }

  void note_epoch() {
    const IterationRecord& record = trained_.record;
    trained_.epochs.push_back(
        {record.iteration, record.epochs - 1, record.final_loss, record.validation_loss, record.validation_score});
  }

  const TrainingContext& context_;
  const Trial& trial_;
  const Lot& lot_;
  const DataShape shape_;
  const std::vector<Layer> layers_;
  const std::vector<float> weights_;
  Trainer& trainer_;
  std::vector<std::int64_t> bootstrap_;
  std::vector<float> outputs_;  // of the validation rows, the last ones
  TrainedIteration trained_;
  const Clock::time_point begun_at_ = Clock::now();
  Clock::time_point kept_at_ = begun_at_;
};

}  // namespace

void add_products(const TrainingContext& context, const Trial& trial, const Split& split, const Trainer& trainer,
                  std::vector<float>&& outputs, TrainedIteration& trained) {
  if (context.study.ensemble.members > 1) {
    const std::int64_t rows = static_cast<std::int64_t>(split.validation_rows.size());
    const std::int64_t output_count = rows == 0 ? 0 : static_cast<std::int64_t>(outputs.size()) / rows;
    make_predictions(trial.train.loss, output_count, outputs.data(), rows);
    trained.predictions = std::move(outputs);
  }
  if (context.study.run.models != ModelsKept::none) {
    trained.network = trainer.network();
    trained.scaling = split.scaling;
  }
}

Lots::Lots(const TrainingContext& context) : context_(context) {
  if (context.data != nullptr || depends_on_data(context.study)) return;
  auto whole = std::make_shared<Split>();
  whole->training_rows.resize(static_cast<std::size_t>(context.study.data.rows));
  std::iota(whole->training_rows.begin(), whole->training_rows.end(), 0);
  whole_ = std::move(whole);
}

Lot Lots::of(const Iteration& iteration) const {
  if (context_.data != nullptr) return {*context_.data, context_.splits->split(iteration.repeat, iteration.fold)};
  const DataSet drawn = draw_synthetic(context_.study.data, iteration.seed);
  if (whole_) return {drawn, whole_};
  return {drawn, Splits(context_.study, drawn).split(iteration.repeat, iteration.fold)};
}

TrainedIteration train_iteration(const TrainingContext& context, const Iteration& iteration, const Lot& lot,
                                 Trainer& trainer, const std::function<bool()>& stop_requested) {
  return Course(context, iteration, lot, trainer).run(stop_requested);
}

}  // namespace sheaf

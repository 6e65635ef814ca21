// SPDX-License-Identifier: MIT
#include "engine/training.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>

#include "dataset/synthetic.hpp"
#include "engine/score.hpp"
#include "model/initial_weights.hpp"
#include "plan/estimate.hpp"

namespace sheaf {
namespace {

// Whether drawn data need a split of their own: rows chosen by their labels, or scaled by their values.
bool depends_on_data(const Study& study) {
  return study.search.folds > 1 || study.data.validation > 0 || study.data.normalise != Normalise::none;
}

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

  TrainedIteration run() {
    IterationRecord& record = trained_.record;
    record.status = IterationStatus::finished;
    while (record.epochs < trial_.train.epochs && record.status == IterationStatus::finished) {
      record.final_loss = trainer_.train_epoch();
      ++record.epochs;
      if (!std::isfinite(record.final_loss)) record.status = IterationStatus::diverged;
      if (record.epochs == trial_.train.epochs || context_.study.run.curves) validate();
      if (context_.study.run.curves) note_epoch();
    }
    record.steps = trainer_.steps();
    if (record.status == IterationStatus::finished && context_.study.ensemble.members > 1) {
      make_predictions(trial_.train.loss, lot_.data.output_count, outputs_);
      trained_.predictions = std::move(outputs_);
    }
    return std::move(trained_);
  }

 private:
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
};

}  // namespace

void make_predictions(LossKind loss, std::int64_t output_count, std::vector<float>& outputs) {
  if (loss == LossKind::mse) return;
  if (loss == LossKind::bce) {
    for (float& output : outputs) output = static_cast<float>(1 / (1 + std::exp(-double{output})));
    return;
  }
  for (auto row = outputs.begin(); row != outputs.end(); row += output_count) {
    const double largest = double{*std::max_element(row, row + output_count)};
    double sum = 0;
    for (auto output = row; output != row + output_count; ++output) sum += std::exp(double{*output} - largest);
    for (auto output = row; output != row + output_count; ++output)
      *output = static_cast<float>(std::exp(double{*output} - largest) / sum);
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
                                 Trainer& trainer) {
  return Course(context, iteration, lot, trainer).run();
}

}  // namespace sheaf

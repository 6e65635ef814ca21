// SPDX-License-Identifier: MIT
#include "commands/train/training/ensemble_score.hpp"

#include <fmt/format.h>

#include <limits>

#include "core/error.hpp"
#include "training/class_weights.hpp"
#include "training/metrics/score.hpp"

namespace sheaf {

EnsembleScore::EnsembleScore(const TrainingContext& context, const std::vector<std::string>& files)
    : context_(context),
      files_(files),
      scores_(context.plan.members() > 1 && context.splits != nullptr &&
              !context.splits->split(0, 0)->validation_rows.empty()) {}

std::optional<EnsembleResult> EnsembleScore::add(const JournaledIteration& iteration) {
  if (!scores_) return std::nullopt;
  const IterationResult& result = iteration.trained.result;
  if (context_.plan.refit_iterations().has(result.iteration)) return std::nullopt;
  const Iteration model = context_.plan.iteration(result.iteration);
  const std::int64_t members = context_.plan.stage(model.stage).members;
  if (model.member == 0) {
    predictions_.clear();
    score_sum_ = 0;
    all_finished_ = all_trained_ = true;
  }
  all_trained_ = all_trained_ && !is_left_out(result.status);
  score_sum_ += result.validation_score;
  all_finished_ = all_finished_ && has_model(result.status);
  if (all_finished_) {
    const auto predictions = read_predictions(files_, iteration);
    const RowSet rows = context_.splits->split(model.repeat, model.fold)->validation_rows;
    const auto count = static_cast<std::size_t>(rows.count() * context_.data->output_count);
    require(predictions.size() == count, [&] {
      return fmt::format(
          "iteration {} has {} predictions in the journal, expected {}. Start a new run with another run.output.",
          result.iteration, predictions.size(), count);
    });
    predictions_.add(predictions.data(), count);
  }
  if (model.member + 1 < members || !all_trained_) return std::nullopt;
  std::vector<double> scores(1 + context_.study->run.metrics.size(), std::numeric_limits<double>::quiet_NaN());
  if (all_finished_) scores = scores_of_mean(model);
  return EnsembleResult{model.stage,
                        model.trial,
                        model.repeat,
                        model.fold,
                        scores.front(),
                        score_sum_ / static_cast<double>(members),
                        {scores.begin() + 1, scores.end()}};
}

std::vector<double> EnsembleScore::scores_of_mean(const Iteration& model) const {
  std::vector<float> mean(predictions_.size());
  predictions_.write(mean.data());
  const auto split = context_.splits->split(model.repeat, model.fold);
  const TrainOptions train = context_.plan.trial(model.trial).train;
  const DataSet& data = *context_.data;
  return prediction_scores(
      validation_metrics(context_.study),
      {scoring_of(train, data, true), mean, data, split->validation_rows,
       scoring_weights(context_.study, train, data, split->training_rows, split->validation_rows)});
}

}  // namespace sheaf

// SPDX-License-Identifier: MIT
#include "commands/train/training/ensemble_selection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/parallel.hpp"
#include "models/prediction_mean.hpp"
#include "runs/directory/run_directory.hpp"
#include "study/effective_values.hpp"
#include "study/key_defaults.hpp"
#include "study/settings.hpp"
#include "training/class_weights.hpp"
#include "training/metrics/score.hpp"

namespace sheaf {

struct EnsembleSelection::Library {
  std::vector<TrialSummary> candidates;
  HeldOutRows rows;
  std::vector<std::int64_t> labels;             // [rows], of classes
  std::vector<float> targets;                   // [rows, outputs], of labels and values
  std::vector<float> weights;                   // [rows]; empty: all are 1
  std::vector<std::vector<float>> predictions;  // [candidates], each [rows, outputs]

  HeldOutTargets held_out(const DataSet& data) const {
    return {data.task,
            rows.count(),
            data.output_count,
            labels.empty() ? nullptr : labels.data(),
            targets.empty() ? nullptr : targets.data(),
            weights.empty() ? nullptr : weights.data()};
  }
};

namespace {

// The mean of the losses of all selections after each step.
std::vector<double> mean_step_losses(const GreedyEnsemble& greedy) {
  std::vector<double> means(GreedySelection::steps);
  for (const GreedySelection& part : greedy.parts)
    for (std::size_t step = 0; step < means.size(); ++step)
      means[step] += part.losses[step] / static_cast<double>(greedy.parts.size());
  return means;
}

std::vector<std::int64_t> numbers_in(const std::vector<IndexRange>& ranges) {
  std::vector<std::int64_t> numbers;
  for (const IndexRange& range : ranges)
    for (std::int64_t number = range.begin; number < range.end; ++number) numbers.push_back(number);
  return numbers;
}

// The candidates with a weight, by weight; of equal ones the better trial first.
std::vector<std::size_t> by_weight(const std::vector<double>& weights) {
  std::vector<std::size_t> chosen;
  for (std::size_t candidate = 0; candidate < weights.size(); ++candidate)
    if (weights[candidate] > 0) chosen.push_back(candidate);
  std::stable_sort(chosen.begin(), chosen.end(),
                   [&](std::size_t one, std::size_t other) { return weights[one] > weights[other]; });
  return chosen;
}

}  // namespace

EnsembleSelection::EnsembleSelection(const TrainingContext& context, const std::vector<std::string>& files)
    : context_(context), files_(files), stored_(static_cast<std::size_t>(context.plan.iteration_count())) {
  for (std::int64_t repeat = 0; repeat < context.plan.repeats(); ++repeat)
    for (std::int64_t fold = 0; fold < context.plan.folds(); ++fold)
      context.splits->rows_of_split(repeat, fold, splits_.emplace_back());
}

void EnsembleSelection::add(const JournaledIteration& iteration) {
  stored_[static_cast<std::size_t>(iteration.trained.result.iteration)] = {iteration.predictions, iteration.file};
}

const RowSet& EnsembleSelection::validation_rows(std::int64_t repeat, std::int64_t fold) const {
  return splits_[static_cast<std::size_t>(repeat * context_.plan.folds() + fold)].validation_rows;
}

std::vector<float> EnsembleSelection::mean_predictions(const TrialSummary& trial, const HeldOutRows& rows) const {
  HeldOutRows::Mean mean(rows, context_.data->output_count);
  for (const std::int64_t number : numbers_in(context_.plan.fits_of_trial(trial.stage, trial.trial))) {
    const Stored& stored = stored_[static_cast<std::size_t>(number)];
    JournaledIteration iteration;
    iteration.trained.result.iteration = number;
    iteration.predictions = stored.location;
    iteration.file = stored.file;
    const Iteration model = context_.plan.iteration(number);
    mean.add(validation_rows(model.repeat, model.fold), read_predictions(files_, iteration).data());
  }
  return mean.values();
}

EnsembleSelection::Library EnsembleSelection::read(std::vector<TrialSummary> candidates, std::int64_t threads) const {
  const DataSet& data = *context_.data;
  std::vector<RowSet> validations;
  for (const Split& split : splits_) validations.push_back(split.validation_rows);
  Library library{std::move(candidates), HeldOutRows(validations, data.rows), {}, {}, {}, {}};
  for (const std::int64_t row : library.rows.numbers()) {
    if (data.task == Task::classification)
      library.labels.push_back(data.labels[row]);
    else
      library.targets.insert(library.targets.end(), data.targets + row * data.output_count,
                             data.targets + (row + 1) * data.output_count);
  }
  if (context_.study->search.weighted) {
    const TrainOptions train = context_.plan.trial(library.candidates.front().trial).train;
    HeldOutRows::Mean mean(library.rows, 1);
    for (const Split& split : splits_)
      mean.add(split.validation_rows,
               scoring_weights(context_.study, train, data, split.training_rows, split.validation_rows).data());
    library.weights = mean.values();
  }
  library.predictions.resize(library.candidates.size());
  for_each_index({0, static_cast<std::int64_t>(library.candidates.size())}, threads, [&]() -> IndexWork {
    return [&](std::int64_t index) {
      const auto candidate = static_cast<std::size_t>(index);
      library.predictions[candidate] = mean_predictions(library.candidates[candidate], library.rows);
    };
  });
  return library;
}

double EnsembleSelection::score_of(const Library& library, const std::vector<float>& predictions) const {
  const TrainOptions train = context_.plan.trial(library.candidates.front().trial).train;
  const bool are_probabilities = context_.data->task != Task::regression;
  return prediction_scores({score_metric(context_.study)},
                           {scoring_of(train, *context_.data, are_probabilities), predictions, *context_.data,
                            library.rows.set(), library.weights})
      .front();
}

EnsembleMember EnsembleSelection::member_of(const Library& library, std::size_t candidate,
                                            const GreedyEnsemble& greedy) const {
  const Plan& plan = context_.plan;
  const TrialSummary& trial = library.candidates[candidate];
  EnsembleMember member;
  member.trial = trial.trial;
  member.weight = greedy.weights[candidate];
  member.loss = greedy.single_losses[candidate];
  member.score = score_of(library, library.predictions[candidate]);
  const auto values = effective_values(plan, trial.trial);
  for (std::size_t key = 0; key < values.size(); ++key)
    if (values[key]) member.values.emplace_back(plan.searched_keys()[key], *values[key]);
  for (const std::int64_t number : numbers_in(plan.fits_of_trial(trial.stage, trial.trial)))
    member.files.push_back(model_name(plan, number));
  return member;
}

std::optional<TrialEnsemble> EnsembleSelection::select(const std::vector<TrialSummary>& trials,
                                                       const std::function<bool(IndexRange iterations)>& has_models,
                                                       std::int64_t threads) const {
  const auto has_predictions = [&](IndexRange iterations) {
    const auto at = [&](std::int64_t number) { return stored_.begin() + static_cast<std::ptrdiff_t>(number); };
    return std::all_of(at(iterations.begin), at(iterations.end),
                       [](const Stored& stored) { return stored.location.bytes > 0; });
  };
  auto candidates = ensemble_candidates(context_.plan, trials, [&](IndexRange iterations) {
    return has_predictions(iterations) && has_models(iterations);
  });
  if (candidates.empty()) return std::nullopt;
  const DataSet& data = *context_.data;
  const Library library = read(std::move(candidates), threads);
  CandidatePredictions pointers;
  for (const auto& predictions : library.predictions) pointers.push_back(predictions.data());
  const auto greedy = greedy_ensemble(library.held_out(data), pointers, context_.study->study.seed, threads);
  if (!greedy) return std::nullopt;

  TrialEnsemble ensemble;
  ensemble.task = setting_text(context_.study, "data.task");
  ensemble.outputs = data.output_count;
  ensemble.class_names = data.class_names;
  ensemble.rows = library.rows.count();
  ensemble.candidates = static_cast<std::int64_t>(library.candidates.size());
  ensemble.selections = static_cast<std::int64_t>(greedy->parts.size());
  ensemble.loss = greedy->loss;
  ensemble.metric = score_metric(context_.study).label();
  ensemble.step_losses = mean_step_losses(*greedy);
  PredictionMean mean;
  for (const std::size_t candidate : by_weight(greedy->weights)) {
    ensemble.members.push_back(member_of(library, candidate, *greedy));
    const auto& predictions = library.predictions[candidate];
    mean.add(predictions.data(), predictions.size(), greedy->weights[candidate]);
  }
  std::vector<float> predictions(mean.size());
  mean.write(predictions.data());
  ensemble.score = score_of(library, predictions);
  return ensemble;
}

}  // namespace sheaf

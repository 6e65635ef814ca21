// SPDX-License-Identifier: MIT
#include "search/greedy_ensemble.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/index_range.hpp"
#include "core/parallel.hpp"
#include "core/random/random_stream.hpp"
#include "training/metrics/scoring.hpp"

namespace sheaf {
namespace {

using RowWeights = std::vector<double>;  // [rows]; empty: all are 1

// A loss is a mean over terms: of classes, one for each row, from the probability of its label; otherwise one for each
// output of each row.
std::int64_t terms_per_row(const HeldOutTargets& targets) {
  return targets.task == Task::classification ? 1 : targets.outputs;
}

// Calls `use` with a function that returns the prediction that matters for a term.
template <class Use>
auto with_term_predictions(const HeldOutTargets& targets, const float* predictions, const Use& use) {
  if (targets.task != Task::classification) return use([=](std::int64_t term) { return double{predictions[term]}; });
  return use([=, labels = targets.labels, outputs = targets.outputs](std::int64_t row) {
    return double{predictions[row * outputs + labels[row]]};
  });
}

// Numbers that are computed side by side, since each step of a single sum or product would wait for the one before.
constexpr std::int64_t lanes = 4;

// The sum of the negative logarithms of probabilities. One logarithm of a product replaces several: that of 16 clipped
// probabilities is above 1e-251, so it is as exact.
template <class Probability>
double log_loss_sum(std::int64_t begin, std::int64_t end, const Probability& probability) {
  constexpr std::int64_t factors = 16;
  double sum = 0;
  for (; begin + factors <= end; begin += factors) {
    double products[lanes] = {1, 1, 1, 1};
    for (std::int64_t term = begin; term < begin + factors; term += lanes)
      for (std::int64_t lane = 0; lane < lanes; ++lane) products[lane] *= clipped_probability(probability(term + lane));
    sum -= std::log((products[0] * products[1]) * (products[2] * products[3]));
  }
  if (begin < end) {
    double product = 1;
    for (; begin < end; ++begin) product *= clipped_probability(probability(begin));
    sum -= std::log(product);
  }
  return sum;
}

// The weighted mean over rows of sum(begin, end), which is the sum of the losses of some terms.
template <class Sum>
double mean_over_rows(const HeldOutTargets& targets, const RowWeights& weights, const Sum& sum) {
  const std::int64_t width = terms_per_row(targets);
  if (weights.empty()) return sum(0, targets.rows * width) / static_cast<double>(targets.rows * width);
  double losses = 0, weight_sum = 0;
  for (std::int64_t row = 0; row < targets.rows; ++row) {
    const double weight = weights[static_cast<std::size_t>(row)];
    if (weight == 0) continue;  // the row may have predictions that are not finite
    losses += weight * sum(row * width, (row + 1) * width);
    weight_sum += weight;
  }
  return losses / weight_sum / static_cast<double>(width);
}

// The loss of an ensemble that predicts mean(term).
template <class Mean>
double loss_of(const HeldOutTargets& targets, const RowWeights& weights, const Mean& mean) {
  const float* const values = targets.targets;
  switch (targets.task) {
    case Task::classification:
      return mean_over_rows(targets, weights,
                            [&](std::int64_t begin, std::int64_t end) { return log_loss_sum(begin, end, mean); });
    case Task::multilabel:
      return mean_over_rows(targets, weights, [&](std::int64_t begin, std::int64_t end) {
        return log_loss_sum(begin, end, [&](std::int64_t term) {
          const double target = double{values[term]};
          return (1 - target) + (2 * target - 1) * mean(term);  // exact, and without branches
        });
      });
    default:
      break;
  }
  return mean_over_rows(targets, weights, [&](std::int64_t begin, std::int64_t end) {
    const auto square = [&](std::int64_t term) {
      const double error = double{values[term]} - mean(term);
      return error * error;
    };
    double sums[lanes] = {0, 0, 0, 0};
    for (; begin + lanes <= end; begin += lanes)
      for (std::int64_t lane = 0; lane < lanes; ++lane) sums[lane] += square(begin + lane);
    for (; begin < end; ++begin) sums[0] += square(begin);
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
  });
}

// Sums of predictions, by term.
class PredictionSums {
 public:
  explicit PredictionSums(const HeldOutTargets& targets)
      : targets_(targets), sums_(static_cast<std::size_t>(targets.rows * terms_per_row(targets))) {}

  void add(const float* predictions, double weight) {
    with_term_predictions(targets_, predictions, [&](const auto& prediction) {
      for (std::size_t term = 0; term < sums_.size(); ++term)
        sums_[term] += weight * prediction(static_cast<std::int64_t>(term));
    });
    weight_sum_ += weight;
  }

  double loss(const RowWeights& weights) const {
    return loss_of(targets_, weights,
                   [&](std::int64_t term) { return sums_[static_cast<std::size_t>(term)] / weight_sum_; });
  }

  // The loss if a candidate were added with the weight 1.
  double loss_with(const float* predictions, const RowWeights& weights) const {
    return with_term_predictions(targets_, predictions, [&](const auto& prediction) {
      // Quotients, since the mean of equal predictions is then exactly the same in all steps.
      return loss_of(targets_, weights, [&, sums = sums_.data(), count = weight_sum_ + 1](std::int64_t term) {
        return (sums[term] + prediction(term)) / count;
      });
    });
  }

 private:
  const HeldOutTargets& targets_;
  std::vector<double> sums_;
  double weight_sum_ = 0;
};

std::vector<std::int64_t> rows_with_weight(const HeldOutTargets& targets, const RowWeights& weights) {
  std::vector<std::int64_t> rows;
  for (std::int64_t row = 0; row < targets.rows; ++row)
    if (weights.empty() || weights[static_cast<std::size_t>(row)] > 0) rows.push_back(row);
  return rows;
}

// The candidates whose predictions for these rows are finite.
std::vector<std::size_t> usable_candidates(const HeldOutTargets& targets, const CandidatePredictions& candidates,
                                           const std::vector<std::int64_t>& rows) {
  std::vector<std::size_t> usable;
  for (std::size_t candidate = 0; candidate < candidates.size(); ++candidate) {
    const bool is_finite = std::all_of(rows.begin(), rows.end(), [&](std::int64_t row) {
      const float* const predictions = candidates[candidate] + row * targets.outputs;
      return std::all_of(predictions, predictions + targets.outputs, [](float value) { return std::isfinite(value); });
    });
    if (is_finite) usable.push_back(candidate);
  }
  return usable;
}

// The loss of the sums with each of the candidates: [all candidates]; NaN for those that are not usable.
std::vector<double> losses_with(const PredictionSums& sums, const CandidatePredictions& candidates,
                                const std::vector<std::size_t>& usable, const RowWeights& weights,
                                std::int64_t threads) {
  std::vector<double> losses(candidates.size(), std::numeric_limits<double>::quiet_NaN());
  for_each_index({0, static_cast<std::int64_t>(usable.size())}, threads, [&] {
    return [&](std::int64_t index) {
      const std::size_t candidate = usable[static_cast<std::size_t>(index)];
      losses[candidate] = sums.loss_with(candidates[candidate], weights);
    };
  });
  return losses;
}

GreedySelection select(const HeldOutTargets& targets, const CandidatePredictions& candidates,
                       const std::vector<std::size_t>& usable, const RowWeights& weights, std::int64_t threads) {
  GreedySelection selection;
  PredictionSums sums(targets);
  for (std::size_t step = 0; step < GreedySelection::steps; ++step) {
    const std::vector<double> losses = losses_with(sums, candidates, usable, weights, threads);
    const std::size_t best = *std::min_element(
        usable.begin(), usable.end(), [&](std::size_t one, std::size_t other) { return losses[one] < losses[other]; });
    sums.add(candidates[best], 1);
    selection.chosen.push_back(best);
    selection.losses.push_back(losses[best]);
  }
  const auto least = std::min_element(selection.losses.begin(), selection.losses.end());
  selection.best_steps = static_cast<std::size_t>(least - selection.losses.begin()) + 1;
  return selection;
}

RowWeights given_weights(const HeldOutTargets& targets) {
  if (targets.weights == nullptr) return {};
  return {targets.weights, targets.weights + targets.rows};
}

// As many rows as there are, drawn with replacement, in ascending order.
std::vector<std::int64_t> drawn_rows(const std::vector<std::int64_t>& rows, RandomStream stream) {
  std::vector<std::int64_t> drawn;
  for (std::size_t draw = 0; draw < rows.size(); ++draw) drawn.push_back(rows[stream.below(rows.size())]);
  std::sort(drawn.begin(), drawn.end());
  return drawn;
}

// What a selection needs of some rows: of classes, only the probabilities of the labels.
class RowsOfLibrary {
 public:
  RowsOfLibrary(const HeldOutTargets& targets, const CandidatePredictions& candidates,
                const std::vector<std::int64_t>& rows)
      : labels_(rows.size()), predictions_(candidates.size()) {
    const std::int64_t width = terms_per_row(targets);
    const auto append = [&](std::vector<float>& to, const auto& value) {
      for (const std::int64_t row : rows)
        for (std::int64_t term = row * width; term < (row + 1) * width; ++term)
          to.push_back(static_cast<float>(value(term)));
    };
    if (targets.targets != nullptr) append(targets_, [&](std::int64_t term) { return targets.targets[term]; });
    for (std::size_t candidate = 0; candidate < candidates.size(); ++candidate) {
      predictions_[candidate].reserve(rows.size() * static_cast<std::size_t>(width));
      with_term_predictions(targets, candidates[candidate],
                            [&](const auto& prediction) { append(predictions_[candidate], prediction); });
      pointers_.push_back(predictions_[candidate].data());
    }
    held_out_ = {targets.task,   static_cast<std::int64_t>(rows.size()),       width,
                 labels_.data(), targets_.empty() ? nullptr : targets_.data(), nullptr};
  }
  RowsOfLibrary(const RowsOfLibrary&) = delete;
  RowsOfLibrary& operator=(const RowsOfLibrary&) = delete;

  const HeldOutTargets& targets() const { return held_out_; }
  const CandidatePredictions& candidates() const { return pointers_; }

 private:
  std::vector<std::int64_t> labels_;  // [rows], all 0
  std::vector<float> targets_;
  std::vector<std::vector<float>> predictions_;
  CandidatePredictions pointers_;
  HeldOutTargets held_out_;
};

// A selection for a bootstrap of `rows`, those with a weight.
GreedySelection select_for_bootstrap(const HeldOutTargets& targets, const CandidatePredictions& candidates,
                                     const std::vector<std::size_t>& usable, const RowWeights& weights,
                                     const std::vector<std::int64_t>& rows, RandomStream stream) {
  constexpr std::int64_t one_thread = 1;
  const std::vector<std::int64_t> drawn = drawn_rows(rows, stream);
  if (weights.empty()) {
    const RowsOfLibrary library(targets, candidates, drawn);
    return select(library.targets(), library.candidates(), usable, {}, one_thread);
  }
  RowWeights of_draws(static_cast<std::size_t>(targets.rows));  // how often each is drawn, times its own weight
  for (const std::int64_t row : drawn)
    of_draws[static_cast<std::size_t>(row)] += weights[static_cast<std::size_t>(row)];
  return select(targets, candidates, usable, of_draws, one_thread);
}

}  // namespace

std::vector<double> GreedySelection::weights(std::size_t candidates) const {
  std::vector<double> weights(candidates);
  for (std::size_t step = 0; step < best_steps; ++step) ++weights[chosen[step]];
  for (double& weight : weights) weight /= static_cast<double>(best_steps);
  return weights;
}

std::optional<GreedySelection> select_greedily(const HeldOutTargets& targets, const CandidatePredictions& candidates,
                                               const std::vector<double>& row_weights, std::int64_t threads) {
  const std::vector<std::int64_t> rows = rows_with_weight(targets, row_weights);
  const std::vector<std::size_t> usable = usable_candidates(targets, candidates, rows);
  if (rows.empty() || usable.empty()) return std::nullopt;
  return select(targets, candidates, usable, row_weights, threads);
}

double expected_selection_seconds(Task task, std::int64_t rows, std::int64_t outputs, std::int64_t candidates,
                                  std::int64_t threads) {
  // For a row of a candidate in one step: the log loss of classes reads one probability, the others all outputs.
  const double row_seconds = task == Task::classification ? 3e-9
                             : task == Task::multilabel   ? 1.4e-9 * static_cast<double>(outputs)
                                                          : 0.7e-9 * static_cast<double>(outputs);
  const bool has_bootstraps = rows < GreedyEnsemble::bootstrapped_below;
  const std::int64_t selections = has_bootstraps ? GreedyEnsemble::bootstraps : 1;
  const std::int64_t parts = has_bootstraps ? selections : std::max<std::int64_t>(candidates, 1);  // side by side
  return static_cast<double>(selections * static_cast<std::int64_t>(GreedySelection::steps) * candidates) *
         static_cast<double>(rows) * row_seconds / static_cast<double>(std::min(threads, parts));
}

std::optional<GreedyEnsemble> greedy_ensemble(const HeldOutTargets& targets, const CandidatePredictions& candidates,
                                              std::uint64_t seed, std::int64_t threads) {
  const RowWeights weights = given_weights(targets);
  const std::vector<std::int64_t> rows = rows_with_weight(targets, weights);
  const std::vector<std::size_t> usable = usable_candidates(targets, candidates, rows);
  if (rows.empty() || usable.empty()) return std::nullopt;
  GreedyEnsemble ensemble;
  ensemble.single_losses = losses_with(PredictionSums(targets), candidates, usable, weights, threads);
  if (static_cast<std::int64_t>(rows.size()) >= GreedyEnsemble::bootstrapped_below) {
    ensemble.parts.push_back(select(targets, candidates, usable, weights, threads));
  } else {
    ensemble.parts.resize(GreedyEnsemble::bootstraps);
    for_each_index({0, static_cast<std::int64_t>(GreedyEnsemble::bootstraps)}, threads, [&] {
      return [&](std::int64_t number) {
        ensemble.parts[static_cast<std::size_t>(number)] =
            select_for_bootstrap(targets, candidates, usable, weights, rows,
                                 RandomStream(seed, Purpose::ensemble_rows, static_cast<std::uint64_t>(number)));
      };
    });
  }
  ensemble.weights.resize(candidates.size());
  for (const GreedySelection& part : ensemble.parts) {
    const std::vector<double> of_part = part.weights(candidates.size());
    for (std::size_t candidate = 0; candidate < candidates.size(); ++candidate)
      ensemble.weights[candidate] += of_part[candidate] / static_cast<double>(ensemble.parts.size());
  }
  PredictionSums sums(targets);
  for (const std::size_t candidate : usable)
    if (ensemble.weights[candidate] > 0) sums.add(candidates[candidate], ensemble.weights[candidate]);
  ensemble.loss = sums.loss(weights);
  return ensemble;
}

}  // namespace sheaf

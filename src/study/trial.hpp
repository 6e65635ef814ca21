// A trial (a point of the search space) and the iterations that train it.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "study/data_options.hpp"
#include "study/model_options.hpp"
#include "study/train_options.hpp"

namespace sheaf {

/// One point of the search space: everything in which the trials of a study may differ. A study without a search has
/// one trial.
struct Trial {
  std::vector<std::string> values;  ///< values of the searched keys, in their order, in canonical form
  ModelOptions model;
  TrainOptions train;
  Normalize normalize = Normalize::none;  ///< data.normalize
};

/// What trials need of the training rows to scale and embed features.
struct ScalingKind {
  Normalize normalize = Normalize::none;
  Embedding embedding = Embedding::none;

  ScalingKind(Normalize value, Embedding of_model = Embedding::none) : normalize(value), embedding(of_model) {}
  bool operator<(const ScalingKind& other) const {
    return std::tie(normalize, embedding) < std::tie(other.normalize, other.embedding);
  }
  bool operator!=(const ScalingKind& other) const { return *this < other || other < *this; }
};

/// What a trial needs.
inline ScalingKind scaling_kind(const Trial& trial) {
  return {trial.normalize, embeds_numbers(trial.model) ? trial.model.embedding : Embedding::none};
}

/// Identifies an iteration and its result. All indices count from 0.
struct IterationKey {
  std::int64_t stage = 0;
  std::int64_t trial = 0;
  std::int64_t repeat = 0;
  std::int64_t fold = 0;
  std::int64_t member = 0;

  bool operator==(const IterationKey& other) const {
    return std::tie(stage, trial, repeat, fold, member) ==
           std::tie(other.stage, other.trial, other.repeat, other.fold, other.member);
  }
  bool operator<(const IterationKey& other) const {
    return std::tie(stage, trial, repeat, fold, member) <
           std::tie(other.stage, other.trial, other.repeat, other.fold, other.member);
  }
};

/// The key of the training that an iteration begins or continues: iterations of several stages have the same.
constexpr IterationKey training_of(IterationKey iteration) {
  iteration.stage = 0;
  return iteration;
}

/// Counts the iterations of a study for their seeds. It does not depend on the stage or on the numbers of trials,
/// repeats, folds and members, so that a study keeps the results of its iterations when it gets more of them. Different
/// keys have different counters, except with a probability of 2^-64 for each pair. Pure.
constexpr std::uint64_t seed_counter(const IterationKey& key) {
  const auto times = [](std::int64_t index, std::uint64_t step) { return static_cast<std::uint64_t>(index) * step; };
  return times(key.repeat, 1) + times(key.trial, 0x9e3779b97f4a7c15) + times(key.fold, 0xc2b2ae3d27d4eb4f) +
         times(key.member, 0x165667b19e3779f9);
}

/// An iteration, with its number over all stages and its seed.
struct Iteration : IterationKey {
  std::int64_t number = 0;
  std::uint64_t seed = 0;
};

}  // namespace sheaf

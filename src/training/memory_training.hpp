// How an iteration is trained on data in memory, by any engine.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "data/dataset.hpp"
#include "data/splits.hpp"
#include "study/plan.hpp"
#include "training/iteration_result.hpp"
#include "training/trainer.hpp"
#include "training/training_context.hpp"

namespace sheaf {

/// What an iteration trains on: the study's data set or one drawn for it, and its split.
struct IterationInput {
  DataSet data;
  std::shared_ptr<const Split> split;
};

/// Finds each iteration's input. Not shared between threads.
class IterationInputs {
 public:
  explicit IterationInputs(const TrainingContext& context);
  IterationInput of(const Iteration& iteration) const;

 private:
  TrainingContext context_;
  std::shared_ptr<const Split> whole_;  // of drawn data that is neither split nor scaled, the same for all
};

/// Adds what is asked of a finished iteration besides its result: for ensembles the predictions, of the validation
/// rows' `outputs`; for `run.models` the network with the scaling of its split.
void add_products(const TrainingContext& context, const Trial& trial, const Split& split, const Trainer& trainer,
                  std::vector<float>&& outputs, TrainedIteration& trained);

/// Trains an iteration of the plan on its input: its epochs until the loss is no longer finite, its validation. Begins
/// with the last checkpoint, if there is one, and makes others, between any two batches and before a validation. When
/// `stop_requested` becomes true and it would take more than `most_seconds_after_stop` (piece_size.hpp) still, it
/// leaves a checkpoint and nothing else: a result of status `missing`.
TrainedIteration train_iteration(const TrainingContext& context, const Iteration& iteration,
                                 const IterationInput& input, Trainer& trainer,
                                 const std::function<bool()>& stop_requested);

}  // namespace sheaf

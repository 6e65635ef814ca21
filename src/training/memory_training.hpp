// Trains an iteration on data in memory, with any engine.
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

/// The data of an iteration: the study's data set, or synthetic data for this iteration, its split, and the scaling of
/// its trial.
struct IterationInput {
  DataSet data;
  std::shared_ptr<const Split> split;
  std::shared_ptr<const FeatureScaling> scaling;
  double seconds = 0;  ///< of drawing and splitting own data; 0: the data are those of the study
};

/// Provides the input of each iteration. Not shared between threads.
class IterationInputs {
 public:
  explicit IterationInputs(const TrainingContext& context);
  /// `trial`: that of the iteration.
  IterationInput of(const Iteration& iteration, const Trial& trial) const;

 private:
  TrainingContext context_;
  std::shared_ptr<const Split> whole_;  // the common split if synthetic data are not divided
  std::shared_ptr<const FeatureScaling> no_scaling_ = std::make_shared<FeatureScaling>();
};

/// Trains and validates an iteration of the plan on its input. `trial`: that of the iteration. Training ends
/// early if the loss becomes infinite or NaN. It starts from the last checkpoint, if there is one, and saves
/// checkpoints between batches and before a validation. With checkpoints, once `stop_requested` returns true, the
/// iteration is finished only if this takes at most `max_seconds_after_stop` (piece_size.hpp); otherwise a checkpoint
/// is saved, and the result has the status `missing`. Without checkpoints it is always finished.
TrainedIteration train_iteration(const TrainingContext& context, const Iteration& iteration, const Trial& trial,
                                 const IterationInput& input, Trainer& trainer,
                                 const std::function<bool()>& stop_requested);

/// Trains an iteration of `stage`, a later one, ahead. Ends before the last validation, and as soon as `stop_requested`
/// returns true, and saves a checkpoint there. train_iteration() continues from it when the stage has begun, with the
/// same result. Requires checkpoints.
void train_ahead(const TrainingContext& context, const Iteration& iteration, const Trial& trial, const Stage& stage,
                 const IterationInput& input, Trainer& trainer, const std::function<bool()>& stop_requested);

}  // namespace sheaf

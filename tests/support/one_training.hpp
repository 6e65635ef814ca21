// A single training task, for tests of a trainer without an engine.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "models/initial_weights.hpp"
#include "support/whole_plan.hpp"
#include "training/trainer.hpp"
#include "training/training_cost.hpp"

namespace sheaf::test {

/// Iteration 0 of a study over `data`. Owns everything that its task refers to.
class OneTraining {
 public:
  OneTraining(const Study& study, DataSet data)
      : plan_(whole_plan(study)),
        trial_(plan_.trial(0)),
        data_(std::move(data)),
        split_(Splits(study, data_).split(0, 0)),
        scaling_(Splits(study, data_).scaling(0, 0, scaling_kind(trial_))),
        layers_(network_layout(study.model, shape_of(data_, study.data))),
        seed_(plan_.iteration(0).seed),
        weights_(initial_weights(layers_, study.model.initialization, seed_)) {}
  OneTraining(const OneTraining&) = delete;
  OneTraining& operator=(const OneTraining&) = delete;

  TrainingTask task() const {
    return {trial_, layers_, weights_, data_, *split_, *scaling_, split_->training_rows, seed_};
  }
  std::vector<std::int64_t> validation_rows() const { return split_->validation_rows.list(); }

 private:
  Plan plan_;
  Trial trial_;
  DataSet data_;
  std::shared_ptr<const Split> split_;
  std::shared_ptr<const FeatureScaling> scaling_;
  std::vector<Layer> layers_;
  std::uint64_t seed_;
  std::vector<float> weights_;
};

}  // namespace sheaf::test

// The course of one iteration on a data set that passes in windows.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "dataset/dataset.hpp"
#include "dataset/splits.hpp"
#include "dataset/stream.hpp"
#include "engine/engine.hpp"
#include "engine/training.hpp"
#include "plan/network_layout.hpp"
#include "plan/plan.hpp"

namespace sheaf {

/// Trains its own rows of each window, shuffled, in batches that do not end with a window: what is left over waits for
/// the next one. Not shared between threads.
class StreamedCourse {
 public:
  /// `context.data` has no features. `trainer` has trained nothing else since it was made, or is done with it.
  StreamedCourse(const TrainingContext& context, const Iteration& iteration, std::unique_ptr<Trainer> trainer,
                 TrainedBy engine);

  /// To be called for every window of a round, in order.
  void use(const Window& window);

  /// After the round's last window.
  TrainedIteration finish();

 private:
  std::vector<std::int64_t> places_in(const Window& window, const std::vector<std::int64_t>& rows) const;
  void train(const Window& window);
  void end_epoch();
  void evaluate(const Window& window);
  void end_validation();
  void train_left_over();
  void keep_row(const DataSet& data, std::int64_t place);

  // Rows of windows that are gone, fewer than a batch.
  struct LeftOver {
    std::vector<float> features;
    std::vector<std::uint8_t> bytes;
    std::vector<std::int64_t> labels;
    std::vector<float> targets, weights;
    std::int64_t count = 0;
  };

  const TrainingContext& context_;
  const Trial& trial_;
  const std::shared_ptr<const Split> split_;
  const std::vector<std::int64_t> rows_;  // that it trains on; ascending
  const std::int64_t batch_size_;
  const std::vector<Layer> layers_;
  const std::vector<float> weights_;
  const std::unique_ptr<Trainer> trainer_;
  LeftOver left_over_;
  double loss_sum_ = 0;
  std::vector<float> outputs_;  // of the validation rows
  TrainedIteration trained_;
};

}  // namespace sheaf

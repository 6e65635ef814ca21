// The training of one iteration on a data set that passes in windows.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "data/dataset.hpp"
#include "data/splits.hpp"
#include "data/stream/stream.hpp"
#include "models/network_layout.hpp"
#include "study/plan.hpp"
#include "training/piece_size.hpp"
#include "training/trainer.hpp"
#include "training/training_context.hpp"
#include "training/training_loop.hpp"

namespace sheaf {

/// Trains its own rows of each window, shuffled, in batches that do not end with a window: what is left over waits for
/// the next one. Between any two batches it can be kept as a checkpoint. Not shared between threads.
class StreamedTraining {
 public:
  /// `context.data` has no features. `trainer` has trained nothing else since it was made, or is done with it. Goes on
  /// from the iteration's checkpoint, if there is one.
  StreamedTraining(const TrainingContext& context, const Iteration& iteration, std::unique_ptr<Trainer> trainer);

  /// The first window that it needs, counted from the first pass on.
  std::int64_t next_window() const;

  /// To be called for every window of a round, in order; it takes those that come next for it. `should_stop` is asked
  /// several times a second: true ends it there, perhaps in the middle of the window, and nothing but keep() may
  /// follow.
  void use(const Window& window, const std::function<bool()>& should_stop);

  /// Everything is trained and validated.
  bool is_done() const { return loop_.next() == TrainingLoop::Next::end; }

  /// It has trained all epochs that come before its next validation.
  bool awaits_validation() const { return loop_.next() == TrainingLoop::Next::validate; }

  /// Makes a checkpoint if it has trained since the last one. Throws DeviceError.
  void keep();

  /// When it is done.
  TrainedIteration finish();

 private:
  std::vector<std::int64_t> places_in(const Window& window, const RowSet& rows) const;
  void start(std::uint64_t seed);
  TrainingLoop new_loop() const;
  void restore(ByteReader& state);
  std::int64_t windows_of_pass() const;
  std::int64_t rows_in_window(std::int64_t epoch, std::int64_t window) const;
  void train(const Window& window, const std::function<bool()>& should_stop);
  void train_rows(const DataSet& data, const std::int64_t* rows, std::int64_t count);
  bool evaluate(const Window& window, const std::function<bool()>& should_stop);
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

    void save(ByteWriter& state) const;
    void restore(ByteReader& state);
    bool fits(const DataSet& data) const;
  };

  const TrainingContext& context_;
  const Trial trial_;
  const std::shared_ptr<const Split> split_;
  const RowSet rows_;  // that it trains on
  const std::int64_t batch_size_;
  const std::vector<Layer> layers_;
  const std::vector<float> weights_;
  const std::unique_ptr<Trainer> trainer_;
  TrainingLoop loop_;
  const LearningRate rate_;
  PieceSize piece_;
  double seconds_ = 0;           // that it has taken
  std::int64_t kept_steps_ = 0;  // of the last checkpoint

  // Where it is in the pass that trains the next epoch: after `windows_` windows and `place_` rows of the one that
  // follows.
  std::int64_t windows_ = 0, place_ = 0;
  LeftOver left_over_;
  double validation_sum_ = 0;   // of the losses of the validation rows
  std::vector<float> outputs_;  // of these rows
  TrainedIteration trained_;
};

}  // namespace sheaf

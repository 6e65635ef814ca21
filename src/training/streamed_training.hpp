// Trains one iteration on streamed data, window by window.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "data/dataset.hpp"
#include "data/splits.hpp"
#include "data/stream/stream.hpp"
#include "study/plan.hpp"
#include "training/iteration_training.hpp"
#include "training/piece_size.hpp"
#include "training/trainer.hpp"
#include "training/training_context.hpp"

namespace sheaf {

/// Trains on the iteration's rows of each window, shuffled. Batches may span windows: rows left over from a window wait
/// for the next one. A checkpoint can be saved between any two batches. Not shared between threads.
class StreamedTraining {
 public:
  /// `context.data` has no features. `trainer` must not be in the middle of another training. Continues from the
  /// iteration's checkpoint, if there is one.
  StreamedTraining(const TrainingContext& context, const Iteration& iteration, std::unique_ptr<Trainer> trainer);

  /// The end of the epochs that it trains at most.
  std::int64_t end_epoch() const { return training_.loop().end_epoch(); }

  /// The next window that the training needs, counted from the start of the first pass.
  std::int64_t next_window() const;

  /// Call this for every window of a round, in order; windows that are not needed next are skipped. Calls `should_stop`
  /// several times per second. If that returns true, use() returns, perhaps in the middle of the window, and afterwards
  /// only cut_if_due() and save() may be called.
  void use(const Window& window, const std::function<bool()>& should_stop);

  /// Whether training and validation are complete.
  bool is_done() const { return training_.loop().next() == TrainingLoop::Next::end; }

  /// Whether all epochs before the next validation are trained.
  bool awaits_validation() const { return training_.loop().next() == TrainingLoop::Next::validate; }

  /// Cuts the training if that is due and its last epoch is validated. Call it after a round that was left.
  void cut_if_due() { training_.cut_if_due(); }

  /// Saves a checkpoint if there were optimizer steps since the last one. Throws DeviceError.
  void save();

  /// Returns the result. Requires is_done().
  TrainedIteration finish();

 private:
  std::vector<std::int64_t> row_numbers(const Window& window, const RowSet& rows) const;
  void restore(ByteReader& state);
  std::int64_t windows_of_pass() const;
  std::int64_t rows_in_window(std::int64_t epoch, std::int64_t window) const;
  void train(const Window& window, const std::function<bool()>& should_stop);
  void train_rows(const DataSet& data, const std::int64_t* rows, std::int64_t count);
  bool evaluate(const Window& window, const std::function<bool()>& should_stop);
  void train_left_over();
  void add_left_over(const DataSet& data, std::int64_t row);

  // Rows of earlier windows that do not fill a batch yet.
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
  const std::shared_ptr<const FeatureScaling> scaling_;
  const std::unique_ptr<Trainer> trainer_;
  IterationTraining training_;
  PieceSize piece_;
  double seconds_ = 0;  // training time so far, without that before the checkpoint

  // The position in the pass of the current epoch: `windows_` whole windows, and `used_rows_` rows of the next one.
  std::int64_t windows_ = 0, used_rows_ = 0;
  LeftOver left_over_;
};

}  // namespace sheaf

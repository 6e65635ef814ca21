// SPDX-License-Identifier: MIT
#include "engines/native/training.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include "core/error.hpp"
#include "engines/native/tiling.hpp"
#include "training/batches.hpp"

namespace sheaf {

template <class Value>
NativeTraining<Value>::NativeTraining(const std::vector<Layer>& layers, const ModelOptions& model,
                                      const TrainOptions& train, std::int64_t training_count,
                                      std::int64_t validation_count)
    : train_(train),
      training_count_(training_count),
      batch_size_(batch_rows(train, training_count)),
      output_count_(layers.back().outputs),
      one_batch_(batch_size_ == training_count && model.dropout == 0),
      keeps_(one_batch_ && training_count <= cached_rows(layers, sizeof(Value))),
      tile_limit_(keeps_ ? cached_rows(layers, sizeof(Value)) : best_tile_rows(layers, sizeof(Value))),
      network_(layers, model, train, std::min(tile_limit_, std::max(batch_size_, validation_count))) {
  reserve_batch(batch_size_);
  reserve_batch(last_tile_rows(training_count, batch_size_));
  if (validation_count > 0) reserve_batch(validation_count);
}

template <class Value>
void NativeTraining<Value>::reserve_batch(std::int64_t count) {
  const std::int64_t tile = tile_rows(count, tile_limit_);
  network_.reserve(std::min(tile, count));
  network_.reserve(last_tile_rows(count, tile));
}

template <class Value>
void NativeTraining<Value>::start(const std::vector<float>& weights, const DataSet& data, const FeatureScaling& scaling,
                                  const RowSet& rows, std::uint64_t iteration_seed) {
  assert(rows.count() == training_count_);
  ordered_ = ordered_ && rows.is_same(rows_);
  rows_ = rows;
  seed_ = iteration_seed;
  epoch_ = step_ = place_ = 0;
  loss_sum_ = 0;
  gathered_ = false;
  // Streamed rows come in the order of their windows.
  if (data.features != nullptr || data.byte_features != nullptr)
    order_.resize(static_cast<std::size_t>(training_count_));
  network_.load(weights, data, scaling);
}

// Puts the rows in the order of this epoch.
template <class Value>
void NativeTraining<Value>::order_epoch() {
  if (ordered_) return;
  epoch_order(rows_, train_.shuffle && !one_batch_, seed_, epoch_, order_.data());
  ordered_ = one_batch_;
}

template <class Value>
double NativeTraining<Value>::per_row(double loss_sum) const {
  return train_.loss == LossKind::cross_entropy || train_.reduction == Reduction::sum
             ? loss_sum
             : loss_sum / static_cast<double>(output_count_);
}

template <class Value>
std::optional<double> NativeTraining<Value>::train_batches(std::int64_t most) {
  if (place_ == 0) order_epoch();
  for (; most > 0 && place_ < training_count_; --most) {
    const std::int64_t count = std::min(batch_size_, training_count_ - place_);
    loss_sum_ += train_batch(order_.data() + place_, count);
    place_ += count;
  }
  if (place_ < training_count_) return std::nullopt;
  gathered_ = keeps_;
  ++epoch_;
  place_ = 0;
  const double sum = std::exchange(loss_sum_, 0);
  return train_.reduction == Reduction::mean ? per_row(sum) / static_cast<double>(training_count_) : sum;
}

template <class Value>
void NativeTraining<Value>::train_rows(const DataSet& data, const std::int64_t* rows, std::int64_t count,
                                       double& loss_sum) {
  network_.read_from(data);
  gathered_ = false;
  for (std::int64_t begin = 0; begin < count; begin += batch_size_)
    loss_sum += per_row(train_batch(rows + begin, std::min(batch_size_, count - begin)));
}

template <class Value>
double NativeTraining<Value>::train_batch(const std::int64_t* rows, std::int64_t count) {
  const std::int64_t tile = tile_rows(count, tile_limit_);
  const double scale = train_.reduction == Reduction::mean ? per_row(1) / static_cast<double>(count) : 1;
  double sum = 0;
  for (std::int64_t begin = 0; begin < count; begin += tile) {
    if (!gathered_) network_.gather(rows + begin, std::min(tile, count - begin), true);
    sum += network_.train({begin, begin == 0, begin + tile >= count, scale, {seed_, step_}});
  }
  ++step_;
  return sum;
}

template <class Value>
std::optional<double> NativeTraining<Value>::evaluate_tiles(const std::int64_t* rows, std::int64_t count,
                                                            float* outputs, const std::function<bool()>& should_stop) {
  const std::int64_t tile = tile_rows(count, tile_limit_);
  double sum = 0;
  gathered_ = false;  // these rows take the place of those
  for (std::int64_t done = 0; done < count; done += tile) {
    if (should_stop()) return std::nullopt;
    network_.gather(rows + done, std::min(tile, count - done), false);
    sum += network_.evaluate(outputs + done * output_count_);
  }
  return sum;
}

template <class Value>
std::optional<double> NativeTraining<Value>::evaluate(const std::vector<std::int64_t>& rows,
                                                      std::vector<float>& outputs,
                                                      const std::function<bool()>& should_stop) {
  const auto count = static_cast<std::int64_t>(rows.size());
  outputs.resize(static_cast<std::size_t>(count * output_count_));
  const auto sum = evaluate_tiles(rows.data(), count, outputs.data(), should_stop);
  if (!sum) return std::nullopt;
  return train_.reduction == Reduction::mean ? per_row(*sum) / static_cast<double>(count) : *sum;
}

template <class Value>
std::optional<double> NativeTraining<Value>::evaluate_rows(const DataSet& data, const std::int64_t* rows,
                                                           std::int64_t count, std::vector<float>& outputs,
                                                           const std::function<bool()>& should_stop) {
  if (count == 0) return 0;
  network_.read_from(data);
  reserve_batch(count);
  const std::size_t before = outputs.size();
  outputs.resize(before + static_cast<std::size_t>(count * output_count_));
  const auto sum = evaluate_tiles(rows, count, outputs.data() + before, should_stop);
  if (!sum) return std::nullopt;
  return per_row(*sum);
}

template <class Value>
void NativeTraining<Value>::save(ByteWriter& state) const {
  state.put(epoch_);
  state.put(step_);
  state.put(place_);
  state.put(loss_sum_);
  network_.save(state);
}

template <class Value>
void NativeTraining<Value>::restore(ByteReader& state) {
  epoch_ = state.get<std::int64_t>();
  step_ = state.get<std::int64_t>();
  place_ = state.get<std::int64_t>();
  loss_sum_ = state.get<double>();
  const bool has_order = !order_.empty();  // else the data are streamed
  require(place_ >= 0 && place_ < training_count_ && place_ % batch_size_ == 0 && step_ >= 0 && epoch_ >= 0 &&
              (place_ == 0 || has_order),
          "its place in the epoch is not one of this training's");
  network_.restore(state);
  if (place_ > 0) order_epoch();
}

template class NativeTraining<float>;
template class NativeTraining<double>;

}  // namespace sheaf

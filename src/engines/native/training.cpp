// SPDX-License-Identifier: MIT
#include "engines/native/training.hpp"

#include <algorithm>

#include "engines/native/gradient_terms.hpp"
#include "engines/native/tiling.hpp"
#include "training/batches.hpp"
#include "training/losses/reduction.hpp"

namespace sheaf {

template <class Value>
NativeTraining<Value>::NativeTraining(const TrainingShape& shape)
    : batch_size_(shape.batch_size),
      output_count_(shape.network.layers.back().outputs),
      one_tile_(batch_size_ == shape.training_count && !shape.network.drops &&
                shape.training_count <= cached_rows(shape.network.layers, sizeof(Value))),
      tile_limit_(one_tile_ ? cached_rows(shape.network.layers, sizeof(Value))
                            : best_tile_rows(shape.network.layers, batch_size_, sizeof(Value))),
      network_(shape.network, std::min(tile_limit_, std::max(batch_size_, shape.evaluated_count))) {
  reserve_batch(batch_size_);
  reserve_batch(last_tile_rows(shape.training_count, batch_size_));
  if (shape.evaluated_count > 0) reserve_batch(shape.evaluated_count);
}

template <class Value>
void NativeTraining<Value>::reserve_batch(std::int64_t count) {
  const std::int64_t tile = tile_rows(count, tile_limit_);
  network_.reserve(std::min(tile, count));
  network_.reserve(last_tile_rows(count, tile));
}

template <class Value>
void NativeTraining<Value>::start(const TrainingTask& task) {
  seed_ = task.seed;
  keeps_tile_ = one_tile_ && task.repeats_one_batch;
  has_tile_ = false;
  train_ = task.trial.train;
  const GradientTerms<Value> terms(train_);
  terms_ = terms;
  hook_ = terms.is_active() ? &terms_ : nullptr;
  network_.set_options(task.trial.model, task.trial.train);
  network_.load(task.weights, task.data, task.scaling, task.split.target_scaling, task.class_weights);
}

template <class Value>
void NativeTraining<Value>::read_from(const DataSet& data) {
  has_tile_ = false;
  network_.read_from(data);
}

template <class Value>
double NativeTraining<Value>::per_row(double loss_sum) const {
  return loss_sum / terms_per_row(train_.loss, output_count_);
}

template <class Value>
void NativeTraining<Value>::train(const TrainingRows& rows, const LearningRate& rate, double& loss_sum) {
  std::int64_t step = rows.first_step;
  for (std::int64_t begin = 0; begin < rows.count; begin += batch_size_, ++step)
    loss_sum += per_row(train_batch(rows.rows + begin, std::min(batch_size_, rows.count - begin), step, rate(step)));
}

template <class Value>
double NativeTraining<Value>::train_batch(const std::int64_t* rows, std::int64_t count, std::int64_t step,
                                          double rate) {
  const std::int64_t tile = tile_rows(count, tile_limit_);
  const double scale = batch_factor(train_, output_count_, count);
  double sum = 0;
  for (std::int64_t begin = 0; begin < count; begin += tile) {
    if (!has_tile_) network_.gather(rows + begin, std::min(tile, count - begin), true);
    sum += network_.train({begin, begin == 0, begin + tile >= count, scale, rate, {seed_, step}}, hook_);
  }
  has_tile_ = keeps_tile_;
  return sum;
}

template <class Value>
std::optional<double> NativeTraining<Value>::evaluate_tiles(const std::int64_t* rows, std::int64_t count,
                                                            float* outputs, const std::function<bool()>& should_stop) {
  const std::int64_t tile = tile_rows(count, tile_limit_);
  double sum = 0;
  has_tile_ = false;  // these rows replace it
  for (std::int64_t done = 0; done < count; done += tile) {
    if (should_stop()) return std::nullopt;
    network_.gather(rows + done, std::min(tile, count - done), false);
    sum += network_.evaluate(outputs + done * output_count_);
  }
  return sum;
}

template <class Value>
std::optional<double> NativeTraining<Value>::evaluate(const std::int64_t* rows, std::int64_t count,
                                                      std::vector<float>& outputs,
                                                      const std::function<bool()>& should_stop) {
  if (count == 0) return 0;
  reserve_batch(count);
  const std::size_t before = outputs.size();
  outputs.resize(before + static_cast<std::size_t>(count * output_count_));
  network_.swap_averages();
  const auto sum = evaluate_tiles(rows, count, outputs.data() + before, should_stop);
  network_.swap_averages();
  if (!sum) return std::nullopt;
  return per_row(*sum);
}

template class NativeTraining<float>;
template class NativeTraining<double>;

}  // namespace sheaf

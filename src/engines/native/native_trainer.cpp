// SPDX-License-Identifier: MIT
#include "engines/native/native_trainer.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "engines/native/flush_denormals.hpp"
#include "engines/native/kernels/kernels.hpp"
#include "engines/native/kernels/product.hpp"
#include "engines/native/training.hpp"
#include "models/target_units.hpp"
#include "training/batches.hpp"
#include "training/engine_entry.hpp"
#include "training/training_cost.hpp"

namespace sheaf {
namespace {

bool is_double(const TrainingTask& task) {
  return task.trial.train.precision == Precision::float64;
}

bool is_dropping(const TrainingTask& task) {
  return task.trial.model.dropout > 0;
}

bool is_averaging(const TrainingTask& task) {
  return task.trial.train.average != Average::none;
}

std::int64_t evaluated_count(const TrainingTask& task) {
  return std::max(task.split.validation_rows.count(), task.split.stopping_rows.count());
}

class NativeTrainer : public Trainer {
  template <class Use>
  auto visit(const Use& use) {
    return std::visit([&](auto& training) { return use(*training); }, training_);
  }

 public:
  void start(const TrainingTask& task) override {
    if (!fits(task)) make(task);
    target_scaling_ = &task.split.target_scaling;
    visit([&](auto& training) { training.start(task); });
  }

  EngineName engine() const override { return native_engine_name; }

  void read_from(const DataSet& data) override {
    visit([&](auto& training) { training.read_from(data); });
  }

  void train(const TrainingRows& rows, const LearningRate& rate, double& loss_sum) override {
    const FlushDenormals flush;
    visit([&](auto& training) { training.train(rows, rate, loss_sum); });
  }

  std::optional<double> evaluate(const std::int64_t* rows, std::int64_t count, std::vector<float>& outputs,
                                 const std::function<bool()>& should_stop) override {
    const FlushDenormals flush;
    return visit([&](auto& training) { return training.evaluate(rows, count, outputs, should_stop); });
  }

  void save(ByteWriter& state) const override {
    std::visit([&](const auto& training) { training->save(state); }, training_);
  }

  void restore(ByteReader& state) override {
    visit([&](auto& training) { training.restore(state); });
  }

  NetworkState network() const override {
    NetworkState state = std::visit([](const auto& training) { return training->state(); }, training_);
    return in_target_units(std::move(state), shape_.network.layers, *target_scaling_);
  }

 private:
  // Whether the memory and the products of the previous trainings fit the task.
  bool fits(const TrainingTask& task) const {
    const auto& [network, batch_size, training_count, evaluated_rows] = shape_;
    const auto& [layers, drops, optimizer_states, averages] = network;
    const std::int64_t count = task.rows.count();
    return std::holds_alternative<DoubleTraining>(training_) == is_double(task) && drops == is_dropping(task) &&
           optimizer_states == optimizer_state_count(task.trial.train) && averages == is_averaging(task) &&
           training_count == count && batch_size == batch_rows(task.trial.train, count) &&
           evaluated_rows == evaluated_count(task) && layers == task.layers;
  }

  // Frees the memory of the previous trainings first.
  void make(const TrainingTask& task) {
    shape_ = {};
    std::visit([](auto& training) { training.reset(); }, training_);
    const std::int64_t count = task.rows.count();
    TrainingShape shape{{task.layers, is_dropping(task), optimizer_state_count(task.trial.train), is_averaging(task)},
                        batch_rows(task.trial.train, count),
                        count,
                        evaluated_count(task)};
    if (is_double(task))
      training_ = std::make_unique<NativeTraining<double>>(shape);
    else
      training_ = std::make_unique<NativeTraining<float>>(shape);
    shape_ = std::move(shape);
  }

  using FloatTraining = std::unique_ptr<NativeTraining<float>>;
  using DoubleTraining = std::unique_ptr<NativeTraining<double>>;

  TrainingShape shape_;  // without layers before the first training
  const TargetScaling* target_scaling_ = nullptr;
  std::variant<FloatTraining, DoubleTraining> training_;
};

}  // namespace

std::string native_engine_info() {
  return std::string(instruction_set()) + ", products by " + product_library();
}

bool native_engine_needs_blas() {
  return products_need_blas();
}

std::unique_ptr<Trainer> make_native_trainer() {
  return std::make_unique<NativeTrainer>();
}

}  // namespace sheaf

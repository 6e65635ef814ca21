// SPDX-License-Identifier: MIT
#include "engines/native/native_trainer.hpp"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "engines/native/flush_denormals.hpp"
#include "engines/native/kernels.hpp"
#include "engines/native/product.hpp"
#include "engines/native/training.hpp"
#include "models/target_units.hpp"
#include "training/engine_entry.hpp"

namespace sheaf {
namespace {

// All members of a struct. A new member must be added here, otherwise this does not compile.
auto members(const Layer& layer) {
  const auto& [kind, inputs, outputs, kernel, height, width, bias, activated, stride, pooling, begins_block,
               on_shortcut, ends_block] = layer;
  return std::tie(kind, inputs, outputs, kernel, height, width, bias, activated, stride, pooling, begins_block,
                  on_shortcut, ends_block);
}

auto members(const ModelOptions& model) {
  const auto& [kind, file, hidden, channels, kernel, stem, activation, dropout, bias, initialization, keep_weights] =
      model;
  return std::tie(kind, file, hidden, channels, kernel, stem, activation, dropout, bias, initialization, keep_weights);
}

auto members(const TrainOptions& train) {
  const auto& [epochs, batch_size, shuffle, loss, reduction, optimizer, learning_rate, momentum, nesterov, weight_decay,
               beta1, beta2, alpha, epsilon, precision] = train;
  return std::tie(epochs, batch_size, shuffle, loss, reduction, optimizer, learning_rate, momentum, nesterov,
                  weight_decay, beta1, beta2, alpha, epsilon, precision);
}

template <class Options>
bool same(const Options& one, const Options& other) {
  return members(one) == members(other);
}

// The properties of a task that determine its memory and products.
struct Shape {
  std::vector<Layer> layers;
  ModelOptions model;
  TrainOptions train;
  std::int64_t training_count = 0;
  std::int64_t validation_count = 0;

  explicit Shape(const TrainingTask& task)
      : layers(task.layers),
        model(task.trial.model),
        train(task.trial.train),
        training_count(task.rows.count()),
        validation_count(task.split.validation_rows.count()) {}

  bool fits(const TrainingTask& task) const {
    return training_count == task.rows.count() && validation_count == task.split.validation_rows.count() &&
           same(train, task.trial.train) && same(model, task.trial.model) &&
           std::equal(layers.begin(), layers.end(), task.layers.begin(), task.layers.end(), same<Layer>);
  }
};

class NativeTrainer : public Trainer {
  template <class Use>
  auto visit(const Use& use) {
    return std::visit([&](auto& training) { return use(*training); }, training_);
  }

 public:
  void start(const TrainingTask& task) override {
    if (!shape_ || !shape_->fits(task)) make(task);
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
    NetworkState state{std::visit([](const auto& training) { return training->parameters(); }, training_), {}};
    return in_target_units(std::move(state), shape_->layers, *target_scaling_);
  }

 private:
  void make(const TrainingTask& task) {
    Shape shape(task);
    const auto& [layers, model, train, training_count, validation_count] = shape;
    if (train.precision == Precision::float64)
      training_ = std::make_unique<NativeTraining<double>>(layers, model, train, training_count, validation_count);
    else
      training_ = std::make_unique<NativeTraining<float>>(layers, model, train, training_count, validation_count);
    shape_ = std::move(shape);
  }

  std::optional<Shape> shape_;
  const TargetScaling* target_scaling_ = nullptr;
  std::variant<std::unique_ptr<NativeTraining<float>>, std::unique_ptr<NativeTraining<double>>> training_;
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

// SPDX-License-Identifier: MIT
#include "engines/native/native_trainer.hpp"

#include <cassert>
#include <optional>
#include <variant>

#include "engines/native/flush_denormals.hpp"
#include "engines/native/kernels.hpp"
#include "engines/native/product.hpp"
#include "engines/native/training.hpp"
#include "training/engine_entry.hpp"

namespace sheaf {
namespace {

// What a training's memory and products are made for.
struct Shape {
  const Trial* trial = nullptr;
  std::int64_t training_count = 0;
  std::int64_t validation_count = 0;

  bool operator==(const Shape& other) const {
    return trial == other.trial && training_count == other.training_count && validation_count == other.validation_count;
  }
};

class NativeTrainer : public Trainer {
  template <class Use>
  auto visit(const Use& use) {
    return std::visit([&](auto& training) { return use(*training); }, training_);
  }

 public:
  void start(const TrainingTask& task) override {
    const Shape shape{&task.trial, task.rows.count(), task.split.validation_rows.count()};
    if (!(shape == shape_)) make(task, shape);
    visit([&](auto& training) { training.start(task.weights, task.data, task.split.scaling, task.rows, task.seed); });
  }

  EngineName engine() const override { return native_engine_name; }

  std::optional<double> train_batches(std::int64_t most) override {
    const FlushDenormals flush;
    return visit([&](auto& training) { return training.train_batches(most); });
  }

  std::optional<double> evaluate(const std::vector<std::int64_t>& rows, std::vector<float>& outputs,
                                 const std::function<bool()>& should_stop) override {
    const FlushDenormals flush;
    return visit([&](auto& training) { return training.evaluate(rows, outputs, should_stop); });
  }

  void train_rows(const DataSet& data, const std::int64_t* rows, std::int64_t count, double& loss_sum) override {
    const FlushDenormals flush;
    visit([&](auto& training) { training.train_rows(data, rows, count, loss_sum); });
  }

  std::optional<double> evaluate_rows(const DataSet& data, const std::int64_t* rows, std::int64_t count,
                                      std::vector<float>& outputs, const std::function<bool()>& should_stop) override {
    const FlushDenormals flush;
    return visit([&](auto& training) { return training.evaluate_rows(data, rows, count, outputs, should_stop); });
  }

  void save(ByteWriter& state) const override {
    std::visit([&](const auto& training) { training->save(state); }, training_);
  }

  void restore(ByteReader& state) override {
    visit([&](auto& training) { training.restore(state); });
  }

  NetworkState network() const override {
    return {std::visit([](const auto& training) { return training->parameters(); }, training_), {}};
  }

  std::int64_t steps() const override {
    return std::visit([](const auto& training) { return training ? training->steps() : 0; }, training_);
  }

 private:
  void make(const TrainingTask& task, const Shape& shape) {
    const auto& [values, model, train] = task.trial;
    if (train.precision == Precision::float64)
      training_ = std::make_unique<NativeTraining<double>>(task.layers, model, train, shape.training_count,
                                                           shape.validation_count);
    else
      training_ = std::make_unique<NativeTraining<float>>(task.layers, model, train, shape.training_count,
                                                          shape.validation_count);
    shape_ = shape;
  }

  Shape shape_;
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

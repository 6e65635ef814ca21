// SPDX-License-Identifier: MIT
#include "engines/xgboost/xgboost_trainer.hpp"

#include <cassert>
#include <cstddef>
#include <memory>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "data/feature_kind.hpp"
#include "engines/xgboost/booster.hpp"
#include "engines/xgboost/tree_parameters.hpp"
#include "engines/xgboost/tree_rows.hpp"
#include "engines/xgboost/xgboost_library.hpp"
#include "models/predictions.hpp"
#include "models/tree_model_file.hpp"
#include "training/engine_entry.hpp"
#include "training/losses/reduction.hpp"
#include "training/metrics/evaluation_sums.hpp"
#include "training/metrics/score.hpp"

namespace sheaf {
namespace {

// Rows of the data for XGBoost, with what their loss needs.
struct Rows {
  const std::int64_t* numbers;  // identify held-out rows
  std::int64_t count;
  TreeMatrix matrix;
  std::vector<std::int64_t> labels{};  // [count]
  std::vector<float> targets{};        // [count, outputs]
  std::vector<float> weights{};        // [count]; empty: all are 1
};

// XGBoost compares sums of weights with min_child_weight and lambda, so their scale would matter.
std::vector<float> with_mean_one(std::vector<float> weights) {
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  const double factor = sum > 0 ? static_cast<double>(weights.size()) / sum : 1;
  for (float& weight : weights) weight = static_cast<float>(double{weight} * factor);
  return weights;
}

class TreeTraining {
 public:
  explicit TreeTraining(const TrainingTask& task)
      : task_(task),
        loss_(task.trial.train.loss),
        target_scaling_(task.split.target_scaling),
        scoring_(scoring_of(task.trial.train, task.data, false)),
        kinds_(task.data.kinds.empty() ? feature_kinds({}, task.data.feature_count) : task.data.kinds),
        tree_outputs_(sheaf::tree_outputs(loss_, task.data.output_count)),
        training_numbers_(task.rows.list()),
        training_(rows_of(training_numbers_.data(), task.rows.count())),
        booster_(new_booster()) {}

  double train(std::int64_t round) {
    assert(round == rounds_);
    booster_.update(round, training_.matrix);
    ++rounds_;
    return loss_sum(outputs_of(training_), training_);
  }

  std::optional<double> evaluate(const std::int64_t* rows, std::int64_t count, std::vector<float>& outputs,
                                 const std::function<bool()>& should_stop) {
    if (should_stop()) return std::nullopt;
    if (count == 0) return 0;
    const Rows& held_out = held_out_rows(rows, count);
    const std::vector<float> found = outputs_of(held_out);
    outputs.insert(outputs.end(), found.begin(), found.end());
    return loss_sum(found, held_out);
  }

  std::int64_t rounds() const { return rounds_; }

  std::string model(std::int64_t rounds) const {
    const std::string trees = booster_.first(rounds).save();
    if (!target_scaling_.is_active()) return trees;
    return Booster(trees_in_target_units(trees, target_scaling_)).save();  // rounded to float, in XGBoost's form
  }

  // XGBoost's state does not have that of its random numbers, so the rounds are trained again.
  void repeat(std::int64_t rounds) {
    for (; rounds_ < rounds; ++rounds_) booster_.update(rounds_, training_.matrix);
  }

 private:
  Rows rows_of(const std::int64_t* numbers, std::int64_t count) const {
    const DataSet& data = task_.data;
    Rows rows{numbers, count, TreeMatrix(tree_rows(kinds_, data, numbers, count), count, categorical_features(kinds_))};
    const std::int64_t width = data.output_count;
    for (std::int64_t row = 0; row < count; ++row) {
      const std::int64_t number = numbers[row];
      if (data.labels != nullptr)
        rows.labels.push_back(data.labels[number]);
      else
        rows.targets.insert(rows.targets.end(), data.targets + number * width, data.targets + (number + 1) * width);
    }
    return rows;
  }

  std::vector<float> training_weights() const {
    const DataSet& data = task_.data;
    std::vector<float> weights;
    if (data.weights == nullptr && task_.class_weights.empty()) return weights;
    for (const std::int64_t row : training_numbers_) {
      const double of_class =
          task_.class_weights.empty() ? 1 : task_.class_weights[static_cast<std::size_t>(data.labels[row])];
      weights.push_back(static_cast<float>(of_class * (data.weights == nullptr ? 1 : double{data.weights[row]})));
    }
    return weights;
  }

  // The labels that XGBoost gets, [rows, width].
  std::vector<float> tree_labels(std::int64_t& width) const {
    const std::int64_t outputs = task_.data.output_count;
    const bool one_hot = task_.data.labels != nullptr && loss_of(loss_).targets == LossTargets::values;
    width = one_hot || task_.data.labels == nullptr ? outputs : 1;
    std::vector<float> labels;
    if (task_.data.labels == nullptr) {
      labels = training_.targets;
      if (target_scaling_.is_active())
        for (std::size_t value = 0; value < labels.size(); ++value)
          labels[value] = target_scaling_.scaled<float>(labels[value], static_cast<std::int64_t>(value) % outputs);
      return labels;
    }
    for (const std::int64_t label : training_.labels)
      if (one_hot)
        for (std::int64_t output = 0; output < outputs; ++output) labels.push_back(output == label ? 1.0f : 0.0f);
      else
        labels.push_back(static_cast<float>(label));
    return labels;
  }

  double mean_of(const std::vector<float>& labels, std::int64_t width) const {
    double sum = 0, weight_sum = 0;
    for (std::size_t value = 0; value < labels.size(); ++value) {
      const std::size_t row = value / static_cast<std::size_t>(width);
      const double weight = training_.weights.empty() ? 1 : double{training_.weights[row]};
      sum += weight * double{labels[value]};
      weight_sum += weight;
    }
    return weight_sum > 0 ? sum / weight_sum : 0;
  }

  Booster new_booster() {
    training_.weights = training_weights();
    if (!training_.weights.empty()) training_.matrix.set("weight", with_mean_one(training_.weights));
    std::int64_t width = 1;
    const std::vector<float> labels = tree_labels(width);
    training_.matrix.set("label", labels, width == 1 ? 0 : width);
    const TreeTask task{loss_, task_.data.output_count, mean_of(labels, width), task_.seed};
    return Booster(tree_parameters(task_.trial.model, task), {&training_.matrix});
  }

  // Of a few lists of rows: validation and stopping rows.
  const Rows& held_out_rows(const std::int64_t* numbers, std::int64_t count) {
    for (const auto& rows : held_out_)
      if (rows->numbers == numbers && rows->count == count) return *rows;
    held_out_.push_back(std::make_unique<Rows>(rows_of(numbers, count)));
    return *held_out_.back();
  }

  // [rows, outputs], as those of a network: logits, logarithms of means, or values.
  std::vector<float> outputs_of(const Rows& rows) const {
    std::vector<float> found = booster_.predict(rows.matrix, rows.count, tree_outputs_);
    if (target_scaling_.is_active()) to_target_units(target_scaling_, rows.count, found.data());
    return tree_outputs_ == task_.data.output_count ? found : logits_of_two(found);
  }

  double loss_sum(std::vector<float> outputs, const Rows& rows) const {
    const std::int64_t width = task_.data.output_count;
    if (task_.data.task == Task::regression) make_predictions(loss_, width, outputs.data(), rows.count);
    EvaluationSums sums(scoring_, {});
    sums.add({rows.count, outputs.data(), nullptr, rows.labels.empty() ? nullptr : rows.labels.data(),
              rows.targets.empty() ? nullptr : rows.targets.data(),
              rows.weights.empty() ? nullptr : rows.weights.data()});
    return sums.loss() * sums.weight();
  }

  const TrainingTask task_;
  const LossKind loss_;
  const TargetScaling& target_scaling_;  // without effect for classes and counts
  const Scoring scoring_;
  const std::vector<FeatureKind> kinds_;
  const std::int64_t tree_outputs_;
  const std::vector<std::int64_t> training_numbers_;
  Rows training_;
  std::vector<std::unique_ptr<Rows>> held_out_;
  Booster booster_;
  std::int64_t rounds_ = 0;
};

class XgboostTrainer : public Trainer {
 public:
  XgboostTrainer() { xgboost(); }

  void start(const TrainingTask& task) override {
    training_.reset();  // frees its memory for the next one
    training_ = std::make_unique<TreeTraining>(task);
  }

  EngineName engine() const override { return xgboost_engine_name; }

  void read_from(const DataSet&) override { throw std::logic_error("boosted trees cannot read streamed data"); }

  void train(const TrainingRows& rows, const LearningRate&, double& loss_sum) override {
    loss_sum += training_->train(rows.first_step);
  }

  std::optional<double> evaluate(const std::int64_t* rows, std::int64_t count, std::vector<float>& outputs,
                                 const std::function<bool()>& should_stop) override {
    return training_->evaluate(rows, count, outputs, should_stop);
  }

  NetworkState network() const override {
    NetworkState state;
    state.rounds = training_->rounds();
    return state;
  }

  void complete(NetworkState& state) const override { state.trees = training_->model(state.rounds); }

  void save(ByteWriter& state) const override { state.put(training_->rounds()); }

  void restore(ByteReader& state) override {
    const auto rounds = state.get<std::int64_t>();
    require(rounds >= 0, "its number of rounds is negative");
    training_->repeat(rounds);
  }

 private:
  std::unique_ptr<TreeTraining> training_;
};

}  // namespace

std::unique_ptr<Trainer> make_xgboost_trainer() {
  return std::make_unique<XgboostTrainer>();
}

}  // namespace sheaf

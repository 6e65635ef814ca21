// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "data/dataset.hpp"
#include "data/target_scaling.hpp"
#include "engines/native/layers/layer_values.hpp"
#include "engines/native/layers/parameters.hpp"
#include "engines/native/layers/scratch.hpp"
#include "engines/native/layers/tile.hpp"
#include "study/losses.hpp"
#include "study/train_options.hpp"
#include "training/losses/loss_kernels.hpp"

namespace sheaf {

/// The end of the chain of layers: the targets of the tile, the loss of the outputs and its gradients.
template <class Value>
class OutputLoss {
 public:
  /// `outputs` is written by columns. `shift` is added to it.
  OutputLoss(LayerValues<Value>& outputs, ShiftOffset shift, Parameters<Value>& parameters, Scratch<Value>& scratch)
      : outputs_(outputs), shift_(shift), parameters_(parameters), scratch_(scratch) {}

  void lay_out(ArenaLayout& arena, std::int64_t max_rows);

  /// Sets the loss and the units of the targets of the next training. `scaling` must outlive it.
  void set_loss(const TrainOptions& train) {
    loss_ = loss_function(train);
    smoothing_ = train.label_smoothing;
    quantiles_ = quantiles_of(train);
  }
  void set_scaling(const TargetScaling& scaling) { scaling_ = &scaling; }
  /// By label; empty: all 1.
  void set_class_weights(const std::vector<double>& weights) { class_weights_ = weights; }
  LossKind kind() const { return loss_.kind; }

  /// Gathers the targets of `count` rows of `data`. `weighted`: uses its sample weights and the class weights, if there
  /// are any; otherwise each row has weight 1. `in_order`: the rows are consecutive.
  void gather(const DataSet& data, const std::int64_t* rows, std::int64_t count, std::int64_t row_count, bool in_order,
              bool weighted);

  /// The loss of the outputs of a tile. With `pass.tile` also computes their gradients, [outputs, row_count], and those
  /// of the shift.
  double operator()(const TilePass& pass, Value* gradients) const;

  /// The sum of of_outputs(loss, first, count) over the outputs: one call, or one per output if they have different
  /// units or quantiles, with the loss of this unit and quantile. The sum is in the units of the targets.
  template <class LossOfOutputs>
  double sum_over_outputs(const LossOfOutputs& of_outputs) const {
    const std::int64_t count = outputs_.cut.features;
    if (!scaling_->is_active() && quantiles_.empty()) return of_outputs(loss_, 0, count);
    double sum = 0;
    for (std::int64_t output = 0; output < count; ++output) {
      const auto index = static_cast<std::size_t>(output);
      const double unit = scaling_->is_active() ? scaling_->unit[index] : 1;
      const LossFunction loss = quantiles_.empty() ? loss_ : of_quantile(loss_, quantiles_[index]);
      sum += unit_factor(loss.kind, unit) * of_outputs(in_unit(loss, unit), output, 1);
    }
    return sum;
  }

  /// The targets of the outputs from `first` on.
  BatchTargets<Value> targets(std::int64_t first, std::int64_t row_count) const {
    return {labels_, targets_ + first * row_count, weights_};
  }

  /// Writes the outputs of `count` rows, [count, outputs], in the units of the targets.
  void copy_outputs(const TilePass& pass, float* to) const;

 private:
  void gather_targets(const DataSet& data, const std::int64_t* rows, std::int64_t count, std::int64_t row_count,
                      bool in_order);
  void gather_weights(const DataSet& data, const std::int64_t* rows, std::int64_t count, std::int64_t row_count,
                      bool weighted);

  LayerValues<Value>& outputs_;
  ShiftOffset shift_;
  Parameters<Value>& parameters_;
  Scratch<Value>& scratch_;
  LossFunction loss_;
  double smoothing_ = 0;           // of labels in training
  std::vector<double> quantiles_;  // of the outputs; empty for other losses
  const TargetScaling* scaling_ = nullptr;
  Value *labels_ = nullptr, *targets_ = nullptr, *weights_ = nullptr;  // BatchTargets
  std::vector<double> class_weights_;
  std::int64_t unit_weights_ = 0;  // number of leading weights that are 1, followed by padding of 0; 0: other weights
  LossKernels<Value> kernels_ = loss_kernels<Value>();
};

}  // namespace sheaf

// SPDX-License-Identifier: MIT
#include "engines/libtorch/stack_layers.hpp"

#include <cstddef>
#include <stdexcept>
#include <utility>

#include "engines/libtorch/slot_products.hpp"
#include "engines/libtorch/stack_activation.hpp"

namespace sheaf {
namespace {

// Weight and bias of a layer, and their gradients.
struct LayerTensors {
  torch::Tensor weight, bias, weight_gradient, bias_gradient;
};

class StackDense : public StackLayer {
 public:
  StackDense(LayerTensors tensors, bool is_first) : tensors_(std::move(tensors)), is_first_(is_first) {}

  torch::Tensor forward(const torch::Tensor& values, const StackBatch* batch) override {
    if (batch != nullptr) inputs_ = values;
    const torch::Tensor outputs = slot_products(values, tensors_.weight.transpose(1, 2));
    return tensors_.bias.defined() ? outputs.add_(tensors_.bias) : outputs;  // baddbmm copies the bias for each row
  }

  torch::Tensor backward(const torch::Tensor& gradient, const StackBatch& /*batch*/) override {
    slot_products_out(tensors_.weight_gradient, gradient.transpose(1, 2), inputs_);
    if (tensors_.bias.defined()) torch::sum_out(tensors_.bias_gradient, gradient, 1, true);
    return is_first_ ? torch::Tensor() : slot_products(gradient, tensors_.weight);
  }

 private:
  LayerTensors tensors_;
  bool is_first_;
  torch::Tensor inputs_;
};

// values = scale * (values - mean) / sqrt(variance + epsilon) + shift. What follows from the choice of the values that
// have a common mean is in the classes below.
class StackNorm : public StackLayer {
 public:
  StackNorm(LayerTensors tensors, double epsilon) : tensors_(std::move(tensors)), epsilon_(epsilon) {}

  torch::Tensor forward(const torch::Tensor& values, const StackBatch* batch) override {
    const Statistics found = statistics(values, batch);
    const torch::Tensor sum = found.variance + epsilon_;
    inverse_ = sum.sqrt() / sum;  // NaN if it overflows, so that divergence is not hidden
    normalized_ = (values - found.mean) * inverse_;
    return normalized_ * tensors_.weight + tensors_.bias;
  }

  torch::Tensor backward(const torch::Tensor& gradient, const StackBatch& batch) override {
    torch::sum_out(tensors_.weight_gradient, gradient * normalized_, 1, true);
    torch::sum_out(tensors_.bias_gradient, gradient, 1, true);
    const torch::Tensor scaled = gradient * tensors_.weight;
    const torch::Tensor common = mean(scaled, batch) + normalized_ * mean(scaled * normalized_, batch);
    return (scaled - of_rows(common, batch)) * inverse_;
  }

 protected:
  struct Statistics {
    torch::Tensor mean, variance;  // the variance is biased
  };

 private:
  virtual Statistics statistics(const torch::Tensor& values, const StackBatch* batch) = 0;
  // Of the values that have one, without padding.
  virtual torch::Tensor mean(const torch::Tensor& values, const StackBatch& batch) const = 0;
  // `values`, with 0 in padding.
  virtual torch::Tensor of_rows(const torch::Tensor& values, const StackBatch& batch) const = 0;

  LayerTensors tensors_;
  double epsilon_;
  torch::Tensor normalized_, inverse_;
};

// The statistics of each row. Padding has the gradient 0 anyway.
class StackLayerNorm : public StackNorm {
 public:
  explicit StackLayerNorm(LayerTensors tensors) : StackNorm(std::move(tensors), layer_norm_epsilon) {}

 private:
  Statistics statistics(const torch::Tensor& values, const StackBatch* /*batch*/) override {
    const torch::Tensor mean = values.mean(2, true);
    return {mean, (values - mean).square().mean(2, true)};
  }
  torch::Tensor mean(const torch::Tensor& values, const StackBatch& /*batch*/) const override {
    return values.mean(2, true);
  }
  torch::Tensor of_rows(const torch::Tensor& values, const StackBatch& /*batch*/) const override { return values; }
};

// The statistics of each feature over the rows of a batch, without padding. Evaluations use the running ones.
class StackBatchNorm : public StackNorm {
 public:
  StackBatchNorm(LayerTensors tensors, torch::Tensor running_mean, torch::Tensor running_variance)
      : StackNorm(std::move(tensors), batch_norm_epsilon),
        running_{std::move(running_mean), std::move(running_variance)} {}

 private:
  Statistics statistics(const torch::Tensor& values, const StackBatch* batch) override {
    if (batch == nullptr) return running_;
    const torch::Tensor numbers = torch::arange(values.size(1), values.options()).view({1, -1, 1});
    is_row_ = numbers.lt(batch->row_number(StackNumber::row_count)).to(values.scalar_type());
    const torch::Tensor found = mean(values, *batch);
    const torch::Tensor variance = mean((values - found).square(), *batch);
    approach(running_.mean, found, *batch);
    approach(running_.variance, variance * batch->row_number(StackNumber::unbiased), *batch);
    return {found, variance};
  }

  // A slot whose share is 0 is idle or has a single row.
  static void approach(torch::Tensor& running, const torch::Tensor& found, const StackBatch& batch) {
    const torch::Tensor share = batch.row_number(StackNumber::norm_share);
    running.add_(((found - running) * share).masked_fill_(share.eq(0), 0));
  }

  torch::Tensor mean(const torch::Tensor& values, const StackBatch& batch) const override {
    return of_rows(values, batch).sum(1, true) * batch.row_number(StackNumber::row_share);
  }
  torch::Tensor of_rows(const torch::Tensor& values, const StackBatch& /*batch*/) const override {
    return values * is_row_;
  }

  Statistics running_;
  torch::Tensor is_row_;  // [slots, rows, 1]: 1, or 0 in padding
};

// An activation, with dropout if there is a mask for its layer.
class StackActivation : public StackLayer {
 public:
  StackActivation(Activation kind, std::size_t layer) : functions_(stack_activation_of(kind)), layer_(layer) {}

  torch::Tensor forward(const torch::Tensor& values, const StackBatch* batch) override {
    const torch::Tensor outputs = functions_.forward(values);
    if (batch == nullptr) return outputs;
    inputs_ = values;
    outputs_ = outputs;
    const torch::Tensor& kept = batch->masks[layer_];
    mask_ = kept.defined() ? kept.to(values.scalar_type()) * batch->row_number(StackNumber::keep_scale) : kept;
    return mask_.defined() ? outputs * mask_ : outputs;
  }

  torch::Tensor backward(const torch::Tensor& gradient, const StackBatch& /*batch*/) override {
    return functions_.backward(mask_.defined() ? gradient * mask_ : gradient, inputs_, outputs_);
  }

 private:
  const StackActivationRow& functions_;
  std::size_t layer_;
  torch::Tensor inputs_, outputs_;
  torch::Tensor mask_;  // [slots, rows, outputs]: 0 or 1 / (1 - dropout rate); undefined without dropout
};

class StackEncoding : public StackLayer {
 public:
  StackEncoding(LayerTensors tensors, StackEncoder encoder)
      : tensors_(std::move(tensors)), encoder_(std::move(encoder)) {}

  torch::Tensor forward(const torch::Tensor& values, const StackBatch* /*batch*/) override {
    return encoder_.forward(values, tensors_.weight, tensors_.bias);
  }

  torch::Tensor backward(const torch::Tensor& gradient, const StackBatch& /*batch*/) override {
    if (gradient.defined()) encoder_.backward(gradient, tensors_.weight_gradient, tensors_.bias_gradient);
    return {};
  }

 private:
  LayerTensors tensors_;
  StackEncoder encoder_;
};

// Whether no layer before it has parameters, so that nothing needs the gradients of its inputs.
bool is_first_trained(const std::vector<Layer>& layers, std::size_t index) {
  return index == 0 || (index == 1 && layers[0].is_encoding() && layers[0].weight_count() == 0);
}

}  // namespace

std::vector<std::unique_ptr<StackLayer>> stack_layers(const std::vector<Layer>& layers, Activation activation,
                                                      const StackLayout& layout, const StackValues& values,
                                                      const StackEncodingTensors& encoding) {
  std::vector<std::unique_ptr<StackLayer>> chain;
  for (std::size_t index = 0; index < layers.size(); ++index) {
    LayerTensors tensors{layout.weight(values.parameters, index), layout.bias(values.parameters, index), {}, {}};
    if (values.gradients.defined()) {
      tensors.weight_gradient = layout.weight(values.gradients, index);
      tensors.bias_gradient = layout.bias(values.gradients, index);
    }
    switch (layers[index].kind) {
      case Layer::Kind::dense:
        chain.push_back(std::make_unique<StackDense>(std::move(tensors), is_first_trained(layers, index)));
        break;
      case Layer::Kind::layer_norm:
        chain.push_back(std::make_unique<StackLayerNorm>(std::move(tensors)));
        break;
      case Layer::Kind::batch_norm:
        chain.push_back(std::make_unique<StackBatchNorm>(std::move(tensors), layout.running_mean(values.buffers, index),
                                                         layout.running_variance(values.buffers, index)));
        break;
      case Layer::Kind::encoding:
        chain.push_back(std::make_unique<StackEncoding>(
            std::move(tensors), StackEncoder(values.parameters.size(0), encoding, values.parameters.options())));
        break;
      case Layer::Kind::convolution:
        throw std::logic_error("stacks do not have convolutions");
    }
    if (layers[index].activated) chain.push_back(std::make_unique<StackActivation>(activation, index));
  }
  return chain;
}

}  // namespace sheaf

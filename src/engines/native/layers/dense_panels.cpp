// SPDX-License-Identifier: MIT
#include "engines/native/layers/dense_panels.hpp"

#include <algorithm>

namespace sheaf {
namespace {

// The weights of a panel and a block of inputs are 100 KiB. They are read from the second-level cache once for each
// group of rows that a kernel multiplies.
constexpr std::int64_t panel_outputs = 32;
constexpr std::int64_t max_block_inputs = 800;

}  // namespace

DensePanels::DensePanels(const Layer& layout, const LayerValues<float>* inputs, LayerValues<float>& outputs,
                         Parameters<float>& parameters)
    : layout_(layout),
      inputs_(inputs),
      outputs_(outputs),
      parameters_(parameters),
      block_count_((layout.inputs + max_block_inputs - 1) / max_block_inputs) {
  const std::int64_t input_stride = inputs == nullptr ? layout.inputs : inputs->cut.total_columns();
  const std::int64_t stride = round_up(layout.outputs, padding);
  const std::int64_t block_inputs = (layout.inputs + block_count_ - 1) / block_count_;
  std::int64_t weights = parameters.add(layout.inputs * stride);
  for (std::int64_t output = 0; output < stride; output += panel_outputs) {
    const std::int64_t width = std::min(panel_outputs, stride - output);
    for (std::int64_t input = 0; input < layout.inputs; input += block_inputs) {
      const std::int64_t depth = std::min(block_inputs, layout.inputs - input);
      panels_.push_back({{nullptr, depth, width, input_stride, stride, input > 0}, weights, input, output});
      weights += depth * width;
    }
  }
  bias_ = parameters.add(layout.outputs);
  outputs.source = LayerValues<float>::Source::rows;
}

const DensePanels::Panel& DensePanels::panel_of(std::int64_t output, std::int64_t block) const {
  return panels_[static_cast<std::size_t>(output / panel_outputs * block_count_ + block)];
}

void DensePanels::for_each_segment(const SegmentUse& use) const {
  for (std::int64_t output = 0; output < layout_.outputs; ++output)
    for (std::int64_t block = 0; block < block_count_; ++block) {
      const Panel& panel = panel_of(output, block);
      use({panel.weights + output - panel.output, panel.product.output_count, panel.product.input_count});
    }
  if (layout_.bias) use({bias_, 1, layout_.outputs});
}

void DensePanels::forward(const TilePass& pass) {
  const float* inputs = inputs_ == nullptr ? pass.features : inputs_->rows;
  for (const Panel& panel : panels_) {
    RowProduct product = panel.product;
    product.weights = parameters_.at(panel.weights);
    kernels_.multiply_rows(product, inputs + panel.input, pass.row_count, outputs_.rows + panel.output, *pass.prefetch);
  }
}

}  // namespace sheaf

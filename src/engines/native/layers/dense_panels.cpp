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
      is_first_(inputs == nullptr),
      inputs_(is_first_ ? features_ : *inputs),
      outputs_(outputs),
      parameters_(parameters),
      table_(inputs_, outputs, parameters, LevelTable<float>::Order::rows) {
  if (is_first_) features_.cut = {layout.inputs, true};
  const std::int64_t input_count = inputs_.cut.features, stride = outputs.cut.total_columns();
  const std::int64_t input_stride = is_first_ ? input_count : inputs_.cut.total_columns();
  block_count_ = std::max<std::int64_t>(1, (input_count + max_block_inputs - 1) / max_block_inputs);
  block_inputs_ = (input_count + block_count_ - 1) / block_count_;
  std::int64_t weights = parameters.add(input_count * stride);
  for (std::int64_t output = 0; output < stride; output += panel_outputs) {
    const std::int64_t width = std::min(panel_outputs, stride - output);
    for (std::int64_t input = 0; input < input_count; input += block_inputs_) {
      const std::int64_t depth = std::min(block_inputs_, input_count - input);
      const bool adds = input > 0 || !table_.is_empty();
      panels_.push_back({{nullptr, depth, width, input_stride, stride, adds}, weights, input, output});
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
    for_each_input_range(
        inputs_.cut.features, inputs_.codes,
        [&](IndexRange values) {
          for (std::int64_t input = values.begin, end = 0; input < values.end; input = end) {
            const Panel& panel = panel_of(output, input / block_inputs_);
            end = std::min(values.end, panel.input + panel.product.input_count);
            const std::int64_t width = panel.product.output_count;
            use({panel.weights + (input - panel.input) * width + output - panel.output, width, end - input});
          }
        },
        [&](IndexRange levels) { use(table_.segment(levels, output)); });
  if (layout_.bias) use({bias_, 1, layout_.outputs});
}

void DensePanels::forward(const TilePass& pass) {
  const float* inputs = is_first_ ? pass.features : inputs_.rows;
  if (!table_.is_empty()) table_.forward(pass, outputs_.rows);
  for (const Panel& panel : panels_) {
    RowProduct product = panel.product;
    product.weights = parameters_.at(panel.weights);
    kernels_.multiply_rows(product, inputs + panel.input, pass.row_count, outputs_.rows + panel.output, *pass.prefetch);
  }
}

}  // namespace sheaf

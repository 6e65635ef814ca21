// SPDX-License-Identifier: MIT
#include "models/target_units.hpp"

#include <cassert>

namespace sheaf {

NetworkState in_target_units(NetworkState network, const std::vector<Layer>& layers, const TargetScaling& scaling) {
  if (!scaling.is_active()) return network;
  const Layer& last = layers.back();
  assert(last.bias && last.outputs == static_cast<std::int64_t>(scaling.shift.size()));
  auto weight = network.parameters.end() - (last.weight_count() + last.bias_count());
  auto bias = network.parameters.end() - last.bias_count();
  for (std::size_t output = 0; output < scaling.unit.size(); ++output) {
    const double unit = scaling.unit[output];
    for (std::int64_t input = 0; input < last.inputs; ++input, ++weight)
      *weight = static_cast<float>(double{*weight} * unit);
    bias[static_cast<std::ptrdiff_t>(output)] =
        static_cast<float>(double{bias[static_cast<std::ptrdiff_t>(output)]} * unit + double{scaling.shift[output]});
  }
  return network;
}

}  // namespace sheaf

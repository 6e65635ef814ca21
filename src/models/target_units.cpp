// SPDX-License-Identifier: MIT
#include "models/target_units.hpp"

#include <cassert>

namespace sheaf {

NetworkState in_target_units(NetworkState network, const std::vector<Layer>& layers, const TargetScaling& scaling) {
  if (!scaling.any()) return network;
  const Layer& last = layers.back();
  assert(last.bias && last.outputs == static_cast<std::int64_t>(scaling.shift.size()));
  auto value = network.parameters.end() - (last.weight_count() + last.bias_count());
  for (; value != network.parameters.end(); ++value) *value = static_cast<float>(double{*value} * scaling.unit);
  auto bias = network.parameters.end() - last.bias_count();
  for (const float shift : scaling.shift) *bias++ += shift;
  return network;
}

}  // namespace sheaf

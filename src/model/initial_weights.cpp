// SPDX-License-Identifier: MIT
#include "model/initial_weights.hpp"

#include <cmath>

#include "core/random_stream.hpp"

namespace sheaf {
namespace {

void append_uniform(std::vector<float>& weights, std::int64_t count, double bound, RandomStream& stream) {
  for (std::int64_t i = 0; i < count; ++i)
    weights.push_back(static_cast<float>(bound * (2 * stream.uniform_double() - 1)));
}

void append_normal(std::vector<float>& weights, std::int64_t count, double deviation, RandomStream& stream) {
  for (std::int64_t i = 0; i < count; ++i) weights.push_back(static_cast<float>(deviation * stream.normal()));
}

void append_zeros(std::vector<float>& weights, std::int64_t count) {
  weights.resize(weights.size() + static_cast<std::size_t>(count));
}

void append_layer(std::vector<float>& weights, const Layer& layer, Initialisation rule, RandomStream& stream) {
  const auto fan_in = static_cast<double>(layer.fan_in());
  const auto fan_out = static_cast<double>(layer.fan_out());
  switch (rule) {
    case Initialisation::pytorch:
      append_uniform(weights, layer.weight_count() + layer.bias_count(), 1 / std::sqrt(fan_in), stream);
      return;
    case Initialisation::glorot:
      append_uniform(weights, layer.weight_count(), std::sqrt(6 / (fan_in + fan_out)), stream);
      append_zeros(weights, layer.bias_count());
      return;
    case Initialisation::he:
      append_normal(weights, layer.weight_count(), std::sqrt(2 / fan_in), stream);
      append_zeros(weights, layer.bias_count());
      return;
    case Initialisation::zeros:
      append_zeros(weights, layer.weight_count() + layer.bias_count());
      return;
  }
}

}  // namespace

std::vector<float> initial_weights(const std::vector<Layer>& layers, Initialisation rule,
                                   std::uint64_t iteration_seed) {
  std::vector<float> weights;
  weights.reserve(static_cast<std::size_t>(parameter_count(layers)));
  for (std::size_t index = 0; index < layers.size(); ++index) {
    RandomStream stream(iteration_seed, Purpose::initial_weights, index);
    append_layer(weights, layers[index], rule, stream);
  }
  return weights;
}

}  // namespace sheaf

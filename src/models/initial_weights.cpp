// SPDX-License-Identifier: MIT
#include "models/initial_weights.hpp"

#include <cmath>

namespace sheaf {
namespace {

// Of rows that are looked up. Measured on tables of customers and flights, networks learn better from small values than
// from those of PyTorch's Embedding, with the deviation 1.
constexpr double lookup_deviation = 0.1;

void append_uniform(std::vector<float>& weights, std::int64_t count, double bound, RandomStream& stream) {
  for (std::int64_t i = 0; i < count; ++i)
    weights.push_back(static_cast<float>(bound * (2 * stream.uniform_double() - 1)));
}

void append_normal(std::vector<float>& weights, std::int64_t count, double deviation, RandomStream& stream) {
  for (std::int64_t i = 0; i < count; ++i) weights.push_back(static_cast<float>(deviation * stream.normal()));
}

void append_constant(std::vector<float>& weights, std::int64_t count, float value) {
  weights.insert(weights.end(), static_cast<std::size_t>(count), value);
}

void append_affine(std::vector<float>& weights, const LayerParameters& layer, Initialization rule,
                   RandomStream& stream) {
  const auto fan_in = static_cast<double>(layer.fan_in);
  const auto fan_out = static_cast<double>(layer.fan_out);
  switch (rule) {
    case Initialization::pytorch:
      append_uniform(weights, layer.weight_count + layer.bias_count, 1 / std::sqrt(fan_in), stream);
      return;
    case Initialization::glorot:
      append_uniform(weights, layer.weight_count, std::sqrt(6 / (fan_in + fan_out)), stream);
      append_constant(weights, layer.bias_count, 0);
      return;
    case Initialization::he:
      append_normal(weights, layer.weight_count, std::sqrt(2 / fan_in), stream);
      append_constant(weights, layer.bias_count, 0);
      return;
    case Initialization::zeros:
      append_constant(weights, layer.weight_count + layer.bias_count, 0);
      return;
  }
}

void append_encoding(std::vector<float>& weights, const Layer& layer, Initialization rule, RandomStream& stream) {
  if (rule == Initialization::zeros) return append_constant(weights, layer.weight_count() + layer.bias_count(), 0);
  const double bound = 1 / std::sqrt(double{embedding_width});
  for (const EncodedFeature& feature : layer.features) {
    if (feature.use == EncodedFeature::Use::piecewise) {
      append_uniform(weights, embedding_width, bound, stream);
      append_constant(weights, max_edges * embedding_width, 0);
    } else if (feature.use == EncodedFeature::Use::lookup) {
      const std::int64_t unknown = feature.has_unknown_level ? 1 : 0;
      append_constant(weights, unknown * embedding_width, 0);
      append_normal(weights, (feature.levels - unknown) * embedding_width, lookup_deviation, stream);
    }
  }
  append_uniform(weights, layer.bias_count(), bound, stream);
}

LayerParameters parameters_of(const Layer& layer) {
  return {layer.is_norm() ? LayerParameters::Kind::normalization : LayerParameters::Kind::affine, layer.weight_count(),
          layer.bias_count(), layer.fan_in(), layer.fan_out()};
}

}  // namespace

void append_initial_weights(std::vector<float>& weights, const LayerParameters& layer, Initialization rule,
                            RandomStream& stream) {
  switch (layer.kind) {
    case LayerParameters::Kind::affine:
      append_affine(weights, layer, rule, stream);
      return;
    case LayerParameters::Kind::normalization:
      append_constant(weights, layer.weight_count, 1);
      append_constant(weights, layer.bias_count, 0);
      return;
    case LayerParameters::Kind::embedding:
      if (rule == Initialization::zeros)
        append_constant(weights, layer.weight_count, 0);
      else
        append_normal(weights, layer.weight_count, 1, stream);
      return;
  }
}

std::vector<float> initial_weights(const std::vector<Layer>& layers, Initialization rule,
                                   std::uint64_t iteration_seed) {
  std::vector<float> weights;
  weights.reserve(static_cast<std::size_t>(parameter_count(layers)));
  for (std::size_t index = 0; index < layers.size(); ++index) {
    RandomStream stream(iteration_seed, Purpose::initial_weights, index);
    if (layers[index].is_encoding())
      append_encoding(weights, layers[index], rule, stream);
    else
      append_initial_weights(weights, parameters_of(layers[index]), rule, stream);
  }
  return weights;
}

}  // namespace sheaf

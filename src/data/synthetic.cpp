// SPDX-License-Identifier: MIT
#include "data/synthetic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <new>
#include <vector>

#include "core/random/random_fill.hpp"
#include "core/random/random_stream.hpp"
#include "data/storage.hpp"

namespace sheaf {
namespace {

// Random streams of Purpose::synthetic_targets. Results depend on the values: do not renumber.
enum TargetStream : std::uint64_t { independent_targets = 0, hidden_matrix = 1, noise = 2 };

std::shared_ptr<std::byte> aligned_memory(std::size_t bytes) {
  constexpr std::align_val_t alignment{64};
  return {static_cast<std::byte*>(::operator new(bytes, alignment)),
          [](std::byte* memory) { ::operator delete (memory, std::align_val_t{64}); }};
}

void draw(Distribution distribution, const StreamPlace& place, float* values, std::int64_t count) {
  if (distribution == Distribution::uniform)
    fill_uniform(place, values, count);
  else
    fill_normal(place, values, count);
}

// Calls take(row, values) for each row, with its `outputs` values of features A + noise.
template <class Take>
void for_each_linear_row(const DataOptions& options, std::uint64_t seed, const float* features, std::int64_t outputs,
                         Take take) {
  RandomStream matrix_stream(seed, Purpose::synthetic_targets, hidden_matrix);
  std::vector<double> matrix(static_cast<std::size_t>(options.columns * outputs));
  const double scale = 1 / std::sqrt(static_cast<double>(options.columns));
  for (double& value : matrix) value = scale * matrix_stream.normal();

  RandomStream noise_stream(seed, Purpose::synthetic_targets, noise);
  std::vector<double> values(static_cast<std::size_t>(outputs));
  for (std::int64_t row = 0; row < options.rows; ++row) {
    for (double& value : values) value = options.noise * noise_stream.normal();
    const double* weights = matrix.data();
    for (std::int64_t column = 0; column < options.columns; ++column) {
      const double feature = double{features[row * options.columns + column]};
      for (double& value : values) value += feature * *weights++;
    }
    take(row, values);
  }
}

void draw_labels(const DataOptions& options, std::uint64_t seed, const float* features, std::int64_t* labels) {
  if (options.relation == Relation::linear) {
    for_each_linear_row(options, seed, features, options.classes, [&](std::int64_t row, const auto& values) {
      labels[row] = std::max_element(values.begin(), values.end()) - values.begin();
    });
    return;
  }
  RandomStream stream(seed, Purpose::synthetic_targets, independent_targets);
  const auto classes = static_cast<std::uint64_t>(options.classes);
  std::generate_n(labels, options.rows, [&] { return static_cast<std::int64_t>(stream.below(classes)); });
}

void draw_targets(const DataOptions& options, std::uint64_t seed, const float* features, float* targets) {
  if (options.relation == Relation::linear) {
    for_each_linear_row(options, seed, features, options.outputs, [&](std::int64_t row, const auto& values) {
      std::transform(values.begin(), values.end(), targets + row * options.outputs,
                     [](double value) { return static_cast<float>(value); });
    });
    return;
  }
  draw(options.distribution, {seed, Purpose::synthetic_targets, independent_targets}, targets,
       options.rows * options.outputs);
}

std::string describe(const DataOptions& options, std::int64_t outputs, std::uint64_t seed) {
  const char* distribution = options.distribution == Distribution::uniform ? "uniform" : "normal";
  const std::string relation = options.relation == Relation::linear ? fmt::format("linear with noise {}", options.noise)
                                                                    : std::string("independent");
  return fmt::format("synthetic: {} [{}, {}], {} {} of {}, seed {}", distribution, options.rows, options.columns,
                     relation, options.task == Task::classification ? "classes" : "targets", outputs, seed);
}

}  // namespace

DataSet draw_synthetic(const DataOptions& options, std::uint64_t seed) {
  const bool classification = options.task == Task::classification;
  const std::int64_t outputs = classification ? options.classes : options.outputs;
  assert(options.rows > 0 && options.columns > 0 && outputs > 0);
  const RowShape shape{options.columns, false, options.task, outputs, false};
  const Storage storage = storage_of(options.rows, shape);
  const std::shared_ptr<std::byte> memory = aligned_memory(storage.bytes);
  const StoredArrays arrays = arrays_in(memory.get(), storage, options.task);

  auto* features = reinterpret_cast<float*>(arrays.features);
  draw(options.distribution, {seed, Purpose::synthetic_features}, features, options.rows * options.columns);
  if (classification)
    draw_labels(options, seed, features, arrays.labels);
  else
    draw_targets(options, seed, features, arrays.targets);

  DataSet data;
  data.rows = options.rows;
  data.feature_count = options.columns;
  data.output_count = outputs;
  data.task = options.task;
  data.image = options.image;
  attach(arrays, shape, data);
  data.fingerprint = describe(options, outputs, seed);
  data.owner = memory;
  return data;
}

}  // namespace sheaf

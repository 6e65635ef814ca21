// Compares batch norms and their gradients on every instruction set of this processor with simple loops in double, for
// rows in blocks and for columns.
// SPDX-License-Identifier: MIT
#include <cmath>

#include "engines/native/kernels/kernels.hpp"
#include "kernel_arrays.hpp"
#include "norm_arrays.hpp"
#include "support/every_target.hpp"

using namespace sheaf;
using namespace sheaf::test;

namespace {

constexpr double epsilon = 1e-5;

// A batch norm of [features, rows], in double: the formulas of its definition and of its derivative. Only the first
// `count` rows belong to the batch.
struct Reference {
  std::int64_t features, count, rows;
  std::vector<double> scale, inputs, gradients;  // of the outputs
  std::vector<double> means{}, variances{}, outputs{}, input_gradients{}, scale_sums{};

  double inverse(std::int64_t f) const { return 1 / std::sqrt(variances[at(f)] + epsilon); }
  double normalized(std::int64_t f, std::int64_t row) const {
    return (inputs[at(f * rows + row)] - means[at(f)]) * inverse(f);
  }

  void compute() {
    outputs.assign(inputs.size(), 0);
    input_gradients.assign(inputs.size(), 0);
    for (std::int64_t f = 0; f < features; ++f) {
      double mean = 0, variance = 0, sum = 0, products = 0;
      for (std::int64_t row = 0; row < count; ++row) mean += inputs[at(f * rows + row)] / static_cast<double>(count);
      for (std::int64_t row = 0; row < count; ++row)
        variance += std::pow(inputs[at(f * rows + row)] - mean, 2) / static_cast<double>(count);
      means.push_back(mean);
      variances.push_back(variance);
      for (std::int64_t row = 0; row < count; ++row) outputs[at(f * rows + row)] = scale[at(f)] * normalized(f, row);
      for (std::int64_t row = 0; row < count; ++row) {
        sum += gradients[at(f * rows + row)];
        products += gradients[at(f * rows + row)] * normalized(f, row);
      }
      scale_sums.push_back(products);
      for (std::int64_t row = 0; row < count; ++row)
        input_gradients[at(f * rows + row)] =
            scale[at(f)] * inverse(f) *
            (gradients[at(f * rows + row)] - (sum + normalized(f, row) * products) / static_cast<double>(count));
    }
  }
};

template <class Value>
void check_norm(std::int64_t features, std::int64_t count, Layout layout) {
  constexpr std::int64_t rows = 32;
  INFO(features << " features, " << count << " rows, layout " << static_cast<int>(layout));
  const FeatureBlocks cut{features, layout == Layout::whole_rows};
  const auto scale = padded(normals<Value>(features, 2));
  const auto inputs = normals<Value>(features * rows, 3), output_gradients = normals<Value>(features * rows, 4);
  Reference right{features, count, rows, doubles(scale), doubles(inputs), doubles(output_gradients)};
  right.compute();
  const auto laid_out = [&](const auto& columns) {
    return layout == Layout::columns ? columns : in_blocks(columns, cut, rows);
  };
  Guarded<Value> values(laid_out(inputs)), gradients(laid_out(output_gradients)), in_scale(scale);
  Guarded<Value> means(cut.total_columns()), variances(cut.total_columns()), inverse(cut.total_columns());
  Guarded<Value> normalized(static_cast<std::int64_t>(values.values().size())), scale_sums(cut.total_columns());
  Guarded<Value> alone(values.values());
  const BatchNormKernels<Value> kernels = batch_norm_kernels<Value>();
  const BatchNormParameters<Value> parameters{means.data(), inverse.data(), in_scale.data()};
  const auto invert = [&] {
    for (std::int64_t feature = 0; feature < features; ++feature)
      inverse.data()[feature] = 1 / std::sqrt(variances.data()[feature] + static_cast<Value>(epsilon));
  };
  if (layout == Layout::columns) {
    kernels.measure_columns(features, count, rows, values.data(), means.data(), variances.data());
    invert();
    kernels.normalize_columns(parameters, features, count, rows, values.data(), normalized.data());
    kernels.normalize_columns(parameters, features, count, rows, alone.data(), nullptr);
    kernels.normalize_columns_gradient(parameters, normalized.data(), features, count, rows, gradients.data(),
                                       scale_sums.data());
  } else {
    kernels.measure_rows(cut, count, rows, values.data(), means.data(), variances.data());
    invert();
    kernels.normalize_rows(parameters, cut, count, rows, values.data(), normalized.data());
    kernels.normalize_rows(parameters, cut, count, rows, alone.data(), nullptr);
    kernels.normalize_rows_gradient(parameters, normalized.data(), cut, count, rows, gradients.data(),
                                    scale_sums.data());
  }
  const auto used = [&](Guarded<Value>& array) {
    auto list = array.values();
    list.resize(at(features));
    return list;
  };
  // One row has no variance: its inverse is 1 / sqrt(epsilon), which amplifies rounding.
  const double tolerance = pick<Value>(2e-4, 1e-12);
  CHECK(distance(used(means), right.means) < pick<Value>(1e-6, 1e-14));
  CHECK(distance(used(variances), right.variances) < pick<Value>(2e-6, 1e-14));
  CHECK(distance(values.values(), laid_out(right.outputs)) < tolerance);
  CHECK(alone.values() == values.values());
  CHECK(distance(gradients.values(), laid_out(right.input_gradients)) < tolerance);
  CHECK(distance(used(scale_sums), right.scale_sums) < tolerance);
  for (Guarded<Value>* array : {&values, &gradients, &normalized, &means, &variances, &scale_sums})
    CHECK(array->intact());
}

template <class Value>
void check_norms() {
  for (const std::int64_t features : {1, 2, 5, 15, 16, 17, 63, 64, 65, 100, 130})
    for (const std::int64_t count : {1, 2, 17, 31, 32})
      for (const Layout layout : {Layout::columns, Layout::blocks, Layout::whole_rows})
        check_norm<Value>(features, count, layout);
}

}  // namespace

TEST_CASE("batch norms and their gradients equal their definition, in every layout, without the padding rows") {
  on_every_target([] {
    check_norms<float>();
    check_norms<double>();
  });
}

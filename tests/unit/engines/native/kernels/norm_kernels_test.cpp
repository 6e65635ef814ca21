// Compares layer norms and their gradients on every instruction set of this processor with simple loops in double, for
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

// A layer norm of [features, rows], in double: the formulas of its definition and of its derivative.
struct Reference {
  std::int64_t features, rows;
  std::vector<double> shift, scale, inputs, gradients;  // of the outputs
  std::vector<double> outputs, input_gradients, scale_sums, shift_sums;

  void compute() {
    outputs = input_gradients = inputs;
    scale_sums.assign(at(features), 0);
    shift_sums.assign(at(features), 0);
    for (std::int64_t row = 0; row < rows; ++row) {
      const auto index = [&](std::int64_t feature) { return at(feature * rows + row); };
      const auto count = static_cast<double>(features);
      double mean = 0, variance = 0, sum = 0, products = 0;
      for (std::int64_t f = 0; f < features; ++f) mean += (inputs[index(f)] + shift[at(f)]) / count;
      for (std::int64_t f = 0; f < features; ++f)
        variance += std::pow(inputs[index(f)] + shift[at(f)] - mean, 2) / count;
      const double inverse = 1 / std::sqrt(variance + epsilon);
      const auto normalized = [&](std::int64_t f) { return (inputs[index(f)] + shift[at(f)] - mean) * inverse; };
      for (std::int64_t f = 0; f < features; ++f) {
        outputs[index(f)] = scale[at(f)] * normalized(f);
        scale_sums[at(f)] += gradients[index(f)] * normalized(f);
        sum += gradients[index(f)] * scale[at(f)] / count;
        products += gradients[index(f)] * scale[at(f)] * normalized(f) / count;
      }
      for (std::int64_t f = 0; f < features; ++f) {
        input_gradients[index(f)] = inverse * (gradients[index(f)] * scale[at(f)] - sum - normalized(f) * products);
        shift_sums[at(f)] += input_gradients[index(f)];
      }
    }
  }
};

template <class Value>
void check_norm(std::int64_t features, Layout layout, bool with_shift, bool accumulate) {
  constexpr std::int64_t rows = 32;
  INFO(features << " features, layout " << static_cast<int>(layout) << ", shift " << with_shift << ", accumulate "
                << accumulate);
  const FeatureBlocks cut{features, layout == Layout::whole_rows};
  const auto shift = padded(normals<Value>(features, 1)), scale = padded(normals<Value>(features, 2));
  const auto inputs = normals<Value>(features * rows, 3), output_gradients = normals<Value>(features * rows, 4);
  Reference right{features, rows, doubles(shift), doubles(scale), doubles(inputs), doubles(output_gradients), {}, {},
                  {},       {}};
  if (!with_shift) right.shift.assign(right.shift.size(), 0);
  right.compute();
  const auto laid_out = [&](const auto& columns) {
    return layout == Layout::columns ? columns : in_blocks(columns, cut, rows);
  };
  Guarded<Value> values(laid_out(inputs)), gradients(laid_out(output_gradients)), in_shift(shift), in_scale(scale);
  Guarded<Value> normalized(static_cast<std::int64_t>(values.values().size())), inverse(rows);
  const std::vector<Value> before(at(cut.total_columns()), accumulate ? Value{2} : Value{0});
  Guarded<Value> scale_sums(before), shift_sums(before);
  const NormParameters<Value> parameters{with_shift ? in_shift.data() : nullptr, in_scale.data(),
                                         static_cast<Value>(epsilon)};
  const NormKernels<Value> kernels = norm_kernels<Value>();
  Guarded<Value> alone(values.values());
  if (layout == Layout::columns) {
    kernels.normalize_columns(parameters, features, rows, values.data(), normalized.data(), inverse.data());
    kernels.normalize_columns(parameters, features, rows, alone.data(), nullptr, nullptr);
    kernels.normalize_columns_gradient(in_scale.data(), normalized.data(), inverse.data(), features, rows, accumulate,
                                       gradients.data(), scale_sums.data(), shift_sums.data());
  } else {
    kernels.normalize_rows(parameters, cut, rows, values.data(), normalized.data(), inverse.data());
    kernels.normalize_rows(parameters, cut, rows, alone.data(), nullptr, nullptr);
    kernels.normalize_rows_gradient(in_scale.data(), normalized.data(), inverse.data(), cut, rows, accumulate,
                                    gradients.data(), scale_sums.data(), shift_sums.data());
  }
  // One feature has no variance: its inverse is 1 / sqrt(epsilon), which amplifies rounding.
  const double tolerance = pick<Value>(2e-4, 1e-12);
  CHECK(distance(values.values(), laid_out(right.outputs)) < tolerance);
  CHECK(alone.values() == values.values());
  CHECK(distance(gradients.values(), laid_out(right.input_gradients)) < tolerance);
  std::vector<double> scale_right = padded(right.scale_sums), shift_right = padded(right.shift_sums);
  for (std::int64_t feature = 0; feature < features && accumulate; ++feature) {
    scale_right[at(feature)] += 2;
    shift_right[at(feature)] += 2;
  }
  const auto used = [&](Guarded<Value>& sums) {
    auto list = sums.values();
    list.resize(at(features));
    return list;
  };
  scale_right.resize(at(features));
  shift_right.resize(at(features));
  CHECK(distance(used(scale_sums), scale_right) < tolerance);
  CHECK(distance(used(shift_sums), shift_right) < tolerance);
  for (Guarded<Value>* array : {&values, &gradients, &normalized, &inverse, &scale_sums, &shift_sums})
    CHECK(array->intact());
}

template <class Value>
void check_norms() {
  for (const std::int64_t features : {1, 2, 5, 15, 16, 17, 63, 64, 65, 100, 130})
    for (const Layout layout : {Layout::columns, Layout::blocks, Layout::whole_rows})
      for (const bool with_shift : {false, true})
        for (const bool accumulate : {false, true}) check_norm<Value>(features, layout, with_shift, accumulate);
}

}  // namespace

TEST_CASE("layer norms and their gradients equal their definition, in every layout") {
  on_every_target([] {
    check_norms<float>();
    check_norms<double>();
  });
}

TEST_CASE("a row whose variance overflows becomes NaN, so that a diverged training does not look like a finished one") {
  on_every_target([] {
    for (const Layout layout : {Layout::columns, Layout::whole_rows}) {
      constexpr std::int64_t features = 16, rows = 16;
      std::vector<float> inputs = normals<float>(features * rows, 1);
      for (float& value : inputs) value *= 1e30f;
      Guarded<float> values(inputs), scale(std::vector<float>(features, 1));
      const NormParameters<float> parameters{nullptr, scale.data(), 1e-5f};
      if (layout == Layout::columns)
        norm_kernels<float>().normalize_columns(parameters, features, rows, values.data(), nullptr, nullptr);
      else
        norm_kernels<float>().normalize_rows(parameters, {features, true}, rows, values.data(), nullptr, nullptr);
      for (const float value : values.values()) CHECK(std::isnan(value));
    }
  });
}

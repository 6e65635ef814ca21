// Tests of the choice between a kernel and LibTorch's operators, on the CPU with kernels that are right and wrong.
// SPDX-License-Identifier: MIT
#include "engines/libtorch/update_choice.hpp"

// LibTorch has macros with these names.
#include "support/catch.hpp"

using namespace sheaf;

namespace {

StackShape shape_with(OptimizerKind optimizer, Precision precision) {
  StackShape shape;
  shape.optimizer = optimizer;
  shape.precision = precision;
  return shape;
}

const StackShape adam = shape_with(OptimizerKind::adam, Precision::float32);
const torch::TensorOptions float32 = torch::kFloat32;

// A kernel that counts its calls.
struct CountingKernel {
  bool is_right = true;
  int calls = 0;

  UpdateKernel kernel() {
    return [this](const StackShape& shape, const StackBatch& batch, StackState& state, int fused) {
      ++calls;
      update_parameters(shape, batch, state);
      if (!is_right || fused != update_fuses_means) state.parameters.add_(1);
    };
  }
};

// One parameter after an update by sgd: 1 - 0.5 * 2.
double updated(const StackUpdate& update) {
  StackBatch batch;
  batch.numbers = torch::zeros({1, static_cast<std::int64_t>(StackNumber::count)});
  batch.number(StackNumber::rate).fill_(0.5);
  batch.number(StackNumber::velocity_weight).fill_(1);
  StackState state;
  state.parameters = torch::ones({1, 1});
  state.gradients = torch::full({1, 1}, 2.0);
  state.first = torch::zeros({1, 1});
  update(shape_with(OptimizerKind::sgd, Precision::float32), batch, state);
  return state.parameters.item<double>();
}

}  // namespace

TEST_CASE("stacks are updated by a kernel that passes its test, with the roundings that it found") {
  CountingKernel counting;
  UpdateChoices choices;
  const StackUpdate update = choices.choose(counting.kernel(), adam, float32);
  counting.calls = 0;
  CHECK(updated(update) == 0);
  CHECK(counting.calls == 1);
}

TEST_CASE("stacks are updated by operators if the kernel is wrong") {
  CountingKernel counting{false};
  UpdateChoices choices;
  const StackUpdate update = choices.choose(counting.kernel(), adam, float32);
  counting.calls = 0;
  CHECK(updated(update) == 0);
  CHECK(counting.calls == 0);
  CHECK(updated(choices.choose({}, adam, float32)) == 0);
}

TEST_CASE("a kernel is tested once for each optimizer and precision") {
  for (const bool is_right : {true, false}) {
    CountingKernel counting{is_right};
    UpdateChoices choices;
    const auto is_tested = [&](const StackShape& shape, const torch::TensorOptions& options) {
      counting.calls = 0;
      choices.choose(counting.kernel(), shape, options);
      return counting.calls > 0;
    };
    CHECK(is_tested(adam, float32));
    CHECK(!is_tested(adam, float32));
    CHECK(is_tested(shape_with(OptimizerKind::sgd, Precision::float32), float32));
    CHECK(is_tested(shape_with(OptimizerKind::adam, Precision::float64), torch::kFloat64));
    CHECK(!is_tested(shape_with(OptimizerKind::sgd, Precision::float32), float32));
  }
}

TEST_CASE("builds for CPUs update stacks by operators") {
  CHECK(updated(chosen_update(adam, float32)) == 0);
}

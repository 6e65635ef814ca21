// Tests of the test that a kernel must pass before stacks are updated by it, with kernels that are right and wrong.
// SPDX-License-Identifier: MIT
#include "engines/libtorch/update_test.hpp"

#include <functional>
#include <limits>
#include <stdexcept>

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

UpdateTest tested(const UpdateKernel& kernel, OptimizerKind optimizer = OptimizerKind::adam,
                  torch::ScalarType type = torch::kFloat32) {
  const Precision precision = type == torch::kFloat64 ? Precision::float64 : Precision::float32;
  return test_update(kernel, shape_with(optimizer, precision), torch::TensorOptions(type), {7, 64});
}

// A right kernel, whose results are then changed.
UpdateKernel kernel_with(const std::function<void(StackState&)>& change) {
  return [change](const StackShape& shape, const StackBatch& batch, StackState& state, int) {
    update_parameters(shape, batch, state);
    change(state);
  };
}

// The next larger number.
void change_bit(torch::Tensor value) {
  value.copy_(torch::nextafter(value, torch::full_like(value, 1e30)));
}

}  // namespace

TEST_CASE("a kernel with the results of the operators passes its test") {
  for (const OptimizerKind optimizer :
       {OptimizerKind::sgd, OptimizerKind::adam, OptimizerKind::rmsprop, OptimizerKind::nadam})
    for (const auto type : {torch::kFloat32, torch::kFloat64}) {
      const UpdateTest test = tested(kernel_with([](StackState&) {}), optimizer, type);
      CHECK(test.fused == 0);
      CHECK(test.problem.empty());
    }
}

TEST_CASE("the test of a kernel finds what the operators round only once") {
  for (const int right : {+update_fuses_products, +update_fuses_means, update_fuses_products | update_fuses_means}) {
    const UpdateKernel kernel = [right](const StackShape& shape, const StackBatch& batch, StackState& state,
                                        int fused) {
      update_parameters(shape, batch, state);
      if (fused != right) change_bit(state.parameters[0][0]);
    };
    CHECK(tested(kernel).fused == right);
  }
}

TEST_CASE("a kernel with one wrong value does not pass its test") {
  const auto fails = [](const std::function<void(StackState&)>& change) {
    for (const auto type : {torch::kFloat32, torch::kFloat64}) {
      const UpdateTest test = tested(kernel_with(change), OptimizerKind::adam, type);
      CHECK(!test.fused);
      CHECK_THAT(test.problem, ContainsSubstring(" differ"));
    }
  };
  fails([](StackState& state) { change_bit(state.parameters[0][63]); });
  fails([](StackState& state) { change_bit(state.first[6][0]); });
  fails([](StackState& state) { change_bit(state.second[2][5]); });
  fails([](StackState& state) {
    if (state.averages.defined()) change_bit(state.averages[4][1]);
  });
  // The idle slot.
  fails([](StackState& state) { state.first[3].zero_(); });
  // Signs of zeros.
  fails([](StackState& state) { state.first.add_(0.0); });
  // Denormals that are flushed to zero.
  fails([](StackState& state) {
    const double normal = state.first.scalar_type() == torch::kFloat64 ? 0x1p-1022 : 0x1p-126;
    state.first.masked_fill_(state.first.abs().lt(normal), 0);
  });
  // NaN.
  fails([](StackState& state) { state.parameters.nan_to_num_(); });
  fails([](StackState& state) { state.parameters[1].fill_(std::numeric_limits<double>::quiet_NaN()); });
}

TEST_CASE("an error of a kernel is the problem that its test finds") {
  const UpdateTest test = tested([](const StackShape&, const StackBatch&, StackState&, int) {
    throw std::runtime_error("no code for this device");
  });
  CHECK(!test.fused);
  CHECK(test.problem == "no code for this device");
}

TEST_CASE("CPUs have no kernel for updates") {
  CHECK(!update_kernel(torch::kCPU));
}

TEST_CASE("the groups of a kernel cover a slot") {
  FusedUpdate update;
  const std::int64_t of_group = std::int64_t{update_group_size} * update_values_of_item;
  for (const std::int64_t stride : {std::int64_t{1}, of_group, of_group + 1, 100 * of_group}) {
    update.stride = stride;
    CHECK(update.slot_groups() * of_group >= stride);
    CHECK((update.slot_groups() - 1) * of_group < stride);
  }
}

TEST_CASE("the arguments of a kernel are the tensors of a stack") {
  const StackShape shape = shape_with(OptimizerKind::adamw, Precision::float64);
  StackBatch batch;
  batch.numbers = torch::zeros({3, update_number_count}, torch::kFloat64);
  StackState state;
  state.parameters = torch::zeros({3, 64}, torch::kFloat64);
  state.gradients = torch::zeros_like(state.parameters);
  state.first = torch::zeros_like(state.parameters);
  state.second = torch::zeros_like(state.parameters);
  const FusedUpdate update = fused_update(shape, batch, state, update_fuses_means);
  CHECK(update.is_double);
  CHECK(update.slots == 3);
  CHECK(update.stride == 64);
  CHECK(update.parameters == state.parameters.data_ptr());
  CHECK(update.gradients == state.gradients.data_ptr());
  CHECK(update.first == state.first.data_ptr());
  CHECK(update.second == state.second.data_ptr());
  CHECK(update.averages == nullptr);
  CHECK(update.numbers == batch.numbers.data_ptr());
  CHECK(update.optimizer == update_by_adam);
  CHECK(update.fused == update_fuses_means);
  state.first = torch::zeros({3, 128}, torch::kFloat64).narrow(1, 0, 64);
  CHECK_THROWS_AS(fused_update(shape, batch, state, 0), std::logic_error);
}

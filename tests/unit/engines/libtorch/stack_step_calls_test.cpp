// Tests that the step of a stack calls no operator that reads values on the host, for everything that stacks train: it
// runs on cores, and LibTorch reports the operators that it calls. stack_step_meta_test.cpp finds copies between
// devices.
// SPDX-License-Identifier: MIT
#include <ATen/record_function.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engines/libtorch/stack_batches.hpp"
#include "engines/libtorch/stack_step.hpp"
#include "unit/engines/libtorch/drawn_stacks.hpp"

// LibTorch has macros with these names.
#include "support/catch.hpp"

using namespace sheaf;
using namespace sheaf::test;

namespace {

// Operators that read a value, or whose result has a size that depends on values.
constexpr std::array<std::string_view, 10> reading = {
    "aten::item",     "aten::_local_scalar_dense", "aten::is_nonzero", "aten::nonzero",  "aten::masked_select",
    "aten::_unique2", "aten::unique_dim",          "aten::equal",      "aten::bincount", "aten::repeat_interleave"};

// The calls of this thread that read values, and the number of all calls.
struct Calls {
  std::vector<std::string> reads;
  int count = 0;
};
thread_local Calls* calls = nullptr;

std::unique_ptr<at::ObserverContext> add_call(const at::RecordFunction& call) {
  const auto called = call.operator_name();
  if (!called) return nullptr;
  const bool may_copy = called->name == "aten::to" && called->overload_name != "dtype";  // to another device
  if (may_copy || std::find(reading.begin(), reading.end(), called->name) != reading.end())
    calls->reads.push_back(called->name + "." + called->overload_name);
  ++calls->count;
  return nullptr;
}

Calls calls_of(const std::function<void()>& body) {
  Calls found;
  calls = &found;
  const auto callback = at::RecordFunctionCallback(add_call).scopes({at::RecordScope::FUNCTION});
  const at::CallbackHandle handle = at::addThreadLocalCallback(callback);
  body();
  at::removeCallback(handle);
  return found;
}

// Trains the first batches of an epoch, with all models and an idle slot.
Calls calls_of_steps(const std::vector<Model>& models, const StackShape& shape, const RandomStacks& stacks) {
  constexpr std::int64_t batch_count = 2;
  const c10::InferenceMode inference;
  const std::size_t width = models.size() + 1;
  StackStep step(shape, static_cast<std::int64_t>(width), stacks.data, data_tensors(stacks.data, torch::kCPU));
  std::vector<std::optional<StackSlot>> slots(width);
  std::vector<SlotRows> rows(width);
  std::vector<std::vector<std::int64_t>> orders;
  std::vector<LearningRate> rates;
  for (const Model& model : models) {
    orders.push_back(model.rows.list());
    rates.push_back(model.rate());
  }
  for (std::size_t slot = 0; slot < models.size(); ++slot) {
    const TrainingTask task = models[slot].task(stacks.layers, stacks.data);
    slots[slot].emplace(task);
    step.start(static_cast<std::int64_t>(slot), task);
    rows[slot] = {{orders[slot].data(), static_cast<std::int64_t>(orders[slot].size()), 0}, &rates[slot]};
  }
  const StackBatches batches(shape, static_cast<std::int64_t>(width), stacks.data);
  const std::int64_t count = std::min(batch_count, batches.count(rows));
  const torch::Tensor bytes = torch::zeros({count, batches.layout().bytes()}, torch::kUInt8);
  batches.fill(rows, {0, count}, slots, bytes.data_ptr<std::uint8_t>());
  std::vector<StackBatch> made;
  for (std::int64_t batch = 0; batch < count; ++batch) made.push_back(batches.layout().batch(bytes[batch]));
  torch::Tensor sums = torch::zeros({static_cast<std::int64_t>(width)}, torch::kFloat64);
  return calls_of([&] {
    for (const StackBatch& batch : made) step.train(batch, sums);
  });
}

}  // namespace

TEST_CASE("a step calls no operator that reads values on the host, whatever it trains") {
  for (const Drawing& drawing : drawings)
    for (std::uint64_t seed = drawing.first_seed; seed < drawing.first_seed + drawing.usual; ++seed) {
      const RandomStacks stacks(seed, drawing.precision, drawing.tables);
      for (const auto& [shape, models] : stacks.groups) {
        const Calls found = calls_of_steps(models, shape, stacks);
        INFO("seed " << seed);
        CHECK(found.reads == std::vector<std::string>());
        CHECK(found.count > 20);
      }
    }
}

TEST_CASE("operators that read values on the host are found") {
  const c10::InferenceMode inference;
  const torch::Tensor values = torch::ones({3});
  const auto reads_of = [](const std::function<void()>& body) { return !calls_of(body).reads.empty(); };
  CHECK_FALSE(reads_of([&] { values.add(values).to(torch::kFloat64); }));
  CHECK(reads_of([&] { values[0].item<float>(); }));
  CHECK(reads_of([&] { (void)values[0].is_nonzero(); }));
  CHECK(reads_of([&] { values.nonzero(); }));
  CHECK(reads_of([&] { values.masked_select(values.eq(1)); }));
  CHECK(reads_of([&] { values.index({values.eq(1)}); }));
  CHECK(reads_of([&] { values.to(torch::kCPU); }));
  CHECK(reads_of([&] { (void)torch::equal(values, values); }));
}

// SPDX-License-Identifier: MIT
#include "training/stack_width.hpp"

#include <vector>

#include "models/network_layout.hpp"
#include "support/catch.hpp"
#include "support/plain_study.hpp"

using namespace sheaf;

namespace {

StackShape shape_of_mlp(std::int64_t features, std::vector<std::int64_t> hidden, std::int64_t batch) {
  Trial trial{{}, test::plain_model(), test::plain_training()};
  trial.model.kind = ModelKind::mlp;
  trial.model.hidden = std::move(hidden);
  trial.train.loss = LossKind::cross_entropy;
  trial.train.optimizer = OptimizerKind::adam;
  trial.train.batch_size = batch;
  const DataShape data{10000, features, 10, {}};
  return stack_shape(trial, network_layout(trial.model, data), FeatureScaling{}, data.rows);
}

constexpr std::int64_t much_memory = 70000;  // MiB

}  // namespace

TEST_CASE("the width of a stack fills the cache of a GPU, with 16 to 1024 models") {
  const auto width = [](std::int64_t features, std::vector<std::int64_t> hidden, std::int64_t batch,
                        std::int64_t most = 1024) {
    return stack_width(shape_of_mlp(features, std::move(hidden), batch), {most, much_memory});
  };
  CHECK(width(4, {4}, 1) == 1024);
  CHECK(width(64, {32}, 32) == 256);
  CHECK(width(784, {128}, 32) == 16);
  CHECK(width(784, {512}, 128) == 16);
  CHECK(width(4096, {4096, 4096}, 128) == 16);
  CHECK(width(64, {32}, 32, 64) == 64);
  CHECK(width(784, {512}, 128, 4) == 4);
  CHECK(width(784, {512}, 128, 1) == 1);
  for (std::int64_t features = 1; features < 3000; features *= 2) {
    const StackShape shape = shape_of_mlp(features, {64}, 32);
    const std::int64_t chosen = stack_width(shape, {1024, much_memory});
    const double bytes = stack_memory(shape).model_bytes;
    CHECK(chosen == next_power_of_two(chosen));
    CHECK((chosen == 1024 || static_cast<double>(chosen) * bytes >= 32e6));
    CHECK((chosen == 16 || static_cast<double>(chosen / 2) * bytes < 32e6));
  }
}

TEST_CASE("the width of a stack is what its memory allows, and an explicit width is kept") {
  const StackShape large = shape_of_mlp(784, {512}, 128);
  const StackMemory memory = stack_memory(large);
  for (const std::int64_t fitting : {1, 2, 4, 8, 16}) {
    const auto mib = static_cast<std::int64_t>(memory.bytes(fitting) / (1 << 20)) + 1;
    CHECK(stack_width(large, {1024, mib}) == fitting);
    CHECK(stack_width(large, {4, mib}) == std::min<std::int64_t>(4, fitting));
    CHECK(most_that_fit(large, 1024, memory.bytes(fitting)) == fitting);
  }
  CHECK(stack_width(large, {1024, 1}) == 1);
  CHECK(most_that_fit(large, 1024, 1e6) == 0);
  CHECK(most_that_fit(large, 7, 1e15) == 7);
  CHECK(stack_width(large, {1000}) == 1000);
  CHECK(stack_width(large, {1}) == 1);
}

TEST_CASE("a stack has not more slots than a study has models, but two at least") {
  Study study;
  const auto size_of = [&](const StackSize& size, std::int64_t models) {
    study.run.stack = size;
    study.ensemble.members = models;
    return stack_size_of(study);
  };
  CHECK(size_of({8}, 100).most == 8);
  CHECK(size_of({8}, 5).most == 5);
  CHECK(size_of({8}, 1).most == 2);
  CHECK(size_of({1}, 1).most == 1);
  CHECK(size_of({1024}, 1000000).most == 1024);
  CHECK(size_of({256, 500}, 20).memory_mib == 500);
}

TEST_CASE("memory for two models is enough for a stack of two, whatever the planned number") {
  const StackShape shape = shape_of_mlp(64, {512, 512}, 32);
  const double two = stack_memory(shape).bytes(2);
  const auto memory = static_cast<std::int64_t>(std::ceil(two / (1 << 20)));
  for (const std::int64_t most : {2, 3, 5, 256}) CHECK(stack_width(shape, {most, memory}) == 2);
}

TEST_CASE("a model of a stack needs more memory with more values of any kind") {
  const auto bytes_with = [](const auto& change) {
    StackShape shape = shape_of_mlp(64, {32, 32}, 32);
    change(shape);
    return stack_memory(shape).model_bytes;
  };
  const double plain = bytes_with([](StackShape&) {});
  CHECK(bytes_with([](StackShape& of) { of.batch_rows = 33; }) > plain);
  CHECK(bytes_with([](StackShape& of) { of.precision = Precision::float64; }) > 1.5 * plain);
  CHECK(bytes_with([](StackShape& of) { of.average = Average::ema; }) > plain);
  CHECK(bytes_with([](StackShape& of) {
          of.has_dropout = true;
          of.layers[0].drops = true;
        }) > plain);
  CHECK(plain > 4.0 * 4 * (65 * 32 + 33 * 32 + 33 * 10));  // parameters, gradients and two moments
}

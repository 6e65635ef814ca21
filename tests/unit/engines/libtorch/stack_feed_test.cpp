// SPDX-License-Identifier: MIT
#include "engines/libtorch/stack_feed.hpp"

#include <c10/core/InferenceMode.h>

#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include "core/padding.hpp"

// LibTorch has macros with these names.
#include "support/catch.hpp"

using namespace sheaf;

namespace {

constexpr std::int64_t slots = 3;

StackShape shape_of_test(std::int64_t batch_rows = 5) {
  StackShape shape;
  Layer dropping;
  dropping.outputs = 4;
  dropping.drops = true;
  Layer last;
  last.outputs = 2;
  shape.layers = {dropping, last};
  shape.has_dropout = true;
  shape.batch_rows = batch_rows;
  return shape;
}

const StackBatchLayout layout(shape_of_test(), slots);

// Batch b has numbers from 1000 b on.
void fill_batches(IndexRange which, std::uint8_t* to) {
  for (std::int64_t batch = which.begin; batch < which.end; ++batch, to += layout.bytes())
    for (std::int64_t slot = 0; slot < slots; ++slot) {
      const std::int64_t first = 1000 * batch + 100 * slot;
      for (std::int64_t row = 0; row < layout.rows(); ++row) {
        layout.rows_of(to, slot)[row] = first + row;
        layout.weights_of(to, slot)[row] = static_cast<double>(first + row) / 2;
        for (std::int64_t value = 0; value < 4; ++value)
          layout.mask_of(to, slot, 0)[4 * row + value] = static_cast<std::uint8_t>((batch + slot + row + value) % 2);
      }
      for (int number = 0; number < static_cast<int>(StackNumber::count); ++number)
        layout.numbers_of(to, slot)[number] = static_cast<double>(first - number);
    }
}

void check_batch(const StackBatch& found, std::int64_t batch) {
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(layout.bytes()));
  fill_batches({batch, batch + 1}, bytes.data());
  for (std::int64_t slot = 0; slot < slots; ++slot) {
    const auto equal = [&](const torch::Tensor& ours, const auto* theirs) {
      const auto* const values = ours[slot].data_ptr<std::decay_t<decltype(*theirs)>>();
      CHECK(std::equal(values, values + ours[slot].numel(), theirs));
    };
    equal(found.rows, layout.rows_of(bytes.data(), slot));
    equal(found.weights, layout.weights_of(bytes.data(), slot));
    equal(found.numbers, layout.numbers_of(bytes.data(), slot));
    equal(found.masks[0], layout.mask_of(bytes.data(), slot, 0));
  }
}

}  // namespace

TEST_CASE("the parts of a batch have their sizes and do not overlap") {
  const torch::Tensor bytes = torch::zeros({layout.bytes()}, torch::kUInt8);
  const StackBatch batch = layout.batch(bytes);
  CHECK(batch.rows.sizes().vec() == std::vector<std::int64_t>{3, stack_padding});
  CHECK(batch.weights.sizes().vec() == std::vector<std::int64_t>{3, stack_padding});
  CHECK(batch.numbers.sizes().vec() == std::vector<std::int64_t>{3, static_cast<std::int64_t>(StackNumber::count)});
  REQUIRE(batch.masks.size() == 2);
  CHECK(batch.masks[0].sizes().vec() == std::vector<std::int64_t>{3, stack_padding, 4});
  CHECK_FALSE(batch.masks[1].defined());
  fill_batches({1, 2}, bytes.data_ptr<std::uint8_t>());
  check_batch(batch, 1);
  StackShape without = shape_of_test();
  without.has_dropout = false;
  CHECK(StackBatchLayout(without, slots).bytes() < layout.bytes());
}

TEST_CASE("eight batches are on a device at the same time, or fewer if they are large") {
  CHECK(batches_at_once(1) == 8);
  CHECK(batches_at_once(std::int64_t{8} << 20) == 8);
  CHECK(batches_at_once((std::int64_t{8} << 20) + 1) == 7);
  CHECK(batches_at_once(std::int64_t{64} << 20) == 1);
  CHECK(batches_at_once(std::int64_t{65} << 20) == 1);
}

TEST_CASE("batches reach the device in their order: eight together, and the others one by one") {
  const c10::InferenceMode inference;
  for (const bool ahead : {false, true}) {
    StackFeed feed(layout, torch::kCPU, ahead);
    REQUIRE(feed.places().size() == 8);
    const void* const address = feed.places()[3].weights.data_ptr();
    for (const std::int64_t count : {0, 1, 7, 8, 9, 16, 23, 40}) {
      std::int64_t next = 0, filled = 0, singles = 0;
      bool in_order = true;
      std::thread::id filler;
      const auto fill = [&](IndexRange which, std::uint8_t* to) {
        in_order = in_order && which.begin == filled;  // CHECK is for one thread
        filled = which.end;
        filler = std::this_thread::get_id();
        fill_batches(which, to);
      };
      feed.feed(
          count, fill,
          [&] {
            for (const StackBatch& batch : feed.places()) check_batch(batch, next++);
          },
          [&] {
            check_batch(feed.places()[0], next++);
            ++singles;
          });
      CHECK(next == count);
      CHECK(in_order);
      CHECK(filled == count);
      CHECK(singles == count % 8);
      if (count > 0) CHECK((filler == std::this_thread::get_id()) == !ahead);
    }
    CHECK(feed.places()[3].weights.data_ptr() == address);
  }
}

TEST_CASE("errors while batches are filled or used reach the caller, and the feed can be used again") {
  const c10::InferenceMode inference;
  const auto nothing = [] {};
  for (const bool ahead : {false, true}) {
    StackFeed feed(layout, torch::kCPU, ahead);
    for (const std::int64_t failing : {0, 8, 16}) {
      const auto fails = [&](IndexRange which, std::uint8_t* to) {
        if (which.begin == failing) throw std::runtime_error("no memory");
        fill_batches(which, to);
      };
      CHECK_THROWS_WITH(feed.feed(20, fails, nothing, nothing), "no memory");
    }
    std::int64_t used = 0;
    CHECK_THROWS_WITH(feed.feed(
                          20,
                          [&](IndexRange which, std::uint8_t* to) {
                            std::this_thread::sleep_for(std::chrono::milliseconds(2));
                            fill_batches(which, to);
                          },
                          [] { throw std::runtime_error("no device"); }, nothing),
                      "no device");
    feed.feed(
        20, fill_batches, [&] { used += 8; }, [&] { ++used; });
    CHECK(used == 20);
  }
}

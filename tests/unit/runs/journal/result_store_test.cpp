// SPDX-License-Identifier: MIT
#include "runs/journal/result_store.hpp"

#include <cstddef>
#include <limits>
#include <vector>

#include "support/catch.hpp"
#include "support/sample_results.hpp"

using namespace sheaf;

TEST_CASE("results are returned bit for bit, sorted, with their curves, messages and predictions") {
  ResultStore store;
  CHECK(store.empty());
  TrainedIteration rich = sample_iteration(4294967294);
  rich.message = std::string("odd \0 bytes \xff", 12);
  rich.epochs = {{4294967294, 0, 0.5, -0.0, 1e300}, {4294967294, 1, 1.0 / 3, 0.25, 0.125}};
  rich.metrics = {0.75, -0.0};
  rich.epoch_metrics = {0.5, -0.0, 1e-300, 0.125};
  store.append(rich, {12345678901, 40, 0xdeadbeef}, 7);
  store.append(sample_iteration(0), {}, 70000);
  TrainedIteration large = sample_iteration(5);  // larger than a block of the store
  large.message.assign(std::size_t{3} << 20, 'x');
  store.append(large, {}, 0);
  store.append(sample_iteration(3), {}, 0);
  store.settle();
  REQUIRE(store.size() == 4);
  CHECK(store.packed(0).size() == 136);
  CHECK(same(store[0].trained.result, sample_iteration(0).result));
  CHECK(store[0].file == 70000);
  CHECK(store[0].predictions.bytes == 0);
  CHECK(same(store[1].trained.result, sample_iteration(3).result));
  CHECK(store[2].trained.message == large.message);
  const JournaledIteration last = store[3];
  CHECK(same(last.trained.result, rich.result));
  CHECK(last.trained.message == rich.message);
  REQUIRE(last.trained.epochs.size() == 2);
  CHECK(same(last.trained.epochs[0], rich.epochs[0]));
  CHECK(same(last.trained.epochs[1], rich.epochs[1]));
  CHECK(same_metrics(last.trained, rich));
  CHECK(last.file == 7);
  CHECK(last.predictions.offset == 12345678901);
  CHECK(last.predictions.bytes == 40);
  CHECK(last.predictions.checksum == 0xdeadbeef);
  CHECK(store.positions_of({1, 6}) == IndexRange{1, 3});
  CHECK(store.positions_of({6, 100}).empty());
  CHECK(store.bytes_of({0, 4}) == 272);
  std::int64_t count = 0;
  for (const auto& iteration : store) count += iteration.has_result();
  CHECK(count == 4);
}

TEST_CASE("values that a result does not have take no memory") {
  TrainedIteration plain = sample_iteration(0);
  plain.result.gpu = -1;
  plain.result.best_epoch = -1;
  plain.result.validation_loss = plain.result.validation_score = std::numeric_limits<double>::quiet_NaN();
  plain.result.data_seconds = plain.result.validation_seconds = plain.result.wait_seconds =
      plain.result.earlier_seconds = 0;
  plain.result.steps = std::numeric_limits<std::uint32_t>::max();
  TrainedIteration other = plain;
  other.result.iteration = 1;
  other.result.wait_seconds = -0.0;
  other.result.epochs = -1;
  ResultStore store;
  store.append(plain, {}, 1);
  store.append(other, {}, 2);
  store.settle();
  CHECK(store.packed(0).size() == 68);
  CHECK(same(store[0].trained.result, plain.result));
  CHECK(same(store[1].trained.result, other.result));
}

TEST_CASE("a store may be settled again after more results, and takes packed results") {
  std::vector<std::byte> packed;
  ResultStore store;
  for (std::int64_t round = 0; round < 3; ++round) {
    for (std::int64_t number = 20000; number > 0; --number) {
      TrainedIteration iteration = sample_iteration(3 * number + round);
      if (number % 2 == 0) iteration.message = "text";
      packed.clear();
      pack_result(iteration, {}, 4, packed);
      store.append(PackedResult(packed.data()));
    }
    store.settle();
    REQUIRE(store.size() == static_cast<std::size_t>(20000 * (round + 1)));
    for (const std::int64_t number : {1, 2, 12345, 19999, 20000}) {
      const IndexRange found = store.positions_of({3 * number + round, 3 * number + round + 1});
      REQUIRE(found.count() == 1);
      const JournaledIteration iteration = store[static_cast<std::size_t>(found.begin)];
      CHECK(same(iteration.trained.result, sample_iteration(3 * number + round).result));
      CHECK(iteration.trained.message == (number % 2 == 0 ? "text" : ""));
      CHECK(iteration.file == 4);
    }
  }
}

TEST_CASE("of several results of an iteration, the first one with a result counts, otherwise the last one") {
  const auto with = [](IterationStatus status, std::int64_t steps) {
    TrainedIteration iteration = sample_iteration(5);
    iteration.result.status = status;
    iteration.result.steps = steps;
    return iteration;
  };
  ResultStore store;
  store.append(with(IterationStatus::failed, 1), {}, 0);
  store.append(with(IterationStatus::failed, 2), {}, 0);
  store.settle();
  CHECK(store[0].trained.result.steps == 2);
  store.append(with(IterationStatus::diverged, 3), {}, 0);
  store.append(with(IterationStatus::finished, 4), {}, 0);
  store.append(with(IterationStatus::failed, 5), {}, 0);
  store.settle();
  REQUIRE(store.size() == 1);
  CHECK(store[0].trained.result.steps == 3);
}

TEST_CASE("results in memory have the same bits as results read from a journal") {
  TrainedIteration written = sample_iteration(1);
  const double odd = -std::numeric_limits<double>::quiet_NaN();
  written.result.final_loss = written.result.validation_loss = written.result.validation_score = odd;
  written.epochs = {{1, 0, odd, odd, -0.0}};
  written.metrics = {odd};
  written.epoch_metrics = {odd};
  ResultStore store;
  store.append(written, {}, 0);
  store.settle();
  const std::string line = journal_line(written, {}, 7);
  const auto read = read_journal_line(line.substr(0, line.size() - 1), 7);
  REQUIRE(read.has_value());
  CHECK(same(store[0].trained.result, read->iteration.result));
  CHECK(same(store[0].trained.epochs[0], read->iteration.epochs[0]));
  CHECK(same_metrics(store[0].trained, read->iteration));
}

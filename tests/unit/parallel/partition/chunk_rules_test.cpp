// SPDX-License-Identifier: MIT
#include "parallel/partition/chunk_rules.hpp"

#include <vector>

#include "support/catch.hpp"

using namespace sheaf;

namespace {

const std::vector<PartitionKind> dynamic_kinds = {PartitionKind::self, PartitionKind::guided, PartitionKind::factoring,
                                                  PartitionKind::weighted_factoring};

// The sizes of consecutive claims until the pool is empty.
std::vector<std::int64_t> claims(PartitionKind kind, std::int64_t total, std::int64_t workers, double weight = 1) {
  std::vector<std::int64_t> sizes;
  for (std::int64_t taken = 0; taken < total; taken += sizes.back()) {
    sizes.push_back(chunk_size(kind, total, taken, workers, weight));
    if (sizes.back() < 1) break;
  }
  return sizes;
}

}  // namespace

TEST_CASE("block and cyclic are static, and the other rules are dynamic") {
  CHECK_FALSE(is_dynamic(PartitionKind::block));
  CHECK_FALSE(is_dynamic(PartitionKind::cyclic));
  for (const PartitionKind kind : dynamic_kinds) CHECK(is_dynamic(kind));
}

TEST_CASE("self claims one iteration at a time") {
  CHECK(claims(PartitionKind::self, 3, 8) == std::vector<std::int64_t>{1, 1, 1});
}

// ceil(R / P), computed by hand for N = 100, P = 4. Source: Polychronopoulos and Kuck (1987).
TEST_CASE("guided claims the remaining iterations divided by the number of workers") {
  CHECK(claims(PartitionKind::guided, 100, 4) ==
        std::vector<std::int64_t>{25, 19, 14, 11, 8, 6, 5, 3, 3, 2, 1, 1, 1, 1});
}

TEST_CASE("auto is block for one trial on streamed data on one node, and factoring otherwise") {
  for (const bool is_streamed : {false, true})
    for (const bool is_one_node : {false, true}) {
      CHECK(settled_kind(automatic, is_streamed, is_one_node, 1) ==
            (is_streamed && is_one_node ? PartitionKind::block : PartitionKind::factoring));
      CHECK(settled_kind(automatic, is_streamed, is_one_node, 2) == PartitionKind::factoring);
      CHECK(settled_kind(PartitionKind::guided, is_streamed, is_one_node, 1) == PartitionKind::guided);
      CHECK(settled_kind(automatic, is_streamed, is_one_node, 2, true) ==
            (is_streamed ? PartitionKind::factoring : PartitionKind::self));
      CHECK(settled_kind(PartitionKind::factoring, is_streamed, is_one_node, 2, true) == PartitionKind::factoring);
    }
}

// ceil(R / 2P) P times, computed by hand for N = 100, P = 4. Source: Hummel, Schonberg and Flynn (1992).
TEST_CASE("factoring claims batches of equal chunks; each batch is half of the remaining iterations") {
  CHECK(claims(PartitionKind::factoring, 100, 4) ==
        std::vector<std::int64_t>{13, 13, 13, 13, 6, 6, 6, 6, 3, 3, 3, 3, 2, 2, 2, 2, 1, 1, 1, 1});
}

TEST_CASE("weighted factoring multiplies the chunk size of factoring by the weight") {
  CHECK(claims(PartitionKind::weighted_factoring, 100, 4) == claims(PartitionKind::factoring, 100, 4));
  CHECK(chunk_size(PartitionKind::weighted_factoring, 100, 0, 4, 2.0) == 26);
  CHECK(chunk_size(PartitionKind::weighted_factoring, 100, 0, 4, 0.5) == 7);    // 6.5, rounded
  CHECK(chunk_size(PartitionKind::weighted_factoring, 100, 0, 4, 0.001) == 1);  // at least 1
  CHECK(chunk_size(PartitionKind::weighted_factoring, 100, 0, 4, 1e9) == 100);  // at most the remaining iterations
  CHECK(chunk_size(PartitionKind::weighted_factoring, 100, 52, 4, 2.0) == 12);  // the second batch
}

TEST_CASE("a worker that trains several iterations together gets as many, but not more than its share of the rest") {
  const auto claim = [](PartitionKind kind, std::int64_t taken, double weight, std::int64_t at_once) {
    return chunk_size(kind, 1000, taken, 10, weight, at_once);
  };
  CHECK(claim(PartitionKind::self, 0, 1, 256) == 100);
  CHECK(claim(PartitionKind::self, 0, 1, 64) == 64);
  CHECK(claim(PartitionKind::self, 970, 1, 64) == 3);
  CHECK(claim(PartitionKind::weighted_factoring, 970, 1, 64) == 3);
  CHECK(claim(PartitionKind::weighted_factoring, 970, 8, 64) == 24);    // a GPU beside cores
  CHECK(claim(PartitionKind::weighted_factoring, 970, 0.1, 64) == 1);   // a core beside a GPU
  CHECK(claim(PartitionKind::weighted_factoring, 970, 1e9, 64) == 30);  // at most the rest
}

TEST_CASE("claims from an empty pool are empty") {
  for (const PartitionKind kind : dynamic_kinds) {
    CHECK(chunk_size(kind, 0, 0, 3, 1) == 0);
    CHECK(chunk_size(kind, 7, 7, 3, 1) == 0);
  }
}

TEST_CASE("dynamic claims cover each iteration once for all pool sizes and weights") {
  for (const PartitionKind kind : dynamic_kinds) {
    for (const std::int64_t total : {0, 1, 2, 7, 100, 12345}) {
      for (const std::int64_t workers : {1, 2, 3, 8, 64}) {
        for (const double weight : {0.1, 1.0, 7.3}) {
          std::int64_t sum = 0, smallest = 1;
          for (const std::int64_t size : claims(kind, total, workers, weight)) {
            sum += size;
            smallest = std::min(smallest, size);
          }
          CHECK(sum == total);
          CHECK(smallest == 1);  // every claim has at least one iteration
        }
      }
    }
  }
}

TEST_CASE("chunk sizes are correct for the largest pool") {
  const std::int64_t total = (std::int64_t{1} << 32) - 1;
  CHECK(chunk_size(PartitionKind::guided, total, 0, 1, 1) == total);
  CHECK(chunk_size(PartitionKind::factoring, total, 0, 1, 1) == std::int64_t{1} << 31);
  CHECK(chunk_size(PartitionKind::factoring, total, total - 1, 1, 1) == 1);
}

TEST_CASE("static claims cover each iteration once for any number of workers") {
  for (const PartitionKind kind : {PartitionKind::block, PartitionKind::cyclic}) {
    for (const std::int64_t total : {0, 1, 2, 7, 100, 12345}) {
      for (const std::int64_t workers : {1, 2, 3, 8, 64}) {
        std::vector<int> seen(static_cast<std::size_t>(total));
        for (std::int64_t worker = 0; worker < workers; ++worker) {
          for (std::int64_t claim = 0;; ++claim) {
            const IndexRange range = static_claim(kind, total, workers, worker, claim);
            if (range.empty()) break;
            for (std::int64_t i = range.begin; i < range.end; ++i) ++seen.at(static_cast<std::size_t>(i));
          }
        }
        CHECK(seen == std::vector<int>(seen.size(), 1));
      }
    }
  }
}

TEST_CASE("block gives each worker one range, and cyclic gives it every P-th iteration") {
  CHECK(static_claim(PartitionKind::block, 10, 3, 0, 0) == IndexRange{0, 4});
  CHECK(static_claim(PartitionKind::block, 10, 3, 2, 0) == IndexRange{7, 10});
  CHECK(static_claim(PartitionKind::block, 10, 3, 0, 1).empty());
  CHECK(static_claim(PartitionKind::block, 2, 3, 2, 0).empty());
  CHECK(static_claim(PartitionKind::cyclic, 10, 3, 1, 0) == IndexRange{1, 2});
  CHECK(static_claim(PartitionKind::cyclic, 10, 3, 1, 2) == IndexRange{7, 8});
  CHECK(static_claim(PartitionKind::cyclic, 10, 3, 1, 3).empty());
}

TEST_CASE("a node's range has one claim per lane, and at the end of the pool one per lane that wants one") {
  // The node has 4 of 16 lanes. The first chunk of factoring for 3200 iterations is 100.
  for (const std::int64_t wanted : {1, 4, 1000}) {
    CHECK(range_size(PartitionKind::factoring, 3200, 0, 16, 4, 1, wanted) == 400);
    CHECK(range_size(PartitionKind::guided, 3200, 0, 16, 4, 1, wanted) == 800);
    CHECK(range_size(PartitionKind::weighted_factoring, 3200, 0, 16, 4, 0.5, wanted) == 200);
  }
  CHECK(range_size(PartitionKind::factoring, 3200, 3184, 16, 4, 1, 3) == 3);
  CHECK(range_size(PartitionKind::factoring, 3200, 3184, 16, 4, 1, 1000) == 4);
  CHECK(range_size(PartitionKind::factoring, 3200, 3199, 16, 4, 1, 4) == 1);
}

TEST_CASE("a node requests claims for all lanes, or only for waiting lanes if rank 0 can answer each of them") {
  CHECK(wanted_lanes(3, 64, 128, 0) == 64);
  CHECK(wanted_lanes(3, 64, 128, 0.01) == 64);
  CHECK(wanted_lanes(3, 64, 128, 1) == 3);
  CHECK(wanted_lanes(0, 64, 128, 1) == 1);
  CHECK(wanted_lanes(99, 64, 128, 1) == 64);
  CHECK(wanted_lanes(3, 64, 640000, 1) == 64);
  CHECK(wanted_lanes(3, 64, 640000, 2) == 3);
}

TEST_CASE("with self, a node gets the requested number up to its fair part of the remaining iterations") {
  CHECK(range_size(PartitionKind::self, 3200, 0, 16, 4, 1, 7) == 7);
  CHECK(range_size(PartitionKind::self, 3200, 0, 16, 4, 1, 100000) == 400);
  CHECK(range_size(PartitionKind::self, 3200, 3190, 16, 4, 1, 100000) == 4);
  CHECK(range_size(PartitionKind::self, 3200, 3198, 16, 4, 1, 100000) == 2);
}

TEST_CASE("the requested number adapts to one request every few milliseconds") {
  CHECK(next_wanted(8, 0, 1000, 1e-4) == 16);
  CHECK(next_wanted(8, 0, 10, 1e-4) == 10);
  CHECK(next_wanted(8, 0, 1000, 1e-2) == 8);
  CHECK(next_wanted(8, 0, 1000, 4e-2) == 2);
  CHECK(next_wanted(8, 0, 1000, 10) == 1);
  CHECK(next_wanted(8, 5, 1000, 10) == 5);  // at least one per waiting lane
}

TEST_CASE("a worker that trains several iterations together gets as many, but not those of the other workers") {
  const auto size = [](PartitionKind kind, std::int64_t taken, std::int64_t at_once) {
    return chunk_size(kind, 100, taken, 4, 1, at_once);
  };
  CHECK(size(PartitionKind::self, 0, 8) == 8);
  CHECK(size(PartitionKind::self, 0, 1000) == 25);
  CHECK(size(PartitionKind::self, 93, 8) == 2);
  CHECK(size(PartitionKind::self, 99, 8) == 1);
  CHECK(size(PartitionKind::factoring, 0, 2) == 13);
  CHECK(size(PartitionKind::factoring, 0, 20) == 20);
  CHECK(size(PartitionKind::guided, 0, 1000) == 25);
  CHECK(size(PartitionKind::self, 100, 8) == 0);
}

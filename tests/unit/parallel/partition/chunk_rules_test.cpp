// SPDX-License-Identifier: MIT
#include "parallel/partition/chunk_rules.hpp"

#include <vector>

#include "support/catch.hpp"

using namespace sheaf;

namespace {

const std::vector<PartitionKind> dynamic_kinds = {PartitionKind::self, PartitionKind::guided, PartitionKind::factoring,
                                                  PartitionKind::weighted_factoring};

// The sizes of all claims from a pool, one after the other.
std::vector<std::int64_t> claims(PartitionKind kind, std::int64_t total, std::int64_t workers, double weight = 1) {
  std::vector<std::int64_t> sizes;
  for (std::int64_t taken = 0; taken < total; taken += sizes.back()) {
    sizes.push_back(chunk_size(kind, total, taken, workers, weight));
    if (sizes.back() < 1) break;
  }
  return sizes;
}

}  // namespace

TEST_CASE("block and cyclic are static, the others dynamic") {
  CHECK_FALSE(is_dynamic(PartitionKind::block));
  CHECK_FALSE(is_dynamic(PartitionKind::cyclic));
  for (const PartitionKind kind : dynamic_kinds) CHECK(is_dynamic(kind));
}

TEST_CASE("self takes one at a time") {
  CHECK(claims(PartitionKind::self, 3, 8) == std::vector<std::int64_t>{1, 1, 1});
}

// ceil(R / P), by hand for N = 100, P = 4; Polychronopoulos and Kuck (1987).
TEST_CASE("guided takes its share of what remains") {
  CHECK(claims(PartitionKind::guided, 100, 4) ==
        std::vector<std::int64_t>{25, 19, 14, 11, 8, 6, 5, 3, 3, 2, 1, 1, 1, 1});
}

TEST_CASE("auto is factoring, but where one reading of a file serves all") {
  for (const bool is_streamed : {false, true})
    for (const bool is_one_node : {false, true}) {
      CHECK(settled_kind(PartitionKind::automatic, is_streamed, is_one_node, 1) ==
            (is_streamed && is_one_node ? PartitionKind::block : PartitionKind::factoring));
      CHECK(settled_kind(PartitionKind::automatic, is_streamed, is_one_node, 2) == PartitionKind::factoring);
      CHECK(settled_kind(PartitionKind::guided, is_streamed, is_one_node, 1) == PartitionKind::guided);
    }
}

// ceil(R / 2P) P times, by hand for N = 100, P = 4; the sequence of Hummel, Schonberg and Flynn (1992).
TEST_CASE("factoring takes batches of equal chunks, half of what remains each") {
  CHECK(claims(PartitionKind::factoring, 100, 4) ==
        std::vector<std::int64_t>{13, 13, 13, 13, 6, 6, 6, 6, 3, 3, 3, 3, 2, 2, 2, 2, 1, 1, 1, 1});
}

TEST_CASE("weighted factoring is factoring times the weight") {
  CHECK(claims(PartitionKind::weighted_factoring, 100, 4) == claims(PartitionKind::factoring, 100, 4));
  CHECK(chunk_size(PartitionKind::weighted_factoring, 100, 0, 4, 2.0) == 26);
  CHECK(chunk_size(PartitionKind::weighted_factoring, 100, 0, 4, 0.5) == 7);    // 6.5, rounded
  CHECK(chunk_size(PartitionKind::weighted_factoring, 100, 0, 4, 0.001) == 1);  // never nothing
  CHECK(chunk_size(PartitionKind::weighted_factoring, 100, 0, 4, 1e9) == 100);  // never more than there is
  CHECK(chunk_size(PartitionKind::weighted_factoring, 100, 52, 4, 2.0) == 12);  // the second batch
}

TEST_CASE("nothing is claimed from an empty pool") {
  for (const PartitionKind kind : dynamic_kinds) {
    CHECK(chunk_size(kind, 0, 0, 3, 1) == 0);
    CHECK(chunk_size(kind, 7, 7, 3, 1) == 0);
  }
}

TEST_CASE("dynamic claims cover every iteration once, for all sizes and weights") {
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
          CHECK(smallest == 1);  // of claims, each at least 1
        }
      }
    }
  }
}

TEST_CASE("rules hold at the largest pool") {
  const std::int64_t total = (std::int64_t{1} << 32) - 1;
  CHECK(chunk_size(PartitionKind::guided, total, 0, 1, 1) == total);
  CHECK(chunk_size(PartitionKind::factoring, total, 0, 1, 1) == std::int64_t{1} << 31);
  CHECK(chunk_size(PartitionKind::factoring, total, total - 1, 1, 1) == 1);
}

TEST_CASE("static claims cover every iteration once, whatever the number of workers") {
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

TEST_CASE("block gives one range a worker; cyclic every P-th iteration") {
  CHECK(static_claim(PartitionKind::block, 10, 3, 0, 0) == IndexRange{0, 4});
  CHECK(static_claim(PartitionKind::block, 10, 3, 2, 0) == IndexRange{7, 10});
  CHECK(static_claim(PartitionKind::block, 10, 3, 0, 1).empty());
  CHECK(static_claim(PartitionKind::block, 2, 3, 2, 0).empty());
  CHECK(static_claim(PartitionKind::cyclic, 10, 3, 1, 0) == IndexRange{1, 2});
  CHECK(static_claim(PartitionKind::cyclic, 10, 3, 1, 2) == IndexRange{7, 8});
  CHECK(static_claim(PartitionKind::cyclic, 10, 3, 1, 3).empty());
}

TEST_CASE("a node's range is a claim for each of its lanes, in the tail for those that want one") {
  // 4 of 16 lanes; factoring's first chunk of 3200 is 100.
  for (const std::int64_t wanted : {1, 4, 1000}) {
    CHECK(range_size(PartitionKind::factoring, 3200, 0, 16, 4, 1, wanted) == 400);
    CHECK(range_size(PartitionKind::guided, 3200, 0, 16, 4, 1, wanted) == 800);
    CHECK(range_size(PartitionKind::weighted_factoring, 3200, 0, 16, 4, 0.5, wanted) == 200);
  }
  CHECK(range_size(PartitionKind::factoring, 3200, 3184, 16, 4, 1, 3) == 3);
  CHECK(range_size(PartitionKind::factoring, 3200, 3184, 16, 4, 1, 1000) == 4);
  CHECK(range_size(PartitionKind::factoring, 3200, 3199, 16, 4, 1, 4) == 1);
}

TEST_CASE("all lanes want a claim, but those alone that wait where rank 0 could answer each of them") {
  CHECK(wanted_lanes(3, 64, 128, 0) == 64);
  CHECK(wanted_lanes(3, 64, 128, 0.01) == 64);
  CHECK(wanted_lanes(3, 64, 128, 1) == 3);
  CHECK(wanted_lanes(0, 64, 128, 1) == 1);
  CHECK(wanted_lanes(99, 64, 128, 1) == 64);
  CHECK(wanted_lanes(3, 64, 640000, 1) == 64);
  CHECK(wanted_lanes(3, 64, 640000, 2) == 3);
}

TEST_CASE("a node under self gets what it wants, up to its fair share of the rest") {
  CHECK(range_size(PartitionKind::self, 3200, 0, 16, 4, 1, 7) == 7);
  CHECK(range_size(PartitionKind::self, 3200, 0, 16, 4, 1, 100000) == 400);
  CHECK(range_size(PartitionKind::self, 3200, 3190, 16, 4, 1, 100000) == 4);
  CHECK(range_size(PartitionKind::self, 3200, 3198, 16, 4, 1, 100000) == 2);
}

TEST_CASE("what a node wants settles at a question every few milliseconds") {
  CHECK(next_wanted(8, 0, 1000, 1e-4) == 16);
  CHECK(next_wanted(8, 0, 10, 1e-4) == 10);
  CHECK(next_wanted(8, 0, 1000, 1e-2) == 8);
  CHECK(next_wanted(8, 0, 1000, 4e-2) == 2);
  CHECK(next_wanted(8, 0, 1000, 10) == 1);
  CHECK(next_wanted(8, 5, 1000, 10) == 5);  // a lane that waits wants something
}

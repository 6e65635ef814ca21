// Windows of a file that passes through shared memory, seen by lanes of all ranks of a node.
// SPDX-License-Identifier: MIT
#include "dataset/stream.hpp"

#include <map>
#include <optional>
#include <thread>

#include "core/error.hpp"
#include "dataset/feature_reader.hpp"
#include "dataset/resident.hpp"
#include "dataset/stream_scaling.hpp"
#include "mpi/communicator.hpp"
#include "support/hdf5_fixture.hpp"

#include "support/catch.hpp"

using namespace sheaf;
using namespace sheaf::test;

namespace {

constexpr std::int64_t rows = 1003, width = 3, row_chunk = 10;

// Row r holds r, r + 0.25, r + 0.5 (bytes: r % 200 thrice), its label is r % 7.
void write_file(const Communicator& world, bool bytes) {
  if (world.is_root()) {
    std::vector<double> features, labels;
    for (std::int64_t row = 0; row < rows; ++row) {
      for (std::int64_t column = 0; column < width; ++column)
        features.push_back(bytes ? static_cast<double>(row % 200)
                                 : static_cast<double>(row) + 0.25 * static_cast<double>(column));
      labels.push_back(static_cast<double>(row % 7));
    }
    FixtureFile file("stream.h5");
    file.numbers("/features", {rows, width}, features,
                 {bytes ? H5T_STD_U8LE : H5T_IEEE_F32LE, {row_chunk, width}, true, true});
    file.numbers("/targets", {rows}, labels, {H5T_STD_U8LE});
  }
  world.barrier();
}

DataOptions options_of() {
  DataOptions options;
  options.file = "stream.h5";
  options.task = Task::classification;
  return options;
}

// Whatever the block size of the reader, some windows of a few blocks, the last one short.
StreamPlan small_plan(const FeatureReader& reader) {
  StreamPlan plan;
  plan.rows = rows;
  plan.block_rows = reader.block(0).count();
  plan.window_blocks = 3;
  plan.slots = 2;
  return plan;
}

// The rows that came in a pass, in their order. Every value is looked at.
struct SeenPass {
  Pass pass;
  std::vector<std::int64_t> rows;
};

std::optional<std::int64_t> row_in(const Window& window, std::int64_t place, std::int64_t row) {
  const DataSet& data = window.data;
  if (data.labels[place] != row % 7) return std::nullopt;
  for (std::int64_t column = 0; column < width; ++column) {
    const std::int64_t index = place * width + column;
    const bool right = data.byte_features != nullptr
                           ? data.byte_features[index] == row % 200
                           : data.features[index] == static_cast<float>(row) + 0.25f * static_cast<float>(column);
    if (!right) return std::nullopt;
  }
  return row;
}

// One lane's rounds of as many epochs, until there are no more for anyone.
std::vector<SeenPass> run_lane(Stream& stream, const std::vector<std::int64_t>& rounds) {
  StreamLane lane(stream);
  std::vector<SeenPass> seen;
  for (std::size_t round = 0;; ++round) {
    if (lane.begin_round(round < rounds.size() ? rounds[round] : 0) == 0) return seen;
    while (const Window* window = lane.next()) {
      if (window->number == 0) seen.push_back({window->pass, {}});
      for (const auto& block : window->blocks)
        for (std::int64_t row = block.rows.begin; row < block.rows.end; ++row)
          if (const auto right = row_in(*window, block.place + row - block.rows.begin, row))
            seen.back().rows.push_back(*right);
    }
  }
}

// Every rank has two lanes, with rounds of their own.
std::vector<std::vector<SeenPass>> run_lanes(Stream& stream, int rank) {
  std::vector<std::vector<SeenPass>> seen(2);
  std::vector<std::thread> threads;
  for (std::size_t lane = 0; lane < 2; ++lane)
    threads.emplace_back([&, lane] {
      const auto one = static_cast<std::int64_t>(lane) + 1;
      seen[lane] = run_lane(stream, rank == 0 ? std::vector<std::int64_t>{one, 2} : std::vector<std::int64_t>{1});
    });
  for (auto& thread : threads) thread.join();
  return seen;
}

}  // namespace

TEST_CASE("every lane of a node sees every row once in every pass, and the file is read once for all") {
  const Communicator world = Communicator::world();
  const Communicator node = world.split_by_node();
  for (const bool bytes : {false, true}) {
    write_file(world, bytes);
    const DataOptions data = options_of();
    const FileSchema schema = agree_on_file(data, world);
    const DataSet targets = load_targets(data, schema, world, node);
    CHECK(targets.features == nullptr);
    CHECK(targets.byte_features == nullptr);
    StreamOptions options;
    options.plan = small_plan(FeatureReader(data, schema));
    options.plan.block_rows = std::min<std::int64_t>(options.plan.block_rows, rows);
    options.seed = 5;
    options.validation = Validation::each;
    options.lanes = 2;
    options.threads = 2;
    Stream stream(data, schema, targets, options, node);
    const auto seen = run_lanes(stream, world.rank());
    // Rounds of 2 and 2 epochs, a validation after each epoch: 8 passes.
    for (const auto& lane : seen) {
      REQUIRE(lane.size() == 8);
      for (std::size_t number = 0; number < 8; ++number) {
        CHECK(lane[number].pass.training == (number % 2 == 0));
        CHECK(lane[number].pass.epoch == static_cast<std::int64_t>(number % 4 / 2));
        auto sorted = lane[number].rows;
        if (number % 2 == 1) CHECK(std::is_sorted(sorted.begin(), sorted.end()));  // validation comes in order
        std::sort(sorted.begin(), sorted.end());
        REQUIRE(sorted.size() == static_cast<std::size_t>(rows));
        CHECK(std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end());
      }
      CHECK(lane[0].rows == lane[4].rows);  // epoch 0 of both rounds
      CHECK(lane[0].rows == seen[0][0].rows);
    }
    world.barrier();
    CHECK(world.sum(stream.bytes_read()) == 8 * rows * width * (bytes ? 1 : 4));
  }
}

TEST_CASE("a chunk that cannot be read is thrown in the lanes of the rank that read it, and nobody hangs") {
  const Communicator world = Communicator::world();
  const Communicator self = Communicator::self();
  write_file(world, false);
  if (world.is_root()) spoil_chunk("stream.h5", "/features", 57);
  world.barrier();
  const DataOptions data = options_of();
  const FileSchema schema = agree_on_file(data, world);
  const DataSet targets = load_targets(data, schema, world, world);
  StreamOptions options;
  options.plan = small_plan(FeatureReader(data, schema));
  Stream stream(data, schema, targets, options, self);
  CHECK_THROWS_WITH(run_lane(stream, {1}),
                    ContainsSubstring("of data set '/features' of 'stream.h5' cannot be read ("));
}

TEST_CASE("a stream can go while its readers are ahead") {
  const Communicator self = Communicator::self();
  const Communicator world = Communicator::world();
  write_file(world, false);
  const DataOptions data = options_of();
  const FileSchema schema = agree_on_file(data, world);
  const DataSet targets = load_targets(data, schema, world, world);
  StreamOptions options;
  options.plan = small_plan(FeatureReader(data, schema));
  Stream stream(data, schema, targets, options, self);
  StreamLane lane(stream);
  CHECK(lane.begin_round(3) == 3);
  CHECK(lane.next() != nullptr);
}

TEST_CASE("streamed scalings are those of the rows in memory, the same to the bit for any number of threads") {
  const Communicator world = Communicator::world();
  const Communicator node = world.split_by_node();
  for (const bool bytes : {false, true}) {
    write_file(world, bytes);
    Study study;
    study.data = options_of();
    study.search.folds = 3;
    study.search.repeats = 2;
    const FileSchema schema = agree_on_file(study.data, world);
    const DataSet targets = load_targets(study.data, schema, world, node);
    const DataSet all = load_resident(study.data, world, node);
    for (const Normalise normalise : {Normalise::standard, Normalise::minmax}) {
      study.data.normalise = normalise;
      const auto streamed = streamed_scalings(study, schema, targets, 1, world);
      const auto again = streamed_scalings(study, schema, targets, 3, world);
      Splits splits(study, all);
      REQUIRE(streamed.size() == 6);
      for (std::int64_t number = 0; number < 6; ++number) {
        const auto place = static_cast<std::size_t>(number);
        const auto expected = splits.split(number / 3, number % 3);
        CHECK(streamed[place].shift == again[place].shift);
        CHECK(streamed[place].scale == again[place].scale);
        for (std::size_t feature = 0; feature < static_cast<std::size_t>(width); ++feature) {
          CHECK(streamed[place].shift[feature] == Approx(expected->scaling.shift[feature]).epsilon(1e-6));
          CHECK(streamed[place].scale[feature] == Approx(expected->scaling.scale[feature]).epsilon(1e-6));
        }
      }
    }
  }
}

// Windows of a file that is streamed through shared memory, as the lanes of all ranks of a node receive them.
// SPDX-License-Identifier: MIT
#include "data/stream/stream.hpp"

#include <filesystem>
#include <functional>
#include <future>
#include <map>
#include <optional>
#include <thread>

#include "core/error.hpp"
#include "data/feature_reader.hpp"
#include "data/node_data.hpp"
#include "data/stream/stream_scaling.hpp"
#include "parallel/mpi/communicator.hpp"
#include "support/hdf5_fixture.hpp"
#include "support/loading.hpp"

#include "support/catch.hpp"
#include "support/plain_study.hpp"
#include "support/regression_study.hpp"

using namespace sheaf;
using namespace sheaf::test;

namespace {

// Large enough for several blocks of at least 64 KiB each.
constexpr std::int64_t rows = 65003, width = 3, row_chunk = 5000;

// The features of row r are r, r + 0.25 and r + 0.5 (bytes: r % 200 three times). Its label is r % 7.
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
  DataOptions options = test::plain_data();
  options.file = "stream.h5";
  options.task = Task::classification;
  return options;
}

// Several windows of a few blocks each. The last window is shorter.
StreamPlan small_plan(const FeatureReader& reader) {
  StreamPlan plan;
  plan.rows = rows;
  plan.block_rows = reader.block(0).count();
  plan.window_blocks = 3;
  plan.slots = 2;
  REQUIRE(plan.windows() > 1);
  REQUIRE(plan.blocks_of(plan.windows() - 1).count() < plan.window_blocks);
  return plan;
}

// A new file of floating-point numbers that every node streams. Collective.
struct NodeFile {
  NodeFile() {
    write_file(world, false);
    data = options_of();
    schema = agree_on_file(data, world);
    targets = load_targets(data, schema, world, node);
    options.plan = small_plan(FeatureReader(data, schema));
  }

  Stream stream(const Communicator& readers) const {
    return {std::make_unique<FeatureReader>(data, schema), row_shape(schema, data.task), targets, options, readers};
  }

  Communicator world = Communicator::world();
  Communicator node = world.split_by_node();
  DataOptions data = test::plain_data();
  FileSchema schema;
  DataSet targets;
  StreamOptions options;
};

// The rows of one pass, in the order in which they were received.
struct SeenPass {
  Pass pass;
  std::vector<std::int64_t> rows;
};

// `row` if all its values and its label are at `position` of the window.
std::optional<std::int64_t> row_in(const Window& window, std::int64_t position, std::int64_t row) {
  const DataSet& data = window.data;
  if (data.labels[position] != row % 7) return std::nullopt;
  for (std::int64_t column = 0; column < width; ++column) {
    const std::int64_t index = position * width + column;
    const bool right = data.byte_features != nullptr
                           ? data.byte_features[index] == row % 200
                           : data.features[index] == static_cast<float>(row) + 0.25f * static_cast<float>(column);
    if (!right) return std::nullopt;
  }
  return row;
}

// Runs one lane until no lane needs another round. `rounds` has the number of epochs of each round. Calls `begun`
// before a round's windows and `ended` after them.
std::vector<SeenPass> run_lane(
    Stream& stream, const std::vector<std::int64_t>& rounds, const std::function<void()>& begun = [] {},
    const std::function<void()>& ended = [] {}) {
  StreamLane lane(stream);
  std::vector<SeenPass> seen;
  for (std::size_t round = 0;; ++round) {
    if (lane.begin_round(round < rounds.size() ? rounds[round] : 0) == 0) return seen;
    begun();
    while (const Window* window = lane.next()) {
      if (window->number == 0) seen.push_back({window->pass, {}});
      for (const auto& block : window->blocks)
        for (std::int64_t row = block.rows.begin; row < block.rows.end; ++row)
          if (const auto right = row_in(*window, block.offset + row - block.rows.begin, row))
            seen.back().rows.push_back(*right);
    }
    ended();
  }
}

// Runs two lanes of this rank, each with its own rounds.
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

// A pass has shown every row of the file once.
void check_each_row_once(const SeenPass& pass) {
  auto sorted = pass.rows;
  std::sort(sorted.begin(), sorted.end());
  REQUIRE(sorted.size() == static_cast<std::size_t>(rows));
  CHECK(std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end());
}

}  // namespace

TEST_CASE("every lane of a node receives every row once per pass, and the file is read once for all lanes") {
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
    options.seed = 5;
    options.validation = {1};
    options.lanes = 2;
    options.threads = 2;
    Stream stream(std::make_unique<FeatureReader>(data, schema), row_shape(schema, data.task), targets, options, node);
    const auto seen = run_lanes(stream, world.rank());
    // Two rounds of 2 epochs with a validation after each epoch: 8 passes.
    for (const auto& lane : seen) {
      REQUIRE(lane.size() == 8);
      for (std::size_t number = 0; number < 8; ++number) {
        CHECK(lane[number].pass.training == (number % 2 == 0));
        CHECK(lane[number].pass.epoch == static_cast<std::int64_t>(number % 4 / 2));
        const auto& shown = lane[number].rows;
        if (number % 2 == 1) CHECK(std::is_sorted(shown.begin(), shown.end()));  // validation rows are in file order
        check_each_row_once(lane[number]);
      }
      CHECK(lane[0].rows == lane[4].rows);  // epoch 0 of both rounds
      CHECK(lane[0].rows == seen[0][0].rows);
    }
    world.barrier();
    CHECK(world.sum(stream.bytes_read()) == 8 * rows * width * (bytes ? 1 : 4));
  }
}

TEST_CASE("when the whole file is in memory, it is read once and lanes do not wait for each other") {
  NodeFile file;
  file.options.plan.kept_blocks = file.options.plan.blocks();
  REQUIRE(file.options.plan.keeps_all());
  file.options.validation = {1};
  file.options.lanes = 2;
  file.options.threads = 2;
  Stream stream = file.stream(file.node);
  std::promise<void> first_is_done;
  std::vector<SeenPass> seen[2];
  std::thread first([&] {
    seen[0] = run_lane(
        stream, {2}, [] {}, [&] { first_is_done.set_value(); });
  });
  std::thread second([&] { seen[1] = run_lane(stream, {2}, [&] { first_is_done.get_future().wait(); }); });
  first.join();
  second.join();
  for (const auto& lane : seen) {
    REQUIRE(lane.size() == 4);
    for (const auto& pass : lane) check_each_row_once(pass);
  }
  CHECK(seen[0][2].rows != seen[0][0].rows);
  file.world.barrier();
  CHECK(file.world.sum(stream.bytes_read()) == rows * width * 4);
}

TEST_CASE("new lanes can use a stream whose earlier lanes have ended, as in the next stage of a search") {
  NodeFile file;
  file.options.validation = {1};
  file.options.lanes = 2;
  file.options.threads = 2;
  for (const bool keeps_all : {false, true}) {
    file.options.plan.kept_blocks = keeps_all ? file.options.plan.blocks() : 0;
    Stream stream = file.stream(file.node);
    std::vector<std::vector<SeenPass>> before;
    for (int stage = 0; stage < 3; ++stage) {
      const auto seen = run_lanes(stream, file.world.rank());
      for (const auto& lane : seen) {
        REQUIRE(lane.size() == 8);
        for (const auto& pass : lane) check_each_row_once(pass);
      }
      if (stage > 0) CHECK(seen[0][0].rows == before[0][0].rows);
      before = seen;
      file.world.barrier();
    }
  }
}

TEST_CASE("an unreadable chunk throws in the lanes of the rank that read it, and no lane hangs") {
  const Communicator world = Communicator::world();
  const Communicator self = Communicator::self();
  write_file(world, false);
  if (world.is_root()) spoil_chunk("stream.h5", "/features", 7);
  world.barrier();
  const DataOptions data = options_of();
  const FileSchema schema = agree_on_file(data, world);
  const DataSet targets = load_targets(data, schema, world, world);
  StreamOptions options;
  options.plan = small_plan(FeatureReader(data, schema));
  Stream stream(std::make_unique<FeatureReader>(data, schema), row_shape(schema, data.task), targets, options, self);
  CHECK_THROWS_WITH(run_lane(stream, {1}),
                    ContainsSubstring("of data set '/features' of 'stream.h5' cannot be read ("));
}

TEST_CASE("a round begins with the first window that any model needs, and earlier windows are not read") {
  NodeFile file;
  file.options.seed = 5;
  file.options.validation = {ValidationEpochs::last};
  Stream stream = file.stream(file.node);
  StreamLane lane(stream);
  const std::int64_t windows = file.options.plan.windows();
  std::vector<Pass> first, second;
  std::int64_t seen_rows = 0;
  const auto note_rows = [&](const Window& window) {
    for (const auto& block : window.blocks) seen_rows += block.rows.count();
  };
  // Three epochs and a validation. The last rank begins in the last window of the second epoch, the others later.
  const bool is_first = file.world.rank() + 1 == file.world.size();
  CHECK(lane.begin_round(3, is_first ? 2 * windows - 1 : 2 * windows + 1) == 3);
  while (const Window* window = lane.next()) {
    if (first.empty()) CHECK(window->number == windows - 1);
    first.push_back(window->pass);
    note_rows(*window);
    CHECK(window->last == (window->number == windows - 1));
  }
  REQUIRE(first.size() == static_cast<std::size_t>(2 * windows + 1));
  CHECK(first[0] == Pass{true, 1});
  CHECK(first[1] == Pass{true, 2});
  CHECK(first.back() == Pass{false, 2});
  // Now all of them need only the validation.
  CHECK(lane.begin_round(2, next_pass(2, true, file.options.validation) * windows) == 2);
  while (const Window* window = lane.next()) {
    second.push_back(window->pass);
    note_rows(*window);
  }
  CHECK(second == std::vector<Pass>(static_cast<std::size_t>(windows), Pass{false, 1}));
  CHECK(lane.begin_round(0) == 0);
  file.world.barrier();
  CHECK(file.world.sum(stream.bytes_read()) == seen_rows * width * 4);
}

TEST_CASE("a round ends early when no lane needs more windows, and the next round delivers every row") {
  for (const bool keeps_all : {false, true}) {
    NodeFile file;
    file.options.lanes = 2;
    file.options.threads = 2;
    if (keeps_all) file.options.plan.kept_blocks = file.options.plan.blocks();
    Stream stream = file.stream(file.node);
    const std::int64_t windows = file.options.plan.windows(), slots = file.options.plan.slots;
    std::vector<std::int64_t> given[2], seen_rows[2];
    std::int64_t epochs_after[2] = {-1, -1};
    std::vector<std::thread> threads;
    for (std::size_t number = 0; number < 2; ++number)
      threads.emplace_back([&, number] {
        StreamLane lane(stream);
        // Round 1: of fifty passes, one lane of each rank needs one and the other lane none. Round 2: no lane needs
        // any. Round 3: both lanes need one pass.
        for (const std::int64_t wanted : {number == 0 ? windows : 0, std::int64_t{0}, windows}) {
          lane.begin_round(wanted == windows && given[number].size() == 2 ? 1 : 50);
          std::int64_t rows_of_round = 0;
          if (wanted == 0) lane.need_no_more();
          while (const Window* window = lane.next()) {
            for (const auto& block : window->blocks)
              for (std::int64_t row = block.rows.begin; row < block.rows.end; ++row)
                rows_of_round += row_in(*window, block.offset + row - block.rows.begin, row) == row ? 1 : 0;
            if (lane.windows_given() >= wanted) lane.need_no_more();
          }
          given[number].push_back(lane.windows_given());
          seen_rows[number].push_back(rows_of_round);
        }
        epochs_after[number] = lane.begin_round(0);
      });
    for (auto& thread : threads) thread.join();
    CHECK((epochs_after[0] == 0 && epochs_after[1] == 0));
    std::int64_t max_given = 0;
    for (const auto& lane : given) {
      REQUIRE(lane.size() == 3);
      CHECK(lane[0] < windows + slots);
      CHECK(lane[1] <= slots);
      CHECK(lane[2] == windows);
      max_given = std::max(max_given, lane[0] + lane[1] + lane[2]);
    }
    for (const auto& lane : seen_rows) CHECK(lane[2] == rows);
    CHECK(seen_rows[0][0] >= rows);
    file.world.barrier();
    const std::int64_t row_bytes = width * 4, read = file.node.sum(stream.bytes_read());
    CHECK(read <= (keeps_all ? rows : max_given * file.options.plan.window_rows()) * row_bytes);
  }
}

TEST_CASE("readers skip the rest of a round that ended early without delay") {
  NodeFile file;
  file.options.threads = 2;
  file.options.plan.kept_blocks = file.options.plan.blocks();
  Stream stream = file.stream(file.node);
  StreamLane lane(stream);
  constexpr std::int64_t many_epochs = 100000000000;  // skipping block by block would take hours
  lane.begin_round(many_epochs);
  lane.need_no_more();
  CHECK(lane.next() == nullptr);
  CHECK(lane.begin_round(1) == 1);
  std::int64_t seen_rows = 0;
  while (const Window* window = lane.next())
    for (const auto& block : window->blocks) seen_rows += block.rows.count();
  CHECK(seen_rows == rows);
}

TEST_CASE("a lane that leaves a round ends it for all lanes, wherever they wait") {
  NodeFile file;
  file.options.lanes = 2;
  Stream stream = file.stream(file.node);
  StreamLane lane(stream);
  std::int64_t windows_left = 0, epochs_after = -1;
  std::promise<std::int64_t> begun;
  std::thread other([&] {
    StreamLane follower(stream);
    begun.set_value(follower.begin_round(2));
    while (follower.next() != nullptr) {
    }
    windows_left = follower.windows_left();
    epochs_after = follower.begin_round(1);
  });
  CHECK(lane.begin_round(1) == 2);
  CHECK(lane.next() != nullptr);
  CHECK(lane.windows_given() == 1);
  CHECK(begun.get_future().get() == 2);
  file.world.barrier();
  lane.leave();
  CHECK(lane.is_left());
  CHECK(lane.begin_round(1) == 0);
  other.join();
  CHECK(windows_left > 0);
  CHECK(epochs_after == 0);
}

TEST_CASE("a lane stops waiting when its callback returns true") {
  NodeFile file;
  file.options.threads = 0;  // no thread reads
  Stream stream = file.stream(Communicator::self());
  StreamLane lane(stream);
  CHECK(lane.begin_round(1) == 1);
  int calls = 0;
  CHECK(lane.next([&] { return ++calls == 3; }) == nullptr);
  CHECK(calls == 3);
}

TEST_CASE("a stream does not open the file, since opening could fail on a single rank") {
  NodeFile file;
  auto reader = std::make_unique<FeatureReader>(file.data, file.schema);
  file.world.barrier();
  if (file.world.is_root()) std::filesystem::remove(file.data.file);
  file.world.barrier();
  Stream stream(std::move(reader), row_shape(file.schema, file.data.task), file.targets, file.options, file.node);
  const auto seen = run_lane(stream, {1});
  REQUIRE(seen.size() == 1);
  CHECK(seen[0].rows.size() == static_cast<std::size_t>(rows));
}

TEST_CASE("a stream can be destroyed while its readers are ahead of the lanes") {
  NodeFile file;
  Stream stream = file.stream(Communicator::self());
  StreamLane lane(stream);
  CHECK(lane.begin_round(3) == 3);
  CHECK(lane.next() != nullptr);
}

TEST_CASE("scalings of streamed data equal those of data in memory, bit for bit the same for any number of threads") {
  const Communicator world = Communicator::world();
  const Communicator node = world.split_by_node();
  for (const bool bytes : {false, true}) {
    write_file(world, bytes);
    Study study = test::regression_study();
    study.data = options_of();
    study.search.folds = 3;
    study.search.repeats = 2;
    const FileSchema schema = agree_on_file(study.data, world);
    const DataSet targets = load_targets(study.data, schema, world, node);
    const DataSet all = load_to_memory(study.data, world, node);
    study.model.kind = ModelKind::mlp;
    study.search.keys = {{"data.normalize", {"none", "standard", "minmax", "robust"}},
                         {"model.embedding", {"none", "piecewise"}}};
    Splits splits(study, targets, node), in_memory(study, all);
    const SplitScalings streamed = streamed_statistics(study, schema, splits, 1, world).scalings;
    const SplitScalings again = streamed_statistics(study, schema, splits, 3, world).scalings;
    REQUIRE(streamed.size() == 7);
    splits.scale_by(streamed);
    CHECK(splits.scaling(0, 0, Normalize::none)->shift.empty());
    for (const auto& [kind, scalings] : streamed) {
      Study one = study;
      one.search.keys.clear();
      one.data.normalize = kind.normalize;
      one.model.embedding = kind.embedding;
      const SplitScalings alone = streamed_statistics(one, schema, splits, 2, world).scalings;
      REQUIRE(alone.size() == 1);
      REQUIRE(scalings.size() == 6);
      for (std::int64_t number = 0; number < 6; ++number) {
        CAPTURE(static_cast<int>(kind.normalize), static_cast<int>(kind.embedding), number);
        const FeatureScaling& found = scalings[static_cast<std::size_t>(number)];
        const auto expected = in_memory.scaling(number / 3, number % 3, kind);
        for (const SplitScalings* const others : {&again, &alone}) {
          const FeatureScaling& other = others->at(kind)[static_cast<std::size_t>(number)];
          CHECK(found.shift == other.shift);
          CHECK(found.scale == other.scale);
          CHECK(found.clip == other.clip);
          CHECK(found.edges == other.edges);
        }
        CHECK(found.edges.empty() == (kind.embedding == Embedding::none));
        REQUIRE(found.edges.size() == expected->edges.size());
        for (std::size_t edge = 0; edge < found.edges.size(); ++edge)
          CHECK((found.edges[edge] == expected->edges[edge] ||
                 found.edges[edge] == Approx(expected->edges[edge]).epsilon(1e-5).margin(1e-6)));
        CHECK(splits.scaling(number / 3, number % 3, kind)->shift == found.shift);
        CHECK(found.clip == expected->clip);
        for (std::size_t feature = 0; feature < found.shift.size(); ++feature) {
          CHECK(found.shift[feature] == Approx(expected->shift[feature]).epsilon(1e-6));
          CHECK(found.scale[feature] == Approx(expected->scale[feature]).epsilon(1e-6));
        }
      }
    }
  }
}

TEST_CASE("streamed data with empty cells have the scalings and fill values of data in memory") {
  const Communicator world = Communicator::world();
  const Communicator node = world.split_by_node();
  if (world.is_root()) {
    std::vector<double> features, labels;
    for (std::int64_t row = 0; row < rows; ++row) {
      for (std::int64_t column = 0; column < width; ++column)
        features.push_back((row + column) % 5 == 0 ? std::nan("") : static_cast<double>(row * 7 % 31 + column));
      labels.push_back(static_cast<double>(row % 7));
    }
    FixtureFile file("stream.h5");
    file.numbers("/features", {rows, width}, features, {H5T_IEEE_F32LE, {row_chunk, width}, true, true});
    file.numbers("/targets", {rows}, labels, {H5T_STD_U8LE});
  }
  world.barrier();
  Study study = test::regression_study();
  study.data = options_of();
  study.search.folds = 3;
  const FileSchema schema = agree_on_file(study.data, world);
  const DataSet targets = load_targets(study.data, schema, world, node);
  const DataSet all = load_to_memory(study.data, world, node);
  REQUIRE(all.has_empty_cells());
  study.search.keys = {{"data.normalize", {"none", "standard", "robust"}}};
  Splits unscaled(study, targets, node), splits(study, all);
  const StreamStatistics streamed = streamed_statistics(study, schema, unscaled, 2, world);
  CHECK(streamed.fills->empty_cells == all.fills->empty_cells);
  REQUIRE(streamed.scalings.size() == 3);
  for (const auto& [kind, scalings] : streamed.scalings) {
    Study one = study;
    one.search.keys.clear();
    one.data.normalize = kind.normalize;
    const auto alone = streamed_statistics(one, schema, unscaled, 2, world).scalings;
    REQUIRE(scalings.size() == 3);
    REQUIRE(alone.at(kind).size() == 3);
    for (std::int64_t number = 0; number < 3; ++number) {
      const FeatureScaling& found = scalings[static_cast<std::size_t>(number)];
      const auto expected = splits.scaling(0, number, kind);
      CHECK(found.fill == expected->fill);
      CHECK(found.fill == alone.at(kind)[static_cast<std::size_t>(number)].fill);
      CHECK(found.clip == expected->clip);
      REQUIRE(found.shift.size() == expected->shift.size());
      for (std::size_t feature = 0; feature < found.shift.size(); ++feature)
        CHECK(found.shift[feature] == Approx(expected->shift[feature]).epsilon(1e-6));
    }
  }
}

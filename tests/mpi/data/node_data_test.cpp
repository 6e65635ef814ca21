// SPDX-License-Identifier: MIT
#include "data/node_data.hpp"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>

#include "data/content_identity.hpp"
#include "parallel/mpi/communicator.hpp"
#include "support/hdf5_fixture.hpp"
#include "support/loading.hpp"

#include "support/catch.hpp"
#include "support/plain_study.hpp"

using namespace sheaf;
using namespace sheaf::test;

namespace {

std::vector<double> features_of(std::size_t count) {
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<double>(i * 37 % 100);
  return values;
}

std::vector<double> labels_of(std::size_t rows) {
  std::vector<double> labels(rows);
  for (std::size_t row = 0; row < rows; ++row) labels[row] = static_cast<double>(row % 3);
  return labels;
}

DataOptions options_of(AutoOr<Task> task) {
  DataOptions options = test::plain_data();
  options.file = "data.h5";
  options.task = task;
  return options;
}

/// The job as one node, and as simulated nodes of at most two ranks each.
struct Job {
  Communicator world = Communicator::world();
  Communicator whole = world.split_by_node();
  Communicator half = world.split(world.rank() / 2);
};

template <class Write>
void write_on_root(const Communicator& world, Write write) {
  world.barrier();  // other ranks may still have the previous file open
  if (world.is_root()) {
    FixtureFile file("data.h5");
    write(file);
  }
  world.barrier();
}

}  // namespace

TEST_CASE("a path that leads to another file on one rank is an error on every rank") {
  const Job job;
  if (job.world.size() == 1) return;
  const bool is_last = job.world.rank() == job.world.size() - 1;
  if (job.world.is_root() || is_last) {
    const std::size_t rows = is_last ? 60 : 50;
    FixtureFile file(is_last ? "of_last_rank.h5" : "of_others.h5");
    file.numbers("/features", {rows, 6}, features_of(rows * 6));
    file.numbers("/targets", {rows}, labels_of(rows));
  }
  job.world.barrier();
  DataOptions options = options_of(Task::classification);
  options.file = is_last ? "of_last_rank.h5" : "of_others.h5";
  CHECK_THROWS_WITH(agree_on_file(options, job.world),
                    "File 'of_others.h5' is not the same on all nodes (its shapes differ). Use a file on a shared "
                    "file system.");
}

TEST_CASE("numbers of every type and layout are loaded on every rank, with one node and with several") {
  const Job job;
  const auto features = features_of(50 * 6);
  const auto labels = labels_of(50);
  const std::vector<StoredAs> storages = {{H5T_STD_U8LE},   {H5T_STD_I16LE, {7, 6}, true},
                                          {H5T_IEEE_F64BE}, {H5T_IEEE_F64BE, {8, 4}, true, true},
                                          {H5T_IEEE_F32LE}, {H5T_IEEE_F32LE, {64, 6}, false}};
  for (const StoredAs& stored : storages) {
    write_on_root(job.world, [&](FixtureFile& file) {
      StoredAs as = stored;
      if (as.chunk.size() == 2 && as.chunk[0] > 50) as.chunk[0] = 50;
      file.numbers("/features", {50, 6}, features, as);
      if (!as.chunk.empty()) as.chunk = {as.chunk[0]};
      file.numbers("/targets", {50}, labels, as);
    });
    for (const Communicator* node : {&job.whole, &job.half}) {
      const DataSet data = load_to_memory(options_of(Task::classification), job.world, *node);
      CHECK(data.rows == 50);
      CHECK(data.feature_count == 6);
      CHECK(data.output_count == 3);
      CHECK(data.image.channels == 0);
      CHECK(data.targets == nullptr);
      const bool bytes = stored.type == H5T_STD_U8LE;
      CHECK((data.features == nullptr) == bytes);
      CHECK((data.byte_features == nullptr) == !bytes);
      CHECK(reinterpret_cast<std::uintptr_t>(data.features) % 64 == 0);
      CHECK(reinterpret_cast<std::uintptr_t>(data.byte_features) % 64 == 0);
      CHECK((bytes ? std::vector<double>(data.byte_features, data.byte_features + 300)
                   : std::vector<double>(data.features, data.features + 300)) == features);
      CHECK(std::vector<double>(data.labels, data.labels + 50) == labels);
    }
  }
}

TEST_CASE("channels-last images are converted to channels-first, for bytes and for floats") {
  const Job job;
  const auto features = features_of(4 * 2 * 3 * 5);  // [4, 2, 3, 5]: height 2, width 3, 5 channels
  write_on_root(job.world, [&](FixtureFile& file) {
    file.numbers("/bytes", {4, 2, 3, 5}, features, {H5T_STD_U8LE, {1, 2, 2, 5}});
    file.numbers("/floats", {4, 2, 3, 5}, features);
    file.numbers("/targets", {4}, {1, 2, 3, 4});
  });
  auto options = options_of(Task::regression);
  options.channels = ChannelOrder::last;
  for (const bool bytes : {false, true}) {
    options.features = bytes ? "/bytes" : "/floats";
    const DataSet data = load_to_node_memory(options, agree_on_file(options, job.world), 2, job.world, job.whole);
    CHECK(data.image.channels == 5);
    CHECK(data.image.height == 2);
    CHECK(data.image.width == 3);
    bool same = true;
    for (std::size_t row = 0; row < 4; ++row)
      for (std::size_t channel = 0; channel < 5; ++channel)
        for (std::size_t pixel = 0; pixel < 6; ++pixel) {
          const std::size_t index = row * 30 + channel * 6 + pixel;
          same = same && (bytes ? data.byte_features[index] : data.features[index]) ==
                             static_cast<float>(features[row * 30 + pixel * 5 + channel]);
        }
    CHECK(same);
  }
}

TEST_CASE("groups and times become numbers and places, and given folds are counted, with one node and with several") {
  const Job job;
  write_on_root(job.world, [&](FixtureFile& file) {
    file.numbers("/features", {6, 1}, features_of(6));
    file.numbers("/targets", {6}, labels_of(6));
    file.numbers("/patients", {6, 1}, {70, -5, 70, 8, -5, 3}, {H5T_STD_I32LE, {2, 1}});
    file.numbers("/split", {6}, {2, 0, 1, 1, 0, 2}, {H5T_STD_U8LE, {2}});
    file.numbers("/day", {6}, {0.5, -3, 1e300, 0.5, -2, 0}, {H5T_IEEE_F64LE, {2}});
    file.numbers("/tick", {6}, {5, 4, 4, 9, -9, 0}, {H5T_STD_I64LE});
    file.numbers("/gap", {6}, {2, 0, 0, 0, 0, 2}, {H5T_STD_U8LE});
    file.numbers("/below", {6}, {2, 0, 1, -1, 0, 2}, {H5T_STD_I8LE, {2}});
    file.numbers("/one", {6}, {0, 0, 0, 0, 0, 0}, {H5T_STD_I8LE});
    file.numbers("/short", {5}, {0, 0, 0, 0, 0}, {H5T_STD_I8LE});
    file.numbers("/nan", {6}, {1, 2, 3, 4, std::nan(""), 6}, {H5T_IEEE_F64LE, {2}});
  });
  const DataOptions plain = options_of(Task::classification);
  const auto numbers = [](const DataSet& data) {
    return std::vector<std::int64_t>(data.marks.numbers, data.marks.numbers + data.rows);
  };
  using Numbers = std::vector<std::int64_t>;
  for (const Communicator* node : {&job.whole, &job.half}) {
    DataOptions options = plain;
    options.groups = "patients";
    const DataSet grouped = load_to_memory(options, job.world, *node);
    CHECK(grouped.marks.kind == MarkKind::groups);
    CHECK(grouped.marks.count == 4);
    CHECK(numbers(grouped) == Numbers{3, 0, 3, 2, 0, 1});
    options = plain;
    options.folds = "split";
    const DataSet divided = load_to_memory(options, job.world, *node);
    CHECK(divided.marks.count == 3);
    CHECK(numbers(divided) == Numbers{2, 0, 1, 1, 0, 2});
    options = plain;
    options.time = "day";
    const DataSet timed = load_to_memory(options, job.world, *node);
    CHECK(numbers(timed) == Numbers{3, 0, 5, 4, 1, 2});
    options.time = "tick";
    CHECK(numbers(load_to_memory(options, job.world, *node)) == Numbers{4, 2, 3, 5, 0, 1});
    options.time = "File_Order";
    const DataSet ordered = load_to_memory(options, job.world, *node);
    CHECK(ordered.marks.kind == MarkKind::times);
    CHECK(ordered.marks.number(4) == 4);
    const auto refuses = [&](std::optional<std::string> DataOptions::*key, const std::string& name,
                             const std::string& message) {
      DataOptions bad = plain;
      bad.*key = name;
      CHECK_THROWS_WITH(load_to_memory(bad, job.world, *node), message);
    };
    refuses(&DataOptions::folds, "gap",
            "The data set '/gap' of 'data.h5' has no row of fold 1, but of fold 2 (folds are numbered 0, 1, 2, ... "
            "without gaps). Number them so, or set data.folds = none.");
    refuses(
        &DataOptions::folds, "below",
        "The data set '/below' of 'data.h5' contains -1 in row 3 (folds are numbered 0, 1, 2, ... and are at most as "
        "many as rows). Correct it, or set data.folds = none.");
    refuses(&DataOptions::folds, "one",
            "The data set '/one' of 'data.h5' has one fold only (cross-validation needs two). Correct it, or set "
            "data.folds = none.");
    refuses(
        &DataOptions::groups, "day",
        "Data set 'day' [6] of 'data.h5' is not a list of groups (data.groups needs one integer for each of 6 rows). "
        "Store it as [rows], or set data.groups = none.");
    refuses(
        &DataOptions::groups, "short",
        "Data set 'short' [5] of 'data.h5' is not a list of groups (data.groups needs one integer for each of 6 rows). "
        "Store it as [rows], or set data.groups = none.");
    refuses(
        &DataOptions::time, "nan",
        "The data set '/nan' of 'data.h5' contains NaN in row 4 (such rows have no place in time). Store a number, or "
        "set data.time = none.");
  }
}

TEST_CASE("the data sets /groups, /folds and /time are used by default, but only one of them") {
  const Job job;
  const auto write = [&](const std::vector<std::string>& names, std::size_t rows) {
    write_on_root(job.world, [&](FixtureFile& file) {
      file.numbers("/features", {6, 1}, features_of(6));
      file.numbers("/targets", {6}, labels_of(6));
      for (const auto& name : names)
        file.numbers(name, {rows}, std::vector<double>(rows, name == "/time" ? 0.5 : 1), {H5T_IEEE_F64LE});
      if (names.empty()) file.numbers("/groups", {6}, {0, 0, 1, 1, 2, 2}, {H5T_STD_I8LE});
    });
  };
  const auto found = [&](const DataOptions& options) { return agree_on_file(options, job.world).marks; };
  DataOptions found_out = options_of(Task::classification), none = found_out;
  found_out.groups = found_out.folds = found_out.time = std::nullopt;
  none.groups = none.folds = none.time = "";
  write({}, 6);
  CHECK(found(found_out).kind == MarkKind::groups);
  CHECK(found(none).kind == MarkKind::none);
  write({"/time"}, 6);
  CHECK(found(found_out).name == "/time");
  write({"/time"}, 5);
  CHECK_THROWS_WITH(found(found_out), Catch::StartsWith("Data set '/time' [5] of 'data.h5' is not a list of times"));
  CHECK(found(none).kind == MarkKind::none);
  write({"/groups"}, 6);  // floating-point numbers
  CHECK_THROWS_WITH(found(found_out), Catch::StartsWith("Data set '/groups' [6] of 'data.h5' is not a list of groups"));
  write_on_root(job.world, [&](FixtureFile& file) {
    file.numbers("/features", {6, 1}, features_of(6));
    file.numbers("/targets", {6}, labels_of(6));
    file.numbers("/groups", {6}, {0, 0, 1, 1, 2, 2}, {H5T_STD_I8LE});
    file.numbers("/time", {6}, {0, 0, 1, 1, 2, 2}, {H5T_STD_I8LE});
  });
  CHECK_THROWS_WITH(found(found_out),
                    "'data.h5' has the data sets '/groups' and '/time' (a study holds out rows by one of them). Set "
                    "data.groups = none or data.time = none.");
  found_out.groups = "";
  CHECK(found(found_out).kind == MarkKind::times);
}

TEST_CASE("regression targets keep their columns, images keep their shape, and other dimensions are flattened") {
  const Job job;
  const auto features = features_of(4 * 2 * 3 * 5);
  const auto targets = features_of(8);
  write_on_root(job.world, [&](FixtureFile& file) {
    file.numbers("/images", {4, 2, 3, 5}, features);
    file.numbers("/flat", {4, 30}, features);
    file.numbers("/one", {4}, {1, 2, 3, 4});
    file.numbers("/targets", {4, 2}, targets);
  });
  auto options = options_of(Task::regression);
  options.features = "images";
  const DataSet images = load_to_memory(options, job.world, job.whole);
  CHECK(images.output_count == 2);
  CHECK(images.labels == nullptr);
  CHECK(std::vector<double>(images.targets, images.targets + 8) == targets);
  CHECK(images.feature_count == 30);
  CHECK(std::vector<double>(images.features, images.features + 120) == features);
  CHECK(images.image.channels == 2);
  CHECK(images.image.height == 3);
  CHECK(images.image.width == 5);

  options.features = "/flat";
  options.image = {5, 3, 2};
  CHECK(load_to_memory(options, job.world, job.whole).image.channels == 5);

  options.features = "/one";
  options.image = {};
  options.targets = "/one";
  const DataSet one = load_to_memory(options, job.world, job.whole);
  CHECK(one.feature_count == 1);
  CHECK(one.output_count == 1);
  CHECK(std::vector<float>(one.targets, one.targets + 4) == std::vector<float>{1, 2, 3, 4});
}

TEST_CASE("weights of every type are loaded on every rank, for labels and for targets") {
  const Job job;
  const auto weights = features_of(50);
  write_on_root(job.world, [&](FixtureFile& file) {
    file.numbers("/features", {50, 3}, features_of(150));
    file.numbers("/targets", {50}, labels_of(50));
    file.numbers("/real", {50}, weights, {H5T_IEEE_F64BE, {7}, true});
    file.numbers("/integer", {50, 1}, weights, {H5T_STD_U8LE});
  });
  for (const Task task : {Task::classification, Task::regression}) {
    for (const char* name : {"real", "/integer"}) {
      for (const Communicator* node : {&job.whole, &job.half}) {
        auto options = options_of(task);
        options.weights = name;
        const DataSet data = load_to_memory(options, job.world, *node);
        REQUIRE(data.weights != nullptr);
        CHECK(reinterpret_cast<std::uintptr_t>(data.weights) % 64 == 0);
        CHECK(std::vector<double>(data.weights, data.weights + 50) == weights);
        CHECK(std::vector<double>(data.features, data.features + 150) == features_of(150));
        if (task == Task::classification)
          CHECK(std::vector<double>(data.labels, data.labels + 50) == labels_of(50));
        else
          CHECK(std::vector<double>(data.targets, data.targets + 50) == labels_of(50));
      }
    }
  }
  CHECK(load_to_memory(options_of(Task::regression), job.world, job.whole).weights == nullptr);
}

TEST_CASE("loading works with more ranks than rows, and with labels in a column, as floats or as booleans") {
  const Job job;
  write_on_root(job.world, [](FixtureFile& file) {
    file.numbers("/features", {2, 1}, {5, 6}, {H5T_IEEE_F32LE, {1, 1}, true});
    file.numbers("/column", {2, 1}, {1, 0}, {H5T_STD_U8LE});
    file.numbers("/real", {2}, {1, 0}, {H5T_IEEE_F32LE});
    file.booleans("/flags", {1, 0});
  });
  for (const char* targets : {"/column", "/real", "/flags"}) {
    auto options = options_of(Task::classification);
    options.targets = targets;
    const DataSet data = load_to_memory(options, job.world, job.whole);
    CHECK(std::vector<float>(data.features, data.features + 2) == std::vector<float>{5, 6});
    CHECK(std::vector<std::int64_t>(data.labels, data.labels + 2) == std::vector<std::int64_t>{1, 0});
    CHECK(data.output_count == 2);
    options.classes = 7;
    CHECK(load_to_memory(options, job.world, job.whole).output_count == 7);
  }
}

TEST_CASE("ranks of a node share the data's memory, which remains valid after the communicator is destroyed") {
  const Communicator world = Communicator::world();
  write_on_root(world, [](FixtureFile& file) {
    file.numbers("/features", {3}, {5, 6, 7});
    file.numbers("/targets", {3}, {1, 2, 3});
  });
  std::optional<Communicator> node(world.split_by_node());
  const DataSet data = load_to_memory(options_of(Task::regression), world, *node);
  node.reset();
  world.barrier();
  if (world.is_root()) const_cast<float*>(data.features)[1] = 60;
  world.barrier();
  CHECK(data.features[1] == 60);
  world.barrier();
}

TEST_CASE("data are identified by their content, on any ranks and threads") {
  const Job job;
  const auto contents = [&](double value, hsize_t rows, const StoredAs& stored = {}) {
    write_on_root(job.world, [&](FixtureFile& file) {
      auto features = features_of(rows * 3);
      features.back() = value;
      file.numbers("/features", {rows, 3}, features, stored);
      file.numbers("/targets", {rows}, std::vector<double>(rows, 1));
    });
    const DataOptions options = options_of(Task::regression);
    const FileSchema schema = agree_on_file(options, job.world);
    std::vector<std::string> texts;
    for (const Communicator* node : {&job.whole, &job.half})
      for (const std::int64_t threads : {1, 3})
        texts.push_back(content_in_memory(load_to_memory(options, job.world, *node), threads, job.world, *node));
    const DataSet targets = load_targets(options, schema, job.world, job.whole);
    for (const auto& text : texts) CHECK(text == texts.front());
    std::vector<std::string> streamed;
    for (const std::int64_t threads : {1, 3})
      streamed.push_back(streamed_content(options, schema, targets, threads, job.world));
    CHECK(streamed.front() == streamed.back());
    CHECK(job.world.broadcast(texts.front(), 0) == texts.front());
    CHECK(job.world.broadcast(streamed.front(), 0) == streamed.front());
    return std::pair(texts.front(), streamed.front());
  };
  const auto [memory, streamed] = contents(7, 20000);
  CHECK_THAT(memory, StartsWith("'/features' [20000, 3], '/targets' [20000], content "));
  CHECK_THAT(streamed, ContainsSubstring(", in blocks of "));
  CHECK(contents(7, 20000) == std::pair(memory, streamed));  // written again
  CHECK(contents(7, 20000, {H5T_IEEE_F64BE, {70, 2}, true}).first == memory);
  for (const auto& other : {contents(8, 20000), contents(7, 19999)}) {
    CHECK(other.first != memory);
    CHECK(other.second != streamed);
  }
}

TEST_CASE("labels of text are classes in sorted order on all ranks") {
  const Job job;
  std::vector<std::string> texts;
  for (std::size_t row = 0; row < 100; ++row) texts.push_back(row == 99 ? "ant" : row % 2 == 0 ? "dog" : "cat");
  for (const bool variable : {false, true})
    for (const Communicator* node : {&job.whole, &job.half}) {
      write_on_root(job.world, [&](FixtureFile& file) {
        file.numbers("/features", {100, 3}, features_of(300));
        file.texts("/targets", texts, variable, 8);
      });
      const DataOptions options = options_of(Task::classification);
      const DataSet data = load_to_memory(options, job.world, *node);
      CHECK(data.class_names == std::vector<std::string>{"ant", "cat", "dog"});
      CHECK(data.output_count == 3);
      std::vector<std::string> read;
      for (std::size_t row = 0; row < 100; ++row)
        read.push_back(data.class_names[static_cast<std::size_t>(data.labels[row])]);
      CHECK(read == texts);
      CHECK_THROWS_WITH(load_to_memory(options_of(Task::regression), job.world, *node),
                        ContainsSubstring("contains text (data.task = regression needs numbers)"));
    }
}

TEST_CASE("one-hot targets are classes, others of 0 and 1 are labels; both must fit the task on every rank") {
  const Job job;
  const auto labels = labels_of(5000);
  for (const std::int64_t odd_row : {-1, 4321}) {
    std::vector<double> coded(5000 * 3);
    for (std::size_t row = 0; row < 5000; ++row) coded[3 * row + static_cast<std::size_t>(labels[row])] = 1;
    if (odd_row >= 0)
      coded[3 * static_cast<std::size_t>(odd_row)] = coded[3 * static_cast<std::size_t>(odd_row) + 1] = 1;
    for (const hid_t type : {H5T_STD_U8LE, H5T_IEEE_F64BE, H5T_STD_I32LE}) {
      write_on_root(job.world, [&](FixtureFile& file) {
        file.numbers("/features", {5000, 1}, features_of(5000));
        file.numbers("/targets", {5000, 3}, coded, {type, {70, 3}});
      });
      DataOptions options = options_of(automatic);
      const FileSchema schema = agree_on_file(options, job.world);
      CHECK(agree_on_file(options_of(Task::multilabel), job.world).coding == TargetCoding::multilabel);
      if (odd_row >= 0) {
        CHECK(schema.coding == TargetCoding::multilabel);
        CHECK_FALSE(schema.has_classes());
        CHECK_THROWS_WITH(agree_on_file(options_of(Task::classification), job.world),
                          ContainsSubstring("and 2 ones in row 4321 (one-hot targets have exactly one)"));
        options.classes = 3;
        CHECK_THROWS_WITH(agree_on_file(options, job.world),
                          ContainsSubstring("or set data.task = multilabel without data.classes"));
        const DataSet data = load_to_memory(options_of(Task::multilabel), job.world, job.whole);
        CHECK(data.output_count == 3);
        CHECK(data.labels == nullptr);
        CHECK(std::vector<double>(data.targets, data.targets + 15000) == coded);
        continue;
      }
      CHECK(schema.coding == TargetCoding::one_hot);
      CHECK(schema.has_classes());
      CHECK(schema.classes == 3);
      options.task = Task::classification;
      const DataSet data = load_to_memory(options, job.world, job.whole);
      CHECK(data.output_count == 3);
      CHECK(std::vector<double>(data.labels, data.labels + 5000) == labels);
      CHECK(agree_on_file(options_of(Task::regression), job.world).coding == TargetCoding::numbers);
    }
  }
}

TEST_CASE("labels need values of 0 and 1 and fitting names on every rank") {
  const Job job;
  std::vector<double> coded(5000 * 2, 1);
  const auto refused = [&](const std::string& part) {
    CHECK_THROWS_WITH(agree_on_file(options_of(Task::multilabel), job.world), ContainsSubstring(part));
  };
  const auto write = [&](const std::string& attribute) {
    write_on_root(job.world, [&](FixtureFile& file) {
      file.numbers("/features", {5000, 1}, features_of(5000));
      file.numbers("/targets", {5000, 2}, coded, {H5T_IEEE_F64BE, {70, 2}});
      if (!attribute.empty()) file.attribute("/targets", attribute, std::string("one name"));
    });
  };
  write("target_names");
  refused("has 2 labels, but its attribute target_names has 1 name");
  write("class_names");
  refused("Name the attribute target_names");
  write("");
  CHECK(agree_on_file(options_of(automatic), job.world).coding == TargetCoding::multilabel);
  coded[2 * 4444 + 1] = 0.5;
  coded[2 * 4777] = 2;
  write("");
  refused("has another value than 0 and 1 in row 4444");
  CHECK(agree_on_file(options_of(automatic), job.world).coding == TargetCoding::numbers);
}

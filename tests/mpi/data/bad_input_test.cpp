// SPDX-License-Identifier: MIT
#include <cmath>
#include <filesystem>
#include <limits>

#include "core/error.hpp"
#include "data/node_data.hpp"
#include "parallel/mpi/communicator.hpp"
#include "support/hdf5_fixture.hpp"
#include "support/loading.hpp"

#include "support/catch.hpp"
#include "support/plain_study.hpp"

using namespace sheaf;
using namespace sheaf::test;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// The error of load_to_node_memory for the file that rank 0 writes. Starts with "different" when ranks disagree.
template <class Write>
std::string error_of(Write write, DataOptions options) {
  const Communicator world = Communicator::world();
  const Communicator node = world.split_by_node();
  options.file = "bad.h5";
  if (world.is_root()) write(options.file);
  world.barrier();
  std::string message = "no error";
  try {
    load_to_memory(options, world, node);
  } catch (const AgreedError& error) {
    CHECK(error.code() == ExitCode::failed);
    message = error.what();
  }
  const std::string first = world.broadcast(message, 0);
  return message == first ? message : "different: " + message + " | " + first;
}

DataOptions options_of(Task task, std::int64_t classes = 0) {
  DataOptions options = test::plain_data();
  options.task = task;
  options.classes = classes;
  return options;
}

// Features and targets in chunks of 4 rows. With 40 rows, every reader gets some of the chunks.
auto file_of(std::vector<double> features, std::vector<double> targets, hid_t target_type = H5T_IEEE_F64LE) {
  return [=](const std::string& path) {
    FixtureFile file(path);
    const StoredAs as{H5T_IEEE_F64LE, {4}, true, true};
    file.numbers("/features", {features.size()}, features, as);
    file.numbers("/targets", {targets.size()}, targets, {target_type, {4}, true, true});
  };
}

std::vector<double> zeros_but(std::vector<std::pair<std::size_t, double>> others) {
  std::vector<double> values(40);
  for (const auto& [row, value] : others) values[row] = value;
  return values;
}

}  // namespace

TEST_CASE("a missing file or data set gives the same message on all ranks") {
  CHECK_THAT(error_of([](const std::string& path) { std::filesystem::remove(path); }, options_of(Task::regression)),
             StartsWith("File 'bad.h5' does not exist ("));
  auto options = options_of(Task::regression);
  options.targets = "/target";
  CHECK(error_of(file_of({1, 2, 3, 4}, {1, 2, 3, 4}), options) ==
        "File 'bad.h5' has no data set '/target' (it has '/features' and '/targets'). Did you mean '/targets'?");
}

TEST_CASE("data sets whose shapes do not fit are refused with their names and shapes") {
  const auto shapes = [](std::vector<hsize_t> features, std::vector<hsize_t> targets) {
    return [=](const std::string& path) {
      FixtureFile file(path);
      file.numbers("/features", features, std::vector<double>(1000));
      file.numbers("/targets", targets, std::vector<double>(1000));
    };
  };
  CHECK(error_of(shapes({5, 2}, {4}), options_of(Task::regression)) ==
        "Data sets '/features' and '/targets' of 'bad.h5' have 5 and 4 rows (they must have the same number). Store "
        "one target per row.");
  CHECK(error_of(shapes({0, 2}, {0}), options_of(Task::regression)) ==
        "Data set '/features' [0, 2] of 'bad.h5' has no rows. Store at least one row.");
  CHECK(error_of(shapes({5, 0}, {5}), options_of(Task::regression)) ==
        "Data set '/features' [5, 0] of 'bad.h5' has no features. Store at least one per row.");
  CHECK(
      error_of(shapes({5, 2}, {5, 3}), options_of(Task::classification)) ==
      "Data set '/targets' [5, 3] of 'bad.h5' has several labels per row, or none: only zeros and ones, and 0 ones in "
      "row 0 (one-hot targets have exactly one). Store one label per row, or set data.task = multilabel.");
  CHECK(error_of(shapes({5, 2}, {5}), options_of(Task::multilabel)) ==
        "Data set '/targets' [5] of 'bad.h5' does not have several labels per row (data.task = multilabel needs [rows, "
        "labels] of 0 and 1, with at least two labels). Store one column per label, or set data.task = "
        "classification.");
  CHECK(error_of(shapes({5, 2}, {5, 2, 2}), options_of(Task::regression)) ==
        "Data set '/targets' [5, 2, 2] of 'bad.h5' is not a list of targets (data.task = regression needs [rows] or "
        "[rows, outputs]). Store at least one number per row.");
  CHECK_THAT(error_of(shapes({5, 2}, {}), options_of(Task::regression)),
             ContainsSubstring("'/targets' of 'bad.h5' is a single value"));
  auto options = options_of(Task::regression);
  options.image = {3, 2, 2};
  CHECK(error_of(shapes({5, 16}, {5}), options) ==
        "data.image = 3x2x2 does not match data set '/features' [5, 16] of 'bad.h5' (16 values per row, not 12). Set "
        "data.image to channels x height x width of its images.");
}

TEST_CASE("the message names the first invalid feature or target, for any number of ranks") {
  const auto sentence = [](const std::string& name, const std::string& value, int row) {
    return "The data set '" + name + "' of 'bad.h5' contains " + value + " in row " + std::to_string(row) +
           ", column 0 (values must be finite in 32-bit floating point). Remove or replace it.";
  };
  const auto fine = zeros_but({});
  CHECK(error_of(file_of(zeros_but({{7, infinity}, {39, -infinity}, {20, infinity}, {3, NAN}}), fine),
                 options_of(Task::regression)) == sentence("/features", "inf", 7));
  CHECK(error_of(file_of(zeros_but({{39, -1e300}}), fine), options_of(Task::regression)) ==
        sentence("/features", "-inf", 39));
  CHECK(error_of(file_of(fine, zeros_but({{33, infinity}, {30, NAN}})), options_of(Task::regression)) ==
        sentence("/targets", "nan", 30));
  const auto matrix = [](const std::string& path) {
    FixtureFile file(path);
    file.numbers("/features", {3, 4}, {1, 2, 3, NAN, 5, 6, infinity, NAN, 9, 10, 11, infinity});
    file.numbers("/targets", {3}, {1, 2, 3});
  };
  CHECK_THAT(error_of(matrix, options_of(Task::regression)), ContainsSubstring("contains inf in row 1, column 2 ("));
  const auto image = [](const std::string& path) {
    FixtureFile file(path);
    file.numbers("/features", {2, 1, 2, 2}, {1, 2, 3, 4, 5, NAN, 7, 8});
    file.numbers("/targets", {2}, {1, 2});
  };
  CHECK_THAT(error_of(image, options_of(Task::regression)), ContainsSubstring("contains nan in row 1, column 1 ("));
}

TEST_CASE("the message names the first invalid label and the reason, for any number of ranks") {
  const auto label_error = [](std::vector<std::pair<std::size_t, double>> labels, hid_t type, std::int64_t classes) {
    return error_of(file_of(zeros_but({}), zeros_but(std::move(labels)), type),
                    options_of(Task::classification, classes));
  };
  const std::string begin = "The data set '/targets' of 'bad.h5' contains ";
  CHECK(label_error({{9, 1.5}, {21, -1}}, H5T_IEEE_F64LE, 0) ==
        begin + "1.5 in row 9 (class labels must be integers). Correct it, or set data.task = regression.");
  CHECK(label_error({{9, NAN}}, H5T_IEEE_F32LE, 0) ==
        begin + "nan in row 9 (class labels must be integers). Correct it, or set data.task = regression.");
  CHECK(label_error({{9, infinity}}, H5T_IEEE_F32LE, 0) ==
        begin + "inf in row 9 (class labels must be integers). Correct it, or set data.task = regression.");
  CHECK(label_error({{38, -1}, {39, -2}}, H5T_STD_I16LE, 0) ==
        begin + "-1 in row 38 (class labels count from 0). Correct it, or set data.task = regression.");
  CHECK(label_error({{2, 3}, {30, 4}}, H5T_STD_I16LE, 3) ==
        begin + "3 in row 2 (data.classes = 3 allows labels 0 to 2). Correct it, or set data.task = regression.");
  CHECK(label_error({{2, 40}}, H5T_STD_U8LE, 0) == begin +
                                                       "40 in row 2 (class labels must be less than the number of "
                                                       "rows, 40). Correct it, or set data.task = regression.");
  CHECK(label_error({{2, 39}}, H5T_STD_U8LE, 0) == "no error");
  CHECK(label_error({}, H5T_STD_U8LE, 0) ==
        "the labels '/targets' of 'bad.h5' have only one class (all are 0). Store labels of at least two classes, or "
        "set data.classes.");
  CHECK(label_error({}, H5T_STD_U8LE, 2) == "no error");
  for (const double beyond_int64 : {9223372036854775808.0, 18446744073709549568.0})
    CHECK(label_error({{2, beyond_int64}}, H5T_STD_U64LE, 0) ==
          begin +
              "9223372036854775807 or more in row 2 (class labels must be less than the number of rows, 40). "
              "Correct it, or set data.task = regression.");
}

TEST_CASE("the message names the first invalid weight, for any number of ranks") {
  auto options = options_of(Task::regression);
  options.weights = "/weights";
  const auto weight_error = [&](std::vector<hsize_t> shape, const std::vector<double>& weights,
                                hid_t type = H5T_IEEE_F64LE) {
    const auto write = [&](const std::string& path) {
      FixtureFile file(path);
      file.numbers("/features", {40}, zeros_but({}));
      file.numbers("/targets", {40}, zeros_but({}));
      std::vector<hsize_t> chunk(shape.size(), 1);
      chunk[0] = 4;
      file.numbers("/weights", shape, weights, {type, chunk, true, true});
    };
    return error_of(write, options);
  };
  const std::string begin = "The data set '/weights' of 'bad.h5' contains ";
  const std::string end = " (sample weights must be finite and not negative). Correct it.";
  CHECK(weight_error({40}, zeros_but({{1, 1}, {37, NAN}, {39, -1}})) == begin + "nan in row 37" + end);
  CHECK(weight_error({40}, zeros_but({{1, 1}, {3, -0.5}, {39, NAN}})) == begin + "-0.5 in row 3" + end);
  CHECK(weight_error({40}, zeros_but({{0, 1}, {20, 1e300}})) == begin + "inf in row 20" + end);
  CHECK(weight_error({40}, zeros_but({{0, 1}, {38, -3}}), H5T_STD_I16LE) == begin + "-3 in row 38" + end);
  CHECK(weight_error({40}, zeros_but({})) == begin + "only zeros (no row would count). Store positive weights.");
  CHECK(weight_error({40}, zeros_but({{39, 1}})) == "no error");
  CHECK(weight_error({39}, zeros_but({{0, 1}})) ==
        "Data sets '/features' and '/weights' of 'bad.h5' have 40 and 39 rows (they must have the same number). Store "
        "one weight per row.");
  CHECK(weight_error({40, 2}, std::vector<double>(80, 1)) ==
        "Data set '/weights' [40, 2] of 'bad.h5' is not a list of sample weights (its shape must be [rows] or "
        "[rows, 1]). Store one weight per row.");
  options.weights = "/weight";
  CHECK_THAT(weight_error({40}, zeros_but({})), StartsWith("File 'bad.h5' has no data set '/weight' ("));
}

TEST_CASE("a truncated or damaged file gives one error on all ranks") {
  const auto fine = zeros_but({});
  const auto cut = [&](const std::string& path) {
    file_of(fine, fine)(path);
    std::filesystem::resize_file(path, std::filesystem::file_size(path) - 100);
  };
  CHECK_THAT(error_of(cut, options_of(Task::regression)), ContainsSubstring("'bad.h5' (truncated file"));
  // Only the rank that reads the last chunk finds the damage.
  const auto spoiled = [&](const std::string& path) {
    file_of(fine, fine)(path);
    spoil_chunk(path, "/features", 9);
  };
  CHECK_THAT(error_of(spoiled, options_of(Task::regression)),
             ContainsSubstring("of data set '/features' of 'bad.h5' cannot be read ("));
  auto weighted = options_of(Task::regression);
  weighted.targets = "/features";
  weighted.weights = "/targets";
  const auto spoiled_weights = [&](const std::string& path) {
    file_of(fine, fine)(path);
    spoil_chunk(path, "/targets", 9);
  };
  CHECK_THAT(error_of(spoiled_weights, weighted),
             ContainsSubstring("of data set '/targets' of 'bad.h5' cannot be read ("));
}

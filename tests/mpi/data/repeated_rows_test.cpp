// Tests of rows that occur in several files.
// SPDX-License-Identifier: MIT
#include "data/repeated_rows.hpp"

#include "support/catch.hpp"

using namespace sheaf;

namespace {

constexpr std::int64_t training = 9000, validation = 500, test = 300, width = 3;

// Rows with different features; the targets are 0.
std::vector<float> different_rows() {
  std::vector<float> features;
  for (std::int64_t row = 0; row < training + validation + test; ++row)
    for (std::int64_t column = 0; column < width; ++column) features.push_back(static_cast<float>(row * 7 + column));
  return features;
}

void copy_row(std::vector<float>& features, std::int64_t from, std::int64_t to) {
  std::copy_n(features.begin() + from * width, width, features.begin() + to * width);
}

RepeatedRows repeated_in(const std::vector<float>& features, const std::vector<float>& targets) {
  DataSet data;
  data.rows = training + validation + test;
  data.validation_file_rows = validation;
  data.test_file_rows = test;
  data.feature_count = width;
  data.output_count = 1;
  data.features = features.data();
  data.targets = targets.data();
  const Communicator world = Communicator::world();
  return find_repeated_rows(data, 2, world, world.split_by_node());
}

}  // namespace

TEST_CASE("rows with equal features and targets are found in other files only") {
  std::vector<float> features = different_rows(), targets(training + validation + test);
  RepeatedRows repeated = repeated_in(features, targets);
  CHECK(repeated.training_in_validation == 0);
  CHECK(repeated.training_in_test == 0);
  CHECK(repeated.test_in_validation == 0);

  copy_row(features, 1, 2);  // within a file
  copy_row(features, training + 1, training + 2);
  for (const std::int64_t row : {0L, 4095L, 4096L, training - 1}) copy_row(features, training + 7, row);
  for (const std::int64_t row : {5L, 8000L}) copy_row(features, training + validation, row);
  copy_row(features, training + validation - 1, training + validation + test - 1);
  repeated = repeated_in(features, targets);
  CHECK(repeated.training_in_validation == 4);
  CHECK(repeated.training_in_test == 2);
  CHECK(repeated.test_in_validation == 1);

  targets[5] = 1;
  targets[training + 7] = 1;
  repeated = repeated_in(features, targets);
  CHECK(repeated.training_in_validation == 0);
  CHECK(repeated.training_in_test == 1);
}

// SPDX-License-Identifier: MIT
#include "commands/train/finish/no_finished_iteration.hpp"

#include <vector>

#include "support/catch.hpp"
#include "support/regression_study.hpp"

using namespace sheaf;

namespace {

RunResults results_of(std::int64_t diverged, std::int64_t failed) {
  RunResults results;
  results.iterations = diverged + failed;
  results.diverged = diverged;
  results.failed = failed;
  if (failed == 0) return results;
  results.first_failed = 1;
  results.first_failure = "out of memory";
  return results;
}

Study study_with(Normalize normalize) {
  Study study = test::regression_study();
  study.data.source = DataSource::file;
  study.data.normalize = normalize;
  return study;
}

}  // namespace

TEST_CASE("large features without scaling are the likely cause of divergence") {
  const auto text = [](Normalize normalize, std::optional<double> largest) {
    return no_finished_iteration_text(study_with(normalize), results_of(2, 0), largest);
  };
  const std::string what = "no iteration finished (all 2 diverged, their loss is not finite). ";
  CHECK(text(Normalize::none, 1680.4) ==
        what + "The features are not scaled, with values up to 1.68e+03: set data.normalize = standard.");
  CHECK(text(Normalize::none, std::nullopt) == what + "Set data.normalize = standard, or lower train.learning_rate.");
  CHECK(text(Normalize::none, 9.9) == what + "Lower train.learning_rate.");
  CHECK(text(Normalize::standard, 1680.4) == what + "Lower train.learning_rate.");
  Study synthetic = study_with(Normalize::none);
  synthetic.data.source = DataSource::synthetic;
  CHECK(no_finished_iteration_text(synthetic, results_of(2, 0), 1680.4) == what + "Lower train.learning_rate.");
}

TEST_CASE("the first failure is the likely cause of failures") {
  const auto text = [](std::int64_t diverged, std::int64_t failed) {
    return no_finished_iteration_text(study_with(Normalize::none), results_of(diverged, failed), 1e6);
  };
  CHECK(text(0, 3) ==
        "no iteration finished (all 3 failed, iteration 1: out of memory). Correct the cause, then continue with sheaf "
        "resume.");
  CHECK(text(1, 2) ==
        "no iteration finished (1 diverged, 2 failed, iteration 1: out of memory). Correct the cause, then continue "
        "with sheaf resume.");
}

TEST_CASE("the largest absolute feature, of floats and of bytes") {
  DataSet data;
  CHECK_FALSE(largest_feature(nullptr));
  data.rows = 2;
  data.feature_count = 2;
  CHECK_FALSE(largest_feature(&data));  // streamed
  const std::vector<float> floats = {1, -7.5F, 3, 0};
  data.features = floats.data();
  CHECK(largest_feature(&data) == 7.5);
  const std::vector<std::uint8_t> bytes = {1, 255, 3, 0};
  data.byte_features = bytes.data();
  CHECK(largest_feature(&data) == 255);
}

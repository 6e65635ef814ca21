// SPDX-License-Identifier: MIT
#include "data/target_scaling.hpp"

#include <cmath>

#include "data/splits.hpp"
#include "support/catch.hpp"
#include "support/plain_study.hpp"
#include "support/row_sets.hpp"

using namespace sheaf;

namespace {

DataSet data_with_targets(const std::vector<float>& targets, std::int64_t outputs) {
  DataSet data;
  data.rows = static_cast<std::int64_t>(targets.size()) / outputs;
  data.output_count = outputs;
  data.targets = targets.data();
  return data;
}

}  // namespace

TEST_CASE("targets are centered on the means and divided by the deviations of the given rows") {
  const std::vector<float> targets = {1, 100, 3, 100, 5, 106, 1e9f, -1e9f};
  const DataSet data = data_with_targets(targets, 2);
  const TargetScaling scaling = target_scaling(data, test::row_set({0, 1, 2}));
  REQUIRE(scaling.is_active());
  CHECK(scaling.shift == std::vector<float>{3, 102});
  CHECK(scaling.unit[0] == Approx(std::sqrt(8.0 / 3)));
  CHECK(scaling.unit[1] == Approx(std::sqrt(24.0 / 3)));
  CHECK(scaling.scaled<double>(5, 0) == Approx(2 / std::sqrt(8.0 / 3)));
  CHECK(scaling.scaled<float>(100, 1) == Approx(-2 / std::sqrt(8.0)));
  float outputs[] = {0, 0, static_cast<float>(2 / scaling.unit[0]), static_cast<float>(-2 / scaling.unit[1])};
  to_target_units(scaling, 2, outputs);
  CHECK(outputs[0] == 3);
  CHECK(outputs[1] == 102);
  CHECK(outputs[2] == Approx(5));
  CHECK(outputs[3] == Approx(100));
}

TEST_CASE("constant targets are only shifted, and targets without scaling stay") {
  const std::vector<float> targets = {0.1f, 0.1f, 0.1f};
  const TargetScaling constant = target_scaling(data_with_targets(targets, 1), RowSet::all(3));
  CHECK(constant.shift == std::vector<float>{0.1f});
  CHECK(constant.unit == std::vector<double>{1});
  float output = 7;
  to_target_units({}, 1, &output);
  CHECK(output == 7);
}

TEST_CASE("a split scales targets by its training rows if the study asks for it") {
  std::vector<float> targets;
  for (int row = 0; row < 40; ++row) targets.push_back(static_cast<float>(row * row));
  Study study = test::plain_study();
  study.search.folds = 4;
  const DataSet data = data_with_targets(targets, 1);
  CHECK_FALSE(Splits(study, data).split(0, 0)->target_scaling.is_active());
  study.data.normalize_targets = NormalizeTargets::standard;
  Splits splits(study, data);
  const auto split = splits.split(0, 1);
  CHECK(split->target_scaling.shift == target_scaling(data, split->training_rows).shift);
  CHECK(split->target_scaling.shift != splits.split(0, 2)->target_scaling.shift);
}

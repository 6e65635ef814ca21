// SPDX-License-Identifier: MIT
#include "training/class_weights.hpp"

#include <cstdint>
#include <vector>

#include "support/catch.hpp"

using namespace sheaf;

TEST_CASE("balanced weights are those of scikit-learn for the rows of the training") {
  // compute_class_weight("balanced", classes=unique(y), y=y) for the labels of the rows
  const std::vector<std::int64_t> labels = {0, 0, 0, 2, 0, 3, 2, 0};
  DataSet data;
  data.rows = 8;
  data.output_count = 4;
  data.task = Task::classification;
  data.labels = labels.data();
  TrainOptions train;
  CHECK(class_weights(train, data, RowSet::all(8)).empty());
  train.class_weights = ClassWeights::balanced;
  CHECK(class_weights(train, data, RowSet::all(8)) == std::vector<double>{8.0 / (3 * 5), 0, 8.0 / (3 * 2), 8.0 / 3});
  // Rows may be missing or repeated, as in a bootstrap sample.
  CHECK(class_weights(train, data, RowSet::sample({1, 0, 0, 2, 0, 0, 1, 0})) ==
        std::vector<double>{4.0 / (2 * 1), 0, 4.0 / (2 * 3), 0});
  DataSet regression;
  CHECK(class_weights(train, regression, RowSet::all(8)).empty());
}

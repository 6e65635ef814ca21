// SPDX-License-Identifier: MIT
#include "training/class_weights.hpp"

#include <cstdint>
#include <vector>

#include "study/study.hpp"
#include "support/catch.hpp"

using namespace sheaf;

namespace {

// Rows with these labels, which must outlive them.
DataSet labelled(const std::vector<std::int64_t>& labels, std::int64_t classes) {
  DataSet data;
  data.rows = static_cast<std::int64_t>(labels.size());
  data.output_count = classes;
  data.task = Task::classification;
  data.labels = labels.data();
  return data;
}

}  // namespace

TEST_CASE("balanced weights are those of scikit-learn for the rows of the training") {
  // compute_class_weight("balanced", classes=unique(y), y=y) for the labels of the rows
  const std::vector<std::int64_t> labels = {0, 0, 0, 2, 0, 3, 2, 0};
  DataSet data = labelled(labels, 4);
  TrainOptions train;
  CHECK(class_weights(train, data, RowSet::all(8)).empty());
  train.class_weights.balanced = true;
  CHECK(class_weights(train, data, RowSet::all(8)) == std::vector<double>{8.0 / (3 * 5), 0, 8.0 / (3 * 2), 8.0 / 3});
  // Rows may be missing or repeated, as in a bootstrap sample.
  CHECK(class_weights(train, data, RowSet::sample({1, 0, 0, 2, 0, 0, 1, 0})) ==
        std::vector<double>{4.0 / (2 * 1), 0, 4.0 / (2 * 3), 0});
  DataSet regression;
  CHECK(class_weights(train, regression, RowSet::all(8)).empty());
}

TEST_CASE("validation rows have the weights of the data and of their classes, if validations are weighted") {
  const std::vector<std::int64_t> labels = {0, 1, 1, 1};
  const std::vector<float> of_rows = {1, 2, 3, 4};
  DataSet data = labelled(labels, 2);
  data.weights = of_rows.data();
  Study study;
  study.search.weighted = true;
  const RowSet rows = RowSet::all(4);
  CHECK(scoring_weights(study, study.train, data, rows, rows) == of_rows);
  study.train.class_weights.balanced = true;  // 4 / (2 * 1) and 4 / (2 * 3)
  const auto weights = scoring_weights(study, study.train, data, rows, rows);
  REQUIRE(weights.size() == 4);
  const double expected[] = {2, 2 * 2.0 / 3, 3 * 2.0 / 3, 4 * 2.0 / 3};
  for (std::size_t row = 0; row < 4; ++row) CHECK(weights[row] == Approx(expected[row]).epsilon(1e-6));
  study.search.weighted = false;
  CHECK(scoring_weights(study, study.train, data, rows, rows).empty());
}

TEST_CASE("rows count unless their weights or those of their classes are 0") {
  const std::vector<std::int64_t> labels = {0, 1, 1, 0};
  const std::vector<float> of_rows = {0, 0, 2, 1};
  DataSet data = labelled(labels, 2);
  const RowSet all = RowSet::all(4), first_two = RowSet::range({0, 2}, 4);
  CHECK(any_row_counts(data, {}, first_two));
  data.weights = of_rows.data();
  CHECK_FALSE(any_row_counts(data, {}, first_two));
  CHECK(any_row_counts(data, {}, all));
  CHECK(any_row_counts(data, {1, 0}, all));
  CHECK_FALSE(any_row_counts(data, {1, 0}, RowSet::range({0, 3}, 4)));

  const std::vector<std::int64_t> many(10000, 0);  // the last one counts
  std::vector<float> weights(10000, 0);
  DataSet large = labelled(many, 2);
  large.weights = weights.data();
  CHECK_FALSE(any_row_counts(large, {}, RowSet::all(10000)));
  weights.back() = 1;
  CHECK(any_row_counts(large, {}, RowSet::all(10000)));
}

TEST_CASE("classes have the weights of a list, by name or number, and the others 1") {
  const std::vector<std::int64_t> labels = {0, 1, 2};
  DataSet data = labelled(labels, 3);
  data.class_names = {"cat", "dog", "cow"};
  TrainOptions train;
  train.class_weights.of_classes = {{"dog", 2.5}, {"2", 0}};
  CHECK(class_weights(train, data, RowSet::all(3)) == std::vector<double>{1, 2.5, 0});
  CHECK(class_weights_problem(train.class_weights, data.class_names, 3, "'a.h5'").empty());
  CHECK(class_weights_problem(train.class_weights, {}, 3, "'a.h5'") ==
        "train.class_weights = dog:2.5 does not fit 'a.h5' (it has no class 'dog'). Use a number from 0 to 2.");
  const auto problem = [&](const std::vector<ClassWeights::OfClass>& weights) {
    return class_weights_problem({false, weights}, data.class_names, 3, "'a.h5'");
  };
  CHECK(problem({{"dog", 1}, {"1", 2}}) ==
        "train.class_weights has two weights of class 1 (by its name and by its number). Leave out one.");
  CHECK(problem({{"dog", 0}, {"cat", 0}}).empty());
  // Integers are numbers of classes only if they are not the names of some.
  CHECK(class_weights_problem({false, {{"1", 2}, {"3", 2}}}, {"1", "2", "3"}, 3, "'a.h5'").empty());
  CHECK(class_weights_problem({false, {{"0", 2}}}, {"1", "2", "3"}, 3, "'a.h5'") ==
        "train.class_weights = 0:2 does not fit 'a.h5' (it has no class '0'; its classes are '1', '2' and '3'). Use "
        "the name of a class. Did you mean '1'?");
  CHECK(problem({{"dog", 0}, {"cat", 0}, {"2", 0}}) ==
        "train.class_weights is 0 for all classes, so no row would be trained on. Set at least one of them above 0.");
}

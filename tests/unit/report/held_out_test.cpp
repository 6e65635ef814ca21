// SPDX-License-Identifier: MIT
#include "report/held_out.hpp"

#include <cmath>

#include "support/catch.hpp"

using namespace sheaf;

namespace {

// The probabilities of class 1 of two, with a tie.
HeldOutRows two_classes() {
  HeldOutRows rows;
  rows.kind = HeldOutRows::Kind::classes;
  rows.outputs = 2;
  rows.has_probabilities = true;
  rows.classes = {0, 0, 1, 1, 1, 0};
  for (const double probability : {0.1, 0.4, 0.35, 0.8, 0.9, 0.8}) {
    rows.predictions.push_back(1 - probability);
    rows.predictions.push_back(probability);
  }
  return rows;
}

}  // namespace

// The values below are those of sklearn.metrics 1.2 for y = [0, 0, 1, 1, 1, 0], p = [.1, .4, .35, .8, .9, .8]:
// roc_auc_score, roc_curve(drop_intermediate=False), average_precision_score, precision_recall_fscore_support.
TEST_CASE("ROC and precision-recall curves are those of scikit-learn, also with ties") {
  const DecisionCurve roc = roc_curve(two_classes(), 1);
  CHECK(roc.area == Approx(13.0 / 18));
  REQUIRE(roc.points.size() == 6);
  CHECK(roc.points[2].x == Approx(1.0 / 3));
  CHECK(roc.points[2].y == Approx(2.0 / 3));
  CHECK(roc.points.back().x == 1);
  const DecisionCurve curve = precision_recall_curve(two_classes(), 1);
  CHECK(curve.area == Approx(1.0 / 3 + 2.0 / 9 + 0.2));
}

TEST_CASE("a curve of a class that no row, or every row, has is not defined") {
  HeldOutRows rows = two_classes();
  rows.classes.assign(6, 0);
  CHECK(std::isnan(roc_curve(rows, 1).area));
  CHECK(std::isnan(precision_recall_curve(rows, 1).area));
  CHECK(std::isnan(roc_curve(HeldOutRows{}, 0).area));
}

TEST_CASE("the confusion matrix and the scores of the classes") {
  const auto counts = confusion_counts(two_classes());
  CHECK(counts == std::vector<std::int64_t>{2, 1, 1, 2});
  const auto scores = class_scores({2, 1, 0, 0}, 2);
  CHECK(scores[0].rows == 3);
  CHECK(scores[0].precision == 1);
  CHECK(scores[0].recall == Approx(2.0 / 3));
  CHECK(scores[0].f1 == Approx(0.8));
  CHECK(scores[1].rows == 0);
  CHECK(scores[1].recall == 0);
}

TEST_CASE("reliability bins have the rows of their probabilities") {
  const auto bins = reliability_bins(two_classes());
  REQUIRE(bins.size() == 15);
  std::int64_t rows = 0;
  for (const auto& bin : bins) rows += bin.rows;
  CHECK(rows == 6);
  CHECK(bins[11].rows == 2);  // 0.8 > 11 / 15: one is right
  CHECK(bins[11].accuracy == Approx(0.5));
  CHECK(bins[11].confidence == Approx(0.8));
  CHECK(bins[13].rows == 2);  // 0.9 for both classes
}

TEST_CASE("with several labels, each label of each row counts") {
  HeldOutRows rows;
  rows.kind = HeldOutRows::Kind::labels;
  rows.outputs = 2;
  rows.targets = {1, 0, 0, 1};
  rows.predictions = {0.9, 0.2, 0.4, 0.7};
  CHECK(roc_curve(rows, 0).area == 1);
  std::int64_t counted = 0;
  for (const auto& bin : reliability_bins(rows)) counted += bin.rows;
  CHECK(counted == 4);
}

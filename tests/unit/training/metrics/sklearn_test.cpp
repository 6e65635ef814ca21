// Compares the metrics with scikit-learn's values for the cases of tests/oracle/metric_cases.py.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <fstream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "support/catch.hpp"
#include "unit/training/metrics/metric_pieces.hpp"

using namespace sheaf;
using namespace sheaf::test;

namespace {

struct Case {
  std::string name;
  Scoring scoring;
  MetricRows rows;
  std::vector<std::pair<std::string, double>> values;
};

double number(const std::string& text) {
  return std::stod(text);  // accepts nan
}

std::vector<float> floats(std::istream& file, std::int64_t count) {
  std::vector<float> values;
  for (std::string text; count > 0 && file >> text; --count) values.push_back(std::stof(text));
  return values;
}

// Reads the next case; its name is empty at the end of the file.
Case read_case(std::istream& file) {
  Case found;
  std::string word, task, loss, outputs, weights;
  file >> word >> std::ws;
  if (!std::getline(file, found.name)) return {};
  REQUIRE(word == "case");
  MetricRows& rows = found.rows;
  file >> task >> loss >> outputs >> rows.count >> rows.width >> weights;
  const LossKind kind = loss == "mse" ? LossKind::mse : loss == "bce" ? LossKind::bce : LossKind::cross_entropy;
  found.scoring = {task == "regression"   ? Task::regression
                   : task == "multilabel" ? Task::multilabel
                                          : Task::classification,
                   kind, outputs == "probabilities", rows.width};
  rows.outputs = floats(file, rows.count * rows.width);
  rows.task = found.scoring.task == Task::multilabel ? Task::multilabel : Task::classification;
  if (found.scoring.task != Task::classification)
    rows.targets = floats(file, rows.count * rows.width);
  else
    for (const float label : floats(file, rows.count)) rows.labels.push_back(static_cast<std::int64_t>(label));
  if (weights == "weighted") rows.weights = floats(file, rows.count);
  rows.predict_labels(found.scoring.probabilities);
  while (file >> word && word != "end") {
    std::string value;
    file >> value;
    found.values.emplace_back(word, number(value));
  }
  return found;
}

}  // namespace

TEST_CASE("metrics have the values of scikit-learn") {
  std::ifstream file(METRIC_CASES);
  REQUIRE(file.is_open());
  std::string comment;
  std::getline(file, comment);
  std::set<MetricKind> compared;
  std::size_t cases = 0;
  for (Case next = read_case(file); !next.name.empty(); next = read_case(file), ++cases)
    for (const auto& [name, expected] : next.values) {
      CAPTURE(next.name, static_cast<int>(next.scoring.loss.kind), name);
      const auto choice = read_metric(name);
      REQUIRE(choice.has_value());
      const auto metric = metric_function(*choice, {}, next.rows.width);
      REQUIRE(metric.has_value());
      compared.insert(choice->kind);
      const double value = value_of(next.scoring, *metric, next.rows, {next.rows.count});
      const double joined = appended_value_of(next.scoring, *metric, next.rows, {1, next.rows.count});
      for (const double found : {value, joined})
        CHECK((std::isnan(expected) ? std::isnan(found)
                                    : std::abs(found - expected) < 1e-10 * std::max(1.0, std::abs(expected))));
    }
  CHECK(cases > 40);
  compared.insert(MetricKind::mean_pinball);  // a mean of pinball losses (metric_table_test)
  CHECK(compared.size() == metric_table.size());
}

// Data sets and studies that are small enough to compute by hand.
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "engines/lane_engine.hpp"
#include "support/plain_study.hpp"
#include "support/settled.hpp"
#include "support/whole_plan.hpp"

namespace sheaf::test {

/// A regression data set with `output_count` targets per row.
inline DataSet regression_data(std::int64_t feature_count, std::vector<float> features, std::vector<float> targets,
                               std::int64_t output_count = 1) {
  auto owner =
      std::make_shared<std::pair<std::vector<float>, std::vector<float>>>(std::move(features), std::move(targets));
  DataSet data;
  data.rows = static_cast<std::int64_t>(owner->first.size()) / feature_count;
  data.feature_count = feature_count;
  data.output_count = output_count;
  data.features = owner->first.data();
  data.targets = owner->second.data();
  data.owner = owner;
  return data;
}

/// A classification data set with one label per row.
inline DataSet classification_data(std::int64_t feature_count, std::vector<float> features,
                                   std::vector<std::int64_t> labels, std::int64_t classes) {
  auto owner = std::make_shared<std::pair<std::vector<float>, std::vector<std::int64_t>>>(std::move(features),
                                                                                          std::move(labels));
  DataSet data;
  data.task = Task::classification;
  data.rows = static_cast<std::int64_t>(owner->first.size()) / feature_count;
  data.feature_count = feature_count;
  data.output_count = classes;
  data.features = owner->first.data();
  data.labels = owner->second.data();
  data.owner = owner;
  return data;
}

/// Synthetic data with targets that depend linearly on the features, the same for all iterations.
inline DataOptions drawn_numbers(std::int64_t rows, std::int64_t columns, std::int64_t outputs = 1) {
  DataOptions data = test::plain_data();
  data.source = DataSource::synthetic;
  data.draw = Draw::study;
  data.relation = Relation::linear;
  data.task = Task::regression;
  data.rows = rows;
  data.columns = columns;
  data.outputs = outputs;
  return data;
}

/// The same with linearly separable classes.
inline DataOptions drawn_classes(std::int64_t rows, std::int64_t columns, std::int64_t classes) {
  DataOptions data = drawn_numbers(rows, columns);
  data.task = Task::classification;
  data.classes = classes;
  return data;
}

/// `data` with one weight per row.
inline DataSet weighted(DataSet data, std::vector<float> weights) {
  auto owner = std::make_shared<std::pair<std::shared_ptr<void>, std::vector<float>>>(data.owner, std::move(weights));
  data.weights = owner->second.data();
  data.owner = owner;
  return data;
}

/// Trains the iterations of `claims`, one claim after the other, with one new engine over `data`. If `data` is null,
/// the engine draws the study's synthetic data.
inline std::vector<TrainedIteration> train_claims(const Study& study, const DataSet* data,
                                                  const std::vector<IndexRange>& claims) {
  const Plan plan = whole_plan(study);
  std::unique_ptr<Splits> splits = data ? std::make_unique<Splits>(study, *data) : nullptr;
  const SettledStudy of_run = settled(study);
  const auto engine = make_engine({of_run, plan, data, splits.get()}, {-1, 1});
  std::vector<TrainedIteration> trained;
  for (const auto& claim : claims)
    engine->train({claim}, {[&](TrainedIteration&& iteration) { trained.push_back(std::move(iteration)); },
                            [] { return false; }});
  return trained;
}

/// Trains only the first iteration.
inline TrainedIteration train_first(const Study& study, const DataSet* data) {
  return train_claims(study, data, {{0, 1}}).at(0);
}

}  // namespace sheaf::test

// A study whose models can share a stack, and what trains it.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "data/splits.hpp"
#include "data/synthetic.hpp"
#include "support/settled.hpp"
#include "support/small_studies.hpp"
#include "support/whole_plan.hpp"

namespace sheaf::test {

/// A grid of two repeats over these keys.
inline Study stackable_study(EngineKind engine, std::vector<SearchedKey> keys) {
  Study study = plain_study();
  study.data = drawn_classes(120, 5, 3);
  study.data.validation = 0.25;
  study.data.normalize = Normalize::standard;
  study.model.kind = ModelKind::mlp;
  study.model.hidden = std::vector<std::int64_t>{7};
  study.model.dropout = 0.1;
  study.train.loss = LossKind::cross_entropy;
  study.train.batch_size = 16;
  study.train.epochs = 6;
  study.train.patience = 2;
  study.train.best_weights = true;
  study.run.curves = true;
  study.run.models = ModelsSaved::all;
  study.run.engine = engine;
  study.search.method = SearchMethod::grid;
  study.search.repeats = 2;
  study.search.keys = std::move(keys);
  return study;
}

/// A study with its plan and its data.
struct StackedJob {
  explicit StackedJob(Study of_study)
      : study(settled(std::move(of_study))),
        plan(whole_plan(study)),
        data(draw_synthetic(study->data, 3)),
        splits(study, data) {}

  SettledStudy study;
  Plan plan;
  DataSet data;
  Splits splits;
};

}  // namespace sheaf::test

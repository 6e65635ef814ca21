// Tests of splits in node-shared memory.
// SPDX-License-Identifier: MIT
#include "data/splits.hpp"

#include <atomic>
#include <thread>

#include "support/catch.hpp"
#include "support/regression_study.hpp"

using namespace sheaf;

namespace {

constexpr std::int64_t rows = 3000;

DataSet labeled_data(int shift = 0) {
  auto labels = std::make_shared<std::vector<std::int64_t>>(rows);
  for (std::size_t row = 0; row < labels->size(); ++row)
    (*labels)[row] = static_cast<std::int64_t>((row + static_cast<std::size_t>(shift)) * row % 7 % 3);
  DataSet data;
  data.task = Task::classification;
  data.rows = rows;
  data.output_count = 3;
  data.labels = labels->data();
  data.owner = labels;
  return data;
}

}  // namespace

TEST_CASE("node-shared splits equal those that one rank computes alone, for folds and for a hold-out") {
  const Communicator world = Communicator::world();
  const Communicator node = world.split_by_node();
  for (const std::int64_t folds : {3, 1}) {
    Study study = test::regression_study();
    study.search.folds = folds;
    study.data.validation = folds == 1 ? 0.3 : 0;
    study.study.iterations = 2000;  // more than the node's memory stores
    const DataSet data = labeled_data();
    Splits alone(study, data), shared(study, data, node);
    std::atomic<int> wrong{0};
    std::vector<std::thread> lanes;
    for (std::int64_t lane = 0; lane < 2; ++lane)
      lanes.emplace_back([&, lane] {
        for (const std::int64_t repeat : {0, 1, 5, 600, 1999, 1})
          for (std::int64_t number = 0; number < folds; ++number) {
            const std::int64_t fold = (number + lane + world.rank()) % folds;
            const auto expected = alone.split(repeat, fold), found = shared.split(repeat, fold);
            wrong += found->training_rows.list() != expected->training_rows.list();
            wrong += found->validation_rows.list() != expected->validation_rows.list();
            wrong += found->training_rows.count() + found->validation_rows.count() != rows;
          }
      });
    for (auto& lane : lanes) lane.join();
    CHECK(wrong == 0);
    world.barrier();
  }
}

TEST_CASE("the first rank that needs a repeat computes its folds for the whole node") {
  const Communicator world = Communicator::world();
  const Communicator node = world.split_by_node();
  Study study = test::regression_study();
  study.search.folds = 3;
  // Each rank has other data, which is forbidden elsewhere, so folds computed by another rank would differ.
  const auto of_first = Splits(study, labeled_data()).split(0, 1),
             own = Splits(study, labeled_data(node.rank())).split(0, 1);
  CHECK((own->validation_rows.list() == of_first->validation_rows.list()) == node.is_root());
  Splits shared(study, labeled_data(node.rank()), node);
  if (node.is_root()) shared.split(0, 0);
  node.barrier();
  CHECK(shared.split(0, 1)->validation_rows.list() == of_first->validation_rows.list());
}

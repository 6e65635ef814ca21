// SPDX-License-Identifier: MIT
#include "commands/train/data_defaults.hpp"

#include "support/catch.hpp"

using namespace sheaf;

namespace {

FileSchema file_with(NumberClass number_class, std::int64_t columns) {
  FileSchema file;
  file.targets.number_class = number_class;
  file.target_columns = columns;
  return file;
}

}  // namespace

TEST_CASE("integers, one per row, are classes; other targets are numbers") {
  const Study classes = with_data_defaults({}, file_with(NumberClass::integer, 1));
  CHECK(classes.data.task == Task::classification);
  CHECK(classes.train.loss == LossKind::cross_entropy);
  const Study numbers = with_data_defaults({}, file_with(NumberClass::real, 1));
  CHECK(numbers.data.task == Task::regression);
  CHECK(numbers.train.loss == LossKind::mse);
  CHECK(with_data_defaults({}, file_with(NumberClass::integer, 2)).data.task == Task::regression);
}

TEST_CASE("data.classes means classification, also for synthetic data") {
  Study study;
  CHECK(with_data_defaults(study, std::nullopt).data.task == Task::regression);
  study.data.classes = 3;
  CHECK(with_data_defaults(study, std::nullopt).data.task == Task::classification);
  CHECK(with_data_defaults(study, file_with(NumberClass::real, 1)).data.task == Task::classification);
}

TEST_CASE("values that are set stay, and the loss follows from the task") {
  Study study;
  study.data.task = Task::regression;
  CHECK(needs_data_defaults(study));
  const Study settled = with_data_defaults(study, file_with(NumberClass::integer, 1));
  CHECK(settled.data.task == Task::regression);
  CHECK(settled.train.loss == LossKind::mse);
  CHECK_FALSE(needs_data_defaults(settled));
  CHECK(data_defaults_text(study, settled) == "train.loss = mse");
  CHECK(data_defaults_text(settled, settled).empty());
  study.train.loss = LossKind::bce;
  study.data.task = Task::automatic;
  CHECK(with_data_defaults(study, file_with(NumberClass::integer, 1)).train.loss == LossKind::bce);
}

// SPDX-License-Identifier: MIT
#include "training/batches.hpp"

#include "support/catch.hpp"
#include "support/plain_study.hpp"

using namespace sheaf;

TEST_CASE("batches have the requested number of rows, limited to the number of available rows") {
  TrainOptions train = test::plain_training();
  train.batch_size = 32;
  CHECK(batch_rows(train, 100) == 32);
  CHECK(epoch_steps(train, 100) == 4);
  CHECK(epoch_steps(train, 96) == 3);
  CHECK(batch_rows(train, 20) == 20);
  CHECK(epoch_steps(train, 20) == 1);
  train.batch_size = 0;  // a full batch
  CHECK(batch_rows(train, 100) == 100);
  CHECK(epoch_steps(train, 100) == 1);
}

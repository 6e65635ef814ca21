// SPDX-License-Identifier: MIT
#include "training/loss_log.hpp"

#include "support/catch.hpp"
#include "support/plain_study.hpp"

using namespace sheaf;

namespace {

// Trains an iteration of 10 rows in batches of 4, from `first_batch` of its first epoch, whose batches have the losses
// 1, 2, 3 per row in epoch 0, 11, 12, 13 in epoch 1. Pieces have at most `piece` batches. Returns the lines.
std::vector<std::string> lines_of(std::int64_t every, std::int64_t piece, std::int64_t first_batch = 0,
                                  double first_seconds = 10) {
  std::vector<std::string> lines;
  LossLog log(
      every, [&](const std::string& line) { lines.push_back(line); }, first_seconds);
  LossLines iteration(&log, 3, 10, 4);
  TrainOptions train = test::plain_training();
  train.batch_size = 4;
  train.epochs = 2;
  TrainingLoop loop(train, 10, {}, false);
  const auto sum_to = [&](std::int64_t end) {
    double sum = 0;
    for (std::int64_t batch = 0; batch < end; ++batch)
      sum += static_cast<double>((batch == 2 ? 2 : 4) * (10 * loop.epochs() + batch + 1));
    return sum;
  };
  if (first_batch > 0) loop.trained(first_batch, sum_to(first_batch));
  while (loop.next() == TrainingLoop::Next::train) {
    const std::int64_t batches = iteration.batches_to_line(loop, std::min(piece, loop.batches_left()));
    const double loss_sum = sum_to(loop.batches() + batches);
    iteration.trained(loop, batches, loss_sum);
    loop.trained(batches, loss_sum);
  }
  return lines;
}

}  // namespace

TEST_CASE("a line is written after every N batches of the iteration, with the mean loss since the last one") {
  const std::vector<std::string> every_two = {"iteration 3, epoch 0, batch 2: loss 1.5",
                                              "iteration 3, epoch 1, batch 1: loss 11",
                                              "iteration 3, epoch 1, batch 3: loss 12.33"};
  for (const std::int64_t piece : {1, 2, 100}) CHECK(lines_of(2, piece) == every_two);
  CHECK(lines_of(1, 100).size() == 6);
  CHECK(lines_of(7, 100).empty());
}

TEST_CASE("a training that continues from a checkpoint has the loss of its own batches in the first line") {
  CHECK(lines_of(2, 100, 1).front() == "iteration 3, epoch 0, batch 2: loss 2");
}

TEST_CASE("a line without a number of batches has the epochs and the time left") {
  const auto lines = lines_of(0, 1, 0, 0);  // the first call begins the time, the second one writes
  REQUIRE(lines.size() == 1);
  CHECK_THAT(lines.front(), Catch::StartsWith("iteration 3, epoch 0 of 2, batch 2: loss 1.5, "));
  CHECK_THAT(lines.front(), Catch::EndsWith(" left"));
}

TEST_CASE("without a number, one line is written per minute, however many iterations ask") {
  LossLog log(0, [](const std::string&) {});
  CHECK_FALSE(log.is_time(1000));
  CHECK_FALSE(log.is_time(1009));
  CHECK(log.is_time(1011));
  CHECK_FALSE(log.is_time(1070));
  CHECK(log.is_time(1072));
  CHECK(lines_of(0, 1).empty());
}

// SPDX-License-Identifier: MIT
#include "search/refit.hpp"

#include "support/catch.hpp"

using namespace sheaf;

namespace {

// A fit with `epochs` of `epoch_steps` steps. `best`: counts from 0; -1: none.
TrainedIteration fit(std::int64_t epochs, std::int64_t epoch_steps, std::int64_t best = -1,
                     std::vector<std::int64_t> reductions = {}, IterationStatus status = IterationStatus::finished) {
  TrainedIteration trained;
  trained.result.status = status;
  trained.result.epochs = epochs;
  trained.result.steps = epochs * epoch_steps;
  trained.result.best_epoch = best;
  trained.rate_reductions = std::move(reductions);
  return trained;
}

TrainOptions training(bool best_weights) {
  TrainOptions train;
  train.best_weights = best_weights;
  return train;
}

}  // namespace

TEST_CASE("a refit has the steps up to the best epoch of the median fit") {
  const std::vector<TrainedIteration> fits = {fit(10, 4, 7), fit(9, 4, 2), fit(10, 4, 5)};
  CHECK(refit_of(3, training(true), fits) == Refit{3, 6, 4, {}});
  CHECK(refit_of(3, training(true), fits)->steps() == 24);
  // Without best weights, the model of a fit is that of its last epoch.
  CHECK(refit_of(3, training(false), fits) == Refit{3, 10, 4, {}});
}

TEST_CASE("the median of an even number of fits is the lower one, counted in steps") {
  CHECK(refit_of(0, training(true), {fit(9, 4, 8), fit(9, 4, 1), fit(9, 4, 3), fit(9, 4, 5)}) == Refit{0, 4, 4, {}});
  // 3 x 5 < 4 x 4 steps.
  CHECK(refit_of(0, training(true), {fit(9, 4, 3), fit(9, 5, 2)}) == Refit{0, 3, 5, {}});
}

TEST_CASE("fits that were cut count up to their best epoch") {
  CHECK(refit_of(0, training(true), {fit(5, 4, 3, {}, IterationStatus::cut)}) == Refit{0, 4, 4, {}});
}

TEST_CASE("fits that have not finished do not count, and without others there is no refit") {
  const auto diverged = fit(2, 4, -1, {}, IterationStatus::diverged),
             pruned = fit(0, 0, -1, {}, IterationStatus::pruned);
  CHECK(refit_of(0, training(true), {diverged, fit(9, 4, 6), pruned}) == Refit{0, 7, 4, {}});
  CHECK_FALSE(refit_of(0, training(true), {diverged, pruned}).has_value());
}

TEST_CASE("a refit has the reductions of the first fit with the median steps, up to its end") {
  const std::vector<TrainedIteration> fits = {fit(10, 4, 5, {1, 4, 6}), fit(10, 4, 5, {0}), fit(10, 4, 9, {2})};
  CHECK(refit_of(0, training(true), fits) == Refit{0, 6, 4, {1, 4}});
}

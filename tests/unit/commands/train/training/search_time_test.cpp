// SPDX-License-Identifier: MIT
#include "commands/train/training/search_time.hpp"

#include "search/greedy_ensemble.hpp"
#include "support/catch.hpp"

using namespace sheaf;

namespace {

RefitTime two_trials() {
  RefitTime time;
  time.add({0.1, 0, 0}, 6);
  time.add({0.2, 0, 0}, 4);
  return time;
}

}  // namespace

TEST_CASE("nothing follows a search without a refit and without an ensemble") {
  CHECK(SearchTime{}.seconds_after_search(two_trials(), 2) == 0);
}

TEST_CASE("the refit is that of the best trial, or with an ensemble that of its usual members") {
  SearchTime time;
  time.has_refit = true;
  time.refit_rows = 1.5;
  CHECK(time.seconds_after_search(two_trials(), 2) == 9);
  time.lanes = 2;
  time.members = 2;
  CHECK(time.seconds_after_search(two_trials(), 2) == 4.5);
  time.has_ensemble = true;  // of no held-out rows, which takes no time
  CHECK(time.seconds_after_search(two_trials(), 2) == 7.5);
}

TEST_CASE("what a lane trains has begun when its training before ended") {
  RunningTrainings running(3);
  CHECK(running.time(5).count == 0);
  running.set_left(8);
  const RunningTime at_first = running.time(5);
  CHECK((at_first.count == 3 && at_first.total == 15 && at_first.longest == 5));
  running.ended(0, 0, 1);
  running.ended(0, 0, 4);
  running.ended(1, 0, 2);
  const RunningTime of_two = running.time(5);
  CHECK((of_two.total == 1 + 3 + 5 && of_two.longest == 5));
  running.ended(1, 1, 5.5);  // by the clock of its rank
  const RunningTime of_all = running.time(5);
  CHECK((of_all.total == 1 + 3 + 0 && of_all.longest == 3));
  running.set_left(2);  // one lane waits, probably the one that ended first
  const RunningTime of_some = running.time(5);
  CHECK((of_some.count == 2 && of_some.total == 1 + 0 && of_some.longest == 1));
}

TEST_CASE("the refit also takes the time of the trainings that the end of the search cuts") {
  SearchTime time;
  time.has_refit = time.has_ensemble = true;
  time.lanes = 2;
  CHECK(time.seconds_after_search(two_trials(), 4, {2, 8, 5}) == 9);
}

TEST_CASE("an ensemble is selected at the end of the run, and with a refit before it as well") {
  SearchTime time;
  time.has_ensemble = true;
  time.held_out_rows = 100000;
  time.outputs = 10;
  time.threads = 4;
  const auto selection = [](std::int64_t candidates) {
    return expected_selection_seconds(Task::classification, 100000, 10, candidates, 4);
  };
  CHECK(time.seconds_after_search({}, 7) == selection(7));
  CHECK(time.seconds_after_search({}, 1000) == selection(50));
  time.has_refit = true;
  CHECK(time.seconds_after_search({}, 7) == 2 * selection(7));
}

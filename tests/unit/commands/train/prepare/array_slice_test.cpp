// SPDX-License-Identifier: MIT
#include "commands/train/prepare/array_slice.hpp"

#include <algorithm>
#include <vector>

#include "core/error.hpp"
#include "study/settings.hpp"
#include "support/catch.hpp"
#include "support/plain_study.hpp"

using namespace sheaf;

namespace {

ArraySlice slice_told(const std::string& option, const SlurmArray& slurm,
                      const std::optional<ArrayNumbering>& stored = std::nullopt) {
  Study study = test::plain_study();
  apply_setting(study, "run.array", option);
  return choose_slice(study.run.array, slurm, stored);
}

bool is(const ArraySlice& slice, std::int64_t task, std::int64_t tasks) {
  return slice.task == task && slice.tasks == tasks;
}

}  // namespace

TEST_CASE("an array task takes every N-th iteration") {
  const ArraySlice slice{2, 3};
  CHECK(slice.indices({0, 7}) == IndexRange{0, 2});
  CHECK(slice.iteration(0) == 2);
  CHECK(slice.iteration(1) == 5);
  CHECK(slice.index(5) == 1);
  CHECK(slice.indices({3, 6}) == IndexRange{1, 2});
  CHECK(slice.indices({3, 5}).empty());
  CHECK(slice.indices({0, 2}).empty());
  CHECK(ArraySlice{}.indices({3, 9}) == IndexRange{3, 9});
  CHECK(ArraySlice{}.iteration(7) == 7);
}

TEST_CASE("the slices of all array tasks contain each iteration once") {
  for (std::int64_t tasks : {1, 2, 3, 7, 60})
    for (std::int64_t total : {1, 2, 48, 49}) {
      CAPTURE(tasks, total);
      std::vector<std::int64_t> found;
      for (std::int64_t task = 0; task < tasks; ++task) {
        const ArraySlice slice{task, tasks};
        const IndexRange indices = slice.indices({0, total});
        for (std::int64_t index = indices.begin; index < indices.end; ++index) {
          CHECK(slice.has(slice.iteration(index)));
          CHECK(slice.index(slice.iteration(index)) == index);
          found.push_back(slice.iteration(index));
        }
        CHECK(indices.count() == slice.count({0, total}));
        CHECK(slice.count({total / 3, total}) == slice.count({0, total}) - slice.count({0, total / 3}));
      }
      std::sort(found.begin(), found.end());
      std::vector<std::int64_t> all;
      for (std::int64_t number = 0; number < total; ++number) all.push_back(number);
      CHECK(found == all);
    }
}

TEST_CASE("run.array = auto takes the task from Slurm's environment") {
  const SlurmArray third{"2", "0", "2", "3", "1"};
  CHECK(is(slice_told("auto", third), 2, 3));
  CHECK(is(slice_told("none", third), 0, 1));
  CHECK(is(slice_told("1/5", third), 1, 5));
  CHECK(is(slice_told("auto", {}), 0, 1));
  CHECK(is(slice_told("auto", {"7", "1", "10", "4", "3"}), 2, 4));
  CHECK(is(slice_told("auto", {"4", "4", "4", "1", ""}), 0, 1));
}

TEST_CASE("every task refuses an array whose numbering is uneven or invalid") {
  for (const char* id : {"0", "1", "7"}) CHECK_THROWS_AS(slice_told("auto", {id, "0", "7", "3", "1"}), UsageError);
  CHECK_THROWS_AS(slice_told("auto", {"2", "1", "10", "4", "3"}), UsageError);
  CHECK_THROWS_AS(slice_told("auto", {"3", "0", "2", "3", "1"}), UsageError);
  CHECK_THROWS_AS(slice_told("auto", {"0", "0", "0", "", "1"}), UsageError);
  CHECK_THROWS_AS(slice_told("auto", {"0", "0", "0", "1", "0"}), UsageError);
  CHECK_THROWS_AS(slice_told("auto", {"1", "", "", "", ""}), UsageError);
}

TEST_CASE("run.array accepts valid values and refuses others") {
  Study study = test::plain_study();
  for (const char* text : {"none", "auto", "0/1", "0/3", "999999/1000000"}) {
    apply_setting(study, "run.array", text);
    CHECK(setting_text(study, "run.array") == text);
  }
  for (const char* text : {"", "3/3", "-1/3", "1", "1/", "/3", "0/0", "1/3/5", "1 / 3", "0/1000001"})
    CHECK_THROWS_AS(apply_setting(study, "run.array", text), UsageError);
}

TEST_CASE("a task that is submitted again has its slice of the first submission") {
  const ArrayNumbering first{1, 2, 5};  // --array=1-9:2
  CHECK(is(slice_told("auto", {"3", "3", "3", "1", "1"}, first), 1, 5));
  CHECK(is(slice_told("auto", {"9", "7", "9", "2", "2"}, first), 4, 5));
  CHECK(is(slice_told("auto", {"7", "1", "7", "2", ""}, first), 3, 5));  // --array=1,7
  CHECK(is(slice_told("auto", {"3", "3", "3", "1", "1"}), 0, 1));
  // Other tasks than those of the first submission: a new array.
  CHECK(is(slice_told("auto", {"3", "0", "9", "10", "1"}, first), 3, 10));
  CHECK(is(slice_told("auto", {"11", "11", "12", "2", "1"}, first), 0, 2));
  CHECK(is(slice_told("auto", {"4", "4", "4", "1", "1"}, first), 0, 1));
  CHECK(is(slice_told("2/3", {"3", "3", "3", "1", "1"}, first), 2, 3));
  CHECK_THROWS_AS(slice_told("auto", {"3", "2", "9", "3", ""}, first), UsageError);
}

TEST_CASE("the numbering of an array is read back from its text") {
  const auto read = parse_numbering(numbering_text({4, 3, 12}));
  REQUIRE(read);
  CHECK(read->first_id == 4);
  CHECK(read->step == 3);
  CHECK(read->tasks == 12);
  for (const char* text : {"", "first = 1\nstep = 0\ntasks = 3\n", "first = 1\ntasks = 3\n", "first = x", "first 1"})
    CHECK_FALSE(parse_numbering(text));
}

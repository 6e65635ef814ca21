// SPDX-License-Identifier: MIT
#include "search/search_table.hpp"
#include "support/catch.hpp"
#include "support/plain_study.hpp"

using namespace sheaf;

TEST_CASE("a grid, or a study without a search, has one stage with all trials") {
  for (const SearchMethod method : {SearchMethod::none, SearchMethod::grid}) {
    Study study = test::plain_study();
    study.search.method = method;
    study.study.iterations = 2;
    if (method == SearchMethod::grid) {
      study.search.folds = 5;
      study.search.keys = {{"train.epochs", {"1", "2", "3"}}};
    }
    Plan plan(study);
    const auto searcher = make_searcher(study);
    CHECK(searcher->max_stages() == 1);
    const auto stage = searcher->next(KnownResults(plan));
    REQUIRE(stage.has_value());
    CHECK(*stage == whole_stage(plan));
    CHECK(stage->iteration_count() == (method == SearchMethod::grid ? 30 : 2));
    plan.add(*stage);
    CHECK_FALSE(searcher->next(KnownResults(plan)).has_value());
  }
}

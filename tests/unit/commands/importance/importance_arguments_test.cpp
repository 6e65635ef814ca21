// SPDX-License-Identifier: MIT
#include "commands/importance/importance_arguments.hpp"

#include "core/error.hpp"
#include "support/catch.hpp"

using namespace sheaf;

TEST_CASE("the arguments of importance, and their defaults") {
  const ImportanceArguments few = parse_importance_arguments({"run", "x.csv"});
  CHECK(few.request.evaluation.model == "run");
  CHECK(few.request.evaluation.data.file == "x.csv");
  CHECK(few.request.repeats == 5);
  CHECK(few.request.seed == 0);
  CHECK((!few.request.metric && !few.request.rows && !few.request.save));
  CHECK(few.format == ImportanceFormat::text);
  const ImportanceArguments many = parse_importance_arguments(
      {"run", "x.csv", "--metric=f1:cat", "--repeats=7", "--seed=18446744073709551615", "--rows", "90", "--save",
       "--output=csv", "--label=y", "--model=best", "--run.lanes=3"});
  REQUIRE(many.request.metric);
  CHECK((*many.request.metric)->name() == "f1:cat");
  CHECK(many.request.repeats == 7);
  CHECK(many.request.seed == 18446744073709551615U);
  CHECK(many.request.rows == 90);
  CHECK(many.request.save);
  CHECK(many.format == ImportanceFormat::csv);
  CHECK(many.request.evaluation.csv.label == "y");
  CHECK(many.request.evaluation.kind == ModelsKind::best);
  CHECK(many.request.evaluation.run.lanes == 3);
  const ImportanceArguments by_loss = parse_importance_arguments({"run", "x.csv", "--metric=loss"});
  REQUIRE(by_loss.request.metric);
  CHECK(!by_loss.request.metric->has_value());
}

TEST_CASE("importance takes a model and a file, and its options have limits") {
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{},
                                                    {"run"},
                                                    {"run", "x.csv", "out.csv"},
                                                    {"run", "x.csv", "--repeats=0"},
                                                    {"run", "x.csv", "--rows=1"},
                                                    {"run", "x.csv", "--metric=accuracies"},
                                                    {"run", "x.csv", "--output=xml"},
                                                    {"run", "x.csv", "--predictions=out.csv"},
                                                    {"run", "x.csv", "--data.file=y.csv"}})
    CHECK_THROWS_AS(parse_importance_arguments(arguments), UsageError);
}

// SPDX-License-Identifier: MIT
#include "search/tpe_sampler.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include "search/tpe.hpp"
#include "study/plan.hpp"
#include "support/catch.hpp"
#include "support/regression_study.hpp"

using namespace sheaf;

namespace {

using Values = std::vector<std::string>;

Study tpe_study() {
  Study study = test::regression_study();
  study.search.method = SearchMethod::tpe;
  study.search.trials = 40;
  study.search.keys = {{"train.learning_rate", {"0.001", "0.1"}, Sampling::log_uniform},
                       {"train.optimizer", {"sgd", "adam", "adamw"}},
                       {"train.momentum", {"0", "0.9"}, Sampling::uniform}};
  return study;
}

TrialOutcome outcome_of(std::int64_t trial) {
  TrialOutcome outcome;
  outcome.costs = {static_cast<double>((7 * trial) % 30), 0, 0};
  outcome.is_pruned = trial % 11 == 3;
  outcome.fits = outcome.is_pruned ? 1 : 3;
  return outcome;
}

TpeResult result_of(std::int64_t trial) {
  const TrialOutcome outcome = outcome_of(trial);
  TpeResult result{outcome.costs.front(), {}};
  if (outcome.is_pruned) result.pruned_after = outcome.fits;
  return result;
}

// The values of 30 trials, of which 26 have ended.
constexpr std::int64_t trials = 30, ended = 26;

Values values_of(std::int64_t trial) {
  const char* const rates[] = {"0.001", "0.005", "0.02", "0.05", "0.1"};
  const char* const optimizers[] = {"sgd", "adam", "adamw"};
  const std::string optimizer = optimizers[trial % 3];
  return {rates[trial % 5], optimizer, optimizer == "sgd" ? (trial % 2 == 0 ? "0.3" : "0.8") : "0"};
}

}  // namespace

TEST_CASE("the sampler of an extended search sees the trials in the new ranges, on the new scale, and no others") {
  Study study = tpe_study();
  study.search.earlier = {{trials, study.search.keys}};
  study.search.keys = {{"train.learning_rate", {"0.004", "0.5"}, Sampling::uniform},
                       {"train.optimizer", {"sgd", "adamw"}},
                       {"train.momentum", {"0.1", "0.5"}, Sampling::uniform}};
  Plan plan(study);
  const auto sampler = make_tpe_sampler(study, plan);
  Tpe expected(study.search.keys, study.study.seed);
  std::vector<TrialValues> pending;
  for (std::int64_t trial = 0; trial < trials; ++trial) {
    const Values values = values_of(trial);
    plan.give(trial, values);
    if (trial < ended) sampler->add(outcome_of(trial));
    const bool is_sgd = values[1] == "sgd";
    if (values[0] == "0.001" || values[1] == "adam" || (is_sgd && values[2] != "0.3")) continue;
    const TrialValues seen = {values[0], values[1], is_sgd ? std::optional(values[2]) : std::nullopt};
    if (trial < ended)
      expected.add(seen, result_of(trial));
    else
      pending.push_back(seen);
  }
  CHECK((expected.finished_count() >= Tpe::startup_trials && expected.finished_count() < 20));
  CHECK(pending.size() == 2);
  Values wanted = expected.draw(trials, pending);
  if (wanted[1] != "sgd") wanted[2] = "0.1";
  CHECK(sampler->draw(trials) == wanted);
}

TEST_CASE("the sampler draws trials of the first space as without the extension") {
  const Study study = tpe_study();
  Study more = study;
  more.search.earlier = {{trials, study.search.keys}};
  more.search.keys[0].candidates = {"0.5", "1"};
  Plan plan(study), extended(more);
  const auto sampler = make_tpe_sampler(study, plan), other = make_tpe_sampler(more, extended);
  for (std::int64_t trial = 0; trial < trials; ++trial) {
    if (trial >= 5) {
      sampler->add(outcome_of(trial - 5));
      other->add(outcome_of(trial - 5));
    }
    const Values values = sampler->draw(trial);
    CHECK(other->draw(trial) == values);
    plan.give(trial, values);
    extended.give(trial, values);
  }
  // No trial is in the new ranges: the search begins at random, as for other keys.
  const Values values = other->draw(trials);
  CHECK(values == Values{extended.value(trials, 0), extended.value(trials, 1), extended.value(trials, 2)});
  CHECK(std::stod(values[0]) >= 0.5);
}

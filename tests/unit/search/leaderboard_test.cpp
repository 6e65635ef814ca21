// SPDX-License-Identifier: MIT
#include "search/leaderboard.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "leaderboard_reference.hpp"
#include "study/metrics.hpp"
#include "support/catch.hpp"
#include "support/regression_study.hpp"
#include "support/whole_plan.hpp"

using namespace sheaf;

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

Plan plan_of(std::int64_t folds, std::int64_t members) {
  Study study = test::regression_study();
  study.search.method = SearchMethod::grid;
  study.search.folds = folds;
  study.ensemble.members = members;
  study.search.keys = {{"train.learning_rate", {"0.1", "0.01", "0.001"}}};
  return test::whole_plan(study);
}

std::vector<IterationResult> results_with_scores(const std::vector<double>& scores) {
  std::vector<IterationResult> results;
  for (double score : scores) {
    IterationResult result;
    result.iteration = static_cast<std::int64_t>(results.size());
    result.status = std::isnan(score) ? IterationStatus::diverged : IterationStatus::finished;
    result.validation_score = score;
    result.validation_loss = 1 - score;
    result.final_loss = 2 - score;
    result.seconds = 0.5;
    results.push_back(result);
  }
  return results;
}

// `ensembles` is empty or has one ensemble per trial, repeat and fold.
Leaderboard leaderboard_of(const Plan& plan, const std::vector<IterationResult>& results,
                           const std::vector<EnsembleResult>& ensembles, Ranking ranking) {
  Leaderboard leaderboard(plan, ranking);
  for (const auto& result : results) {
    const auto group = static_cast<std::size_t>(result.iteration / plan.members());
    const bool is_last = (result.iteration + 1) % plan.members() == 0;
    leaderboard.add(result, is_last && !ensembles.empty() ? &ensembles[group] : nullptr);
  }
  return leaderboard;
}

std::vector<TrialSummary> rank_trials(const Plan& plan, const std::vector<IterationResult>& results,
                                      const std::vector<EnsembleResult>& ensembles, Ranking ranking = {}) {
  return leaderboard_of(plan, results, ensembles, ranking).ranked();
}

IndexRange best_model(const Plan& plan, std::int64_t trial, const std::vector<IterationResult>& results,
                      const std::vector<EnsembleResult>& ensembles, Ranking ranking = {}) {
  return leaderboard_of(plan, results, ensembles, ranking).best_model(trial);
}

bool same_bits(const TrialSummary& a, const TrialSummary& b) {
  const auto values = [](const TrialSummary& trial) {
    return std::vector<double>{trial.mean_score, trial.score_deviation, trial.mean_validation_loss,
                               trial.mean_final_loss, trial.seconds};
  };
  const auto numbers = [](const TrialSummary& trial) {
    return std::vector<std::int64_t>{trial.trial, trial.rank, trial.iterations, trial.diverged};
  };
  const auto x = values(a), y = values(b);
  return numbers(a) == numbers(b) && std::memcmp(x.data(), y.data(), x.size() * sizeof(double)) == 0;
}

}  // namespace

TEST_CASE("trials are ranked by their mean score over folds") {
  const auto trials = rank_trials(plan_of(2, 1), results_with_scores({0.5, 0.7, 0.8, 0.9, 0.6, 0.6}), {});
  REQUIRE(trials.size() == 3);
  CHECK(trials[0].trial == 1);
  CHECK(trials[0].rank == 1);
  CHECK(trials[0].mean_score == Approx(0.85));
  CHECK(trials[0].score_deviation == Approx(0.05));
  CHECK(trials[0].mean_validation_loss == Approx(0.15));
  CHECK(trials[0].mean_final_loss == Approx(1.15));
  CHECK(trials[0].seconds == Approx(1.0));
  CHECK(trials[1].trial == 0);  // equal means: the trial with the lower number is first
  CHECK(trials[2].trial == 2);
}

TEST_CASE("a trial with a diverged fold is ranked last") {
  const auto trials = rank_trials(plan_of(2, 1), results_with_scores({0.9, not_a_number, 0.1, 0.1, 0.2, 0.2}), {});
  CHECK(trials[2].trial == 0);
  CHECK(trials[2].diverged == 1);
  CHECK(trials[2].scores == 0);
  CHECK(trials[2].undefined_scores == 0);
  CHECK(std::isnan(trials[2].mean_score));
}

TEST_CASE("a training that was cut counts as one that finished, and is counted") {
  std::vector<IterationResult> results = results_with_scores({0.9, 0.8, 0.1, 0.1, 0.2, 0.2});
  const std::vector<TrialSummary> whole = rank_trials(plan_of(2, 1), results, {});
  for (const std::size_t number : {0, 4, 5}) results[number].status = IterationStatus::cut;
  const std::vector<TrialSummary> trials = rank_trials(plan_of(2, 1), results, {});
  for (std::size_t rank = 0; rank < 3; ++rank) {
    CHECK(trials[rank].trial == whole[rank].trial);
    CHECK(trials[rank].mean_score == whole[rank].mean_score);
    CHECK((trials[rank].finished == 2 && trials[rank].left_out == 0));
  }
  CHECK((trials[0].cut == 1 && trials[1].cut == 2 && trials[2].cut == 0));
  CHECK(best_model(plan_of(2, 1), 0, results, {}) == IndexRange{0, 1});
}

TEST_CASE("a score that is not defined in a fold does not count in the mean") {
  auto results = results_with_scores({0.9, 0.9, 0.1, 0.1, 0.2, 0.4});
  for (const std::size_t number : {1, 2, 3}) results[number].validation_score = not_a_number;
  const auto trials = rank_trials(plan_of(2, 1), results, {});
  CHECK(trials[0].trial == 0);
  CHECK(trials[0].mean_score == 0.9);
  CHECK(trials[0].score_deviation == 0);
  CHECK(trials[0].scores == 1);
  CHECK(trials[0].undefined_scores == 1);
  CHECK(trials[1].trial == 2);
  CHECK(trials[1].scores == 2);
  CHECK(trials[1].undefined_scores == 0);
  CHECK(trials[2].trial == 1);  // without any score
  CHECK(std::isnan(trials[2].mean_score));
  CHECK(trials[2].scores == 0);
  CHECK(trials[2].undefined_scores == 2);
  CHECK(trials[2].mean_validation_loss == Approx(0.9));
  results[0].status = IterationStatus::diverged;  // counts, and has no score
  results[0].validation_score = not_a_number;
  CHECK(std::isnan(rank_trials(plan_of(2, 1), results, {})[1].mean_score));
  CHECK(rank_trials(plan_of(2, 1), results, {})[0].trial == 2);

  std::vector<EnsembleResult> ensembles(3);
  ensembles[0].score = not_a_number;
  ensembles[1].score = 0.5;
  results = results_with_scores({1, 1, 1, 1, 1, 1});
  const auto of_ensembles = rank_trials(plan_of(1, 2), results, ensembles);
  CHECK(of_ensembles[0].scores == 1);
  CHECK(of_ensembles[2].trial == 0);
  CHECK(of_ensembles[2].scores == 0);
  CHECK(of_ensembles[2].undefined_scores == 1);
}

TEST_CASE("without scores, trials are ranked by the final loss") {
  auto results = results_with_scores({0.1, 0.3, 0.2});
  for (auto& result : results) result.validation_score = result.validation_loss = not_a_number;
  const auto trials = rank_trials(plan_of(1, 1), results, {});
  CHECK(trials[0].trial == 1);
  CHECK(trials[1].trial == 2);
  CHECK(trials[2].trial == 0);
}

TEST_CASE("trials can be ranked by the validation loss or by a score where smaller is better") {
  auto results = results_with_scores({0.9, 0.5, 0.5});
  results[0].validation_loss = 3;
  results[1].validation_loss = 2;
  results[2].validation_loss = 1;
  const Plan plan = plan_of(1, 1);
  const auto order = [&](Ranking ranking) {
    std::vector<std::int64_t> numbers;
    for (const auto& trial : rank_trials(plan, results, {}, ranking)) numbers.push_back(trial.trial);
    return numbers;
  };
  CHECK(order({}) == std::vector<std::int64_t>{0, 2, 1});
  CHECK(order({true, true}) == std::vector<std::int64_t>{2, 1, 0});
  CHECK(order({false, false}) == std::vector<std::int64_t>{2, 1, 0});
  results[1].validation_loss = 1;  // the losses are equal, so the score decides
  results[1].validation_score = 0.6;
  CHECK(order({true, true}) == std::vector<std::int64_t>{1, 2, 0});

  const Plan folds = plan_of(2, 1);
  results = results_with_scores({0.9, 0.1, 0, 0, 0, 0});
  results[0].validation_loss = 2;
  results[1].validation_loss = 1;
  CHECK(best_model(folds, 0, results, {}) == IndexRange{0, 1});
  CHECK(best_model(folds, 0, results, {}, {true, true}) == IndexRange{1, 2});
}

TEST_CASE("metrics have means over a trial, or over its ensembles; NaN if a value is missing") {
  Ranking ranking;
  ranking.metric_count = 2;
  const auto results = results_with_scores({1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1});
  const auto values = [](double one, double other) { return std::vector<double>{one, other}; };
  const Plan plan = plan_of(2, 2);
  for (const bool has_ensembles : {false, true}) {
    Leaderboard leaderboard(plan, ranking);
    for (const auto& result : results) {
      const auto number = static_cast<double>(result.iteration);
      EnsembleResult ensemble;
      ensemble.metrics = {100 * number, 1};
      const bool is_last = result.iteration % 2 == 1;
      leaderboard.add(result, has_ensembles && is_last ? &ensemble : nullptr,
                      result.iteration == 11 ? std::vector<double>{} : values(number, 2 * number));
    }
    const auto trials = leaderboard.ranked();
    REQUIRE(trials.size() == 3);
    CHECK(trials[0].mean_metrics == (has_ensembles ? std::vector<double>{200, 1} : std::vector<double>{1.5, 3}));
    CHECK(trials[1].mean_metrics == (has_ensembles ? std::vector<double>{600, 1} : std::vector<double>{5.5, 11}));
    CHECK(std::isnan(trials[2].mean_metrics[0]) != has_ensembles);  // the last iteration failed
  }
  Study study = test::regression_study();
  study.run.metrics = {MetricKind::r2};
  CHECK(ranking_of(study).metric_count == 1);
}

TEST_CASE("search.metric selects the ranking of a study") {
  Study study = test::regression_study();
  CHECK(ranking_of(study).by_loss);
  study.ensemble.members = 2;
  CHECK_FALSE(ranking_of(study).by_loss);
  study.ensemble.members = 1;
  study.search.metric = "r2";
  CHECK_FALSE(ranking_of(study).by_loss);
  CHECK(ranking_of(study).larger_is_better);
}

TEST_CASE("trials with different kinds of losses are ranked by their score") {
  Study study = test::regression_study();
  study.search.keys = {{"train.loss", {"cross_entropy"}}};
  CHECK(ranking_of(study).by_loss);
  study.search.method = SearchMethod::grid;
  study.search.keys = {{"train.loss", {"cross_entropy", "bce"}}, {"train.learning_rate", {"0.1", "0.01"}}};
  const Ranking ranking = ranking_of(study);
  CHECK_FALSE(ranking.by_loss);
  CHECK_FALSE(ranking.one_loss);
  // Equal scores: the losses decide within one kind of loss, the order of the trials between different kinds.
  auto results = results_with_scores({0.8, 0.8, 0.8, 0.9});
  const std::vector<double> losses = {3, 2, 1, 4};
  for (std::size_t trial = 0; trial < losses.size(); ++trial) results[trial].validation_loss = losses[trial];
  std::vector<std::int64_t> order;
  for (const auto& trial : rank_trials(test::whole_plan(study), results, {}, ranking)) order.push_back(trial.trial);
  CHECK(order == std::vector<std::int64_t>{3, 1, 0, 2});
}

TEST_CASE("ensembles are ranked by their own scores") {
  const std::vector<EnsembleResult> ensembles = {{0, 0, 0, 0, 0.7, 0}, {0, 1, 0, 0, 0.6, 0}, {0, 2, 0, 0, 0.8, 0}};
  const auto trials = rank_trials(plan_of(1, 2), results_with_scores({1, 1, 1, 1, 0, 0}), ensembles);
  CHECK(trials[0].trial == 2);
  CHECK(trials[0].mean_score == Approx(0.8));
  CHECK(trials[2].trial == 1);
}

TEST_CASE("the best model of a trial is all members of the fold with the best score") {
  const Plan plan = plan_of(2, 2);
  auto results = results_with_scores({0, 0, 0, 0, /**/ 0.5, 0.9, 0.8, 0.7, /**/ 0.6, not_a_number, 0.1, 0.2});
  CHECK(best_model(plan, 1, results, {}) == IndexRange{6, 8});  // 0.75 against 0.7
  CHECK(best_model(plan, 2, results, {}) == IndexRange{10, 12});
  std::vector<EnsembleResult> ensembles(6);
  ensembles[2].score = 0.95;  // the ensemble's score counts, not the scores of its members
  CHECK(best_model(plan, 1, results, ensembles) == IndexRange{4, 6});
  for (auto& result : results) result.validation_score = result.validation_loss = not_a_number;
  results[7].final_loss = -5;
  CHECK(best_model(plan, 1, results, {}) == IndexRange{6, 8});  // ranked by the final loss only
  results[4].status = results[7].status = IterationStatus::diverged;
  CHECK(best_model(plan, 1, results, {}).empty());
}

TEST_CASE("adding results one at a time gives bitwise the same leaderboard as all results at once") {
  std::mt19937 random(3);
  const auto draw = [&] {
    const double values[] = {0.1, 0.2, 0.3, 1e17, -1e17, 1e-300, not_a_number, 1 / 0.0};
    return random() % 3 == 0 ? values[random() % 8] : std::uniform_real_distribution<double>(-1, 1)(random);
  };
  for (int round = 0; round < 300; ++round) {
    const auto folds = static_cast<std::int64_t>(1 + random() % 3),
               members = static_cast<std::int64_t>(1 + random() % 3);
    const Plan plan = plan_of(folds, members);
    std::vector<IterationResult> results(static_cast<std::size_t>(plan.iteration_count()));
    for (std::size_t number = 0; number < results.size(); ++number) {
      auto& result = results[number];
      result.iteration = static_cast<std::int64_t>(number);
      result.status = static_cast<IterationStatus>(random() % 5 == 0 ? 2 + random() % 2 : 1);
      result.validation_score = draw();
      result.validation_loss = draw();
      result.final_loss = draw();
      result.seconds = std::abs(draw());
    }
    std::vector<EnsembleResult> ensembles(random() % 2 == 0 ? 0 : results.size() / static_cast<std::size_t>(members));
    for (auto& ensemble : ensembles) ensemble.score = draw();
    const auto expected = reference::rank_trials(plan, results, ensembles);
    const auto found = rank_trials(plan, results, ensembles);
    REQUIRE(found.size() == expected.size());
    for (std::size_t index = 0; index < found.size(); ++index) CHECK(same_bits(found[index], expected[index]));
    for (std::int64_t trial = 0; trial < 3; ++trial)
      CHECK(best_model(plan, trial, results, ensembles) == reference::best_model(plan, trial, results, ensembles));
  }
}

TEST_CASE("a trial's rank and best model come from the last stage that trained it") {
  Study study = test::regression_study();
  study.search.keys = {{"train.learning_rate", {"0.1", "0.2", "0.3", "0.4"}}};
  study.search.folds = 2;
  Plan plan(study);
  plan.add({0, {{0, 4}}, {0, 1}, {0, 1}, 1, 0, 2});
  plan.add({1, {{0, 1}, {2, 3}}, {0, 1}, {0, 2}, 1, 2, std::nullopt});
  Leaderboard leaderboard(plan, {});
  const std::vector<double> scores = {0.9, 0.3, 0.1, 0.5, 0.21, 0.41, 0.8, 0.6};
  for (std::size_t number = 0; number < scores.size(); ++number) {
    IterationResult result;
    result.iteration = static_cast<std::int64_t>(number);
    result.status = IterationStatus::finished;
    result.validation_score = scores[number];
    result.final_loss = 1;
    leaderboard.add(result, nullptr);
  }
  std::vector<std::int64_t> order, stages, iterations;
  for (const TrialSummary& trial : leaderboard.ranked()) {
    order.push_back(trial.trial);
    stages.push_back(trial.stage);
    iterations.push_back(trial.iterations);
  }
  CHECK(order ==
        std::vector<std::int64_t>{2, 0, 3, 1});  // mean scores 0.7 and 0.31, then 0.5 and 0.3 after fewer epochs
  CHECK(stages == std::vector<std::int64_t>{1, 1, 0, 0});
  CHECK(iterations == std::vector<std::int64_t>{2, 2, 1, 1});
  CHECK(leaderboard.best_model(0) == IndexRange{5, 6});
  CHECK(leaderboard.best_model(2) == IndexRange{6, 7});
  CHECK(leaderboard.best_model(3) == IndexRange{3, 4});
}

TEST_CASE("a training that diverged in a later stage ranks behind those that ended earlier") {
  Study study = test::regression_study();
  study.search.keys = {{"train.learning_rate", {"0.1", "0.2", "0.3"}}};
  Plan plan(study);
  plan.add({0, {{0, 3}}, {0, 1}, {0, 1}, 1, 0, 2});
  plan.add({1, {{1, 3}}, {0, 1}, {0, 1}, 1, 2, std::nullopt});
  Leaderboard leaderboard(plan, {});
  for (std::int64_t number = 0; number < 5; ++number) {
    IterationResult result;
    result.iteration = number;
    result.status = number == 3 ? IterationStatus::diverged : IterationStatus::finished;
    if (number != 3) result.validation_score = result.final_loss = 0.5;
    if (number == 4) result.final_loss = std::numeric_limits<double>::infinity();  // it has kept the best weights
    leaderboard.add(result, nullptr);
  }
  std::vector<std::int64_t> order;
  for (const TrialSummary& trial : leaderboard.ranked()) order.push_back(trial.trial);
  CHECK(order == std::vector<std::int64_t>{2, 0, 1});
}

TEST_CASE("repeats in stages of their own count as if the run had them from the beginning") {
  Study study = test::regression_study();
  study.search.method = SearchMethod::grid;
  study.search.folds = 2;
  study.search.repeats = 3;
  study.search.keys = {{"train.learning_rate", {"0.1", "0.01", "0.001"}}};
  const Plan whole = test::whole_plan(study);
  Plan plan(study);
  for (const IndexRange& repeats : {IndexRange{0, 1}, {1, 3}}) {
    Stage stage = whole_stage(plan);
    stage.number = plan.stage_count();
    stage.repeats = repeats;
    plan.add(stage);
  }
  std::mt19937 random(5);
  std::vector<double> scores(static_cast<std::size_t>(whole.iteration_count()));
  for (double& score : scores) score = std::uniform_real_distribution<double>(0, 1)(random);
  scores[4] = not_a_number;
  const auto results = results_with_scores(scores);
  Ranking ranking;
  ranking.metric_count = 1;
  Leaderboard expected(whole, ranking), found(plan, ranking);
  for (const IterationResult& result : results) expected.add(result, nullptr, {result.validation_score / 2});
  for (std::int64_t number = 0; number < plan.iteration_count(); ++number) {
    IterationKey key = plan.iteration(number);
    key.stage = 0;
    IterationResult result = results[static_cast<std::size_t>(whole.number_of(key))];
    result.iteration = number;
    found.add(result, nullptr, {result.validation_score / 2});
  }
  const auto trials = found.ranked(), reference = expected.ranked();
  REQUIRE(trials.size() == reference.size());
  for (std::size_t at = 0; at < trials.size(); ++at) {
    const TrialSummary &trial = trials[at], &other = reference[at];
    CHECK(trial.trial == other.trial);
    CHECK(trial.stage == 1);
    const auto same = [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); };
    CHECK(same(trial.mean_score, other.mean_score));
    CHECK(same(trial.score_deviation, other.score_deviation));
    CHECK(same(trial.mean_validation_loss, other.mean_validation_loss));
    CHECK(same(trial.mean_metrics.front(), other.mean_metrics.front()));
    CHECK(trial.iterations == 6);
    CHECK(trial.diverged == other.diverged);
    IterationKey best = plan.iteration(found.best_model(trial.trial).begin);
    best.stage = 0;
    CHECK(whole.number_of(best) == expected.best_model(trial.trial).begin);
  }
}

TEST_CASE("the best model of a trial is one that exists, if any does") {
  const Plan plan = plan_of(3, 1);
  std::vector<std::int64_t> existing;
  const auto has_models = [&](IndexRange members) {
    return std::find(existing.begin(), existing.end(), members.begin) != existing.end();
  };
  const auto best_model = [&] {
    Leaderboard leaderboard(plan, Ranking{}, 0, has_models);
    for (const IterationResult& result : results_with_scores({0.9, 0.8, 0.7, 0, 0, 0, 0, 0, 0}))
      leaderboard.add(result, nullptr);
    return leaderboard.best_model(0).begin;
  };
  CHECK(best_model() == 0);
  existing = {1, 2};
  CHECK(best_model() == 1);
  existing = {2};
  CHECK(best_model() == 2);
  existing = {0, 2};
  CHECK(best_model() == 0);
}

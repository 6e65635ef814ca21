// SPDX-License-Identifier: MIT
#include "search/gradual_trials.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "search/search_table.hpp"
#include "study/key_defaults.hpp"
#include "support/catch.hpp"
#include "support/regression_study.hpp"

using namespace sheaf;

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

Study study_of(SearchMethod method, std::int64_t trials, std::int64_t folds) {
  Study study = test::regression_study();
  study.search.method = method;
  study.search.trials = trials;
  study.search.folds = folds;
  study.search.keys = {{"train.learning_rate", {"1e-5", "1"}, Sampling::log_uniform},
                       {"train.momentum", {"0", "0.9"}, Sampling::uniform}};
  return study;
}

// What a search has trained.
struct Searched {
  std::map<std::int64_t, KnownResult> results;   // by iteration, without pruned ones
  std::set<std::int64_t> pruned;                 // iterations
  std::vector<std::vector<std::string>> values;  // of the trials
  std::int64_t trials = 0;
  std::int64_t most_open = 0;  // trials that were open at the same time

  bool operator==(const Searched& other) const {
    const auto same = [](const auto& a, const auto& b) { return a.second.validation_loss == b.second.validation_loss; };
    return pruned == other.pruned && values == other.values && trials == other.trials &&
           results.size() == other.results.size() &&
           std::equal(results.begin(), results.end(), other.results.begin(), [&](const auto& a, const auto& b) {
             return a.first == b.first && (same(a, b) || std::isnan(a.second.validation_loss));
           });
  }
};

using LossOf = std::function<double(const Iteration&, double rate)>;

// A search whose iterations end in random order, `lanes` at a time. `earlier`: results of an earlier attempt.
Searched searched(const Study& study, const LossOf& loss_of, std::uint32_t seed, std::size_t lanes,
                  const Searched& earlier = {}, std::optional<std::size_t> stop_after = {}) {
  Plan plan(study);
  KnownResults known(plan);
  const auto searcher = make_searcher(study);
  plan.add(*searcher->next(known));
  const auto gradual = searcher->gradual(plan);
  REQUIRE(gradual);
  for (std::size_t trial = 0; trial < earlier.values.size() && plan.draws_from_results(); ++trial)
    if (!earlier.values[trial].empty()) plan.give(static_cast<std::int64_t>(trial), earlier.values[trial]);
  Searched found = earlier;
  for (const auto& [iteration, result] : earlier.results) gradual->add(iteration, result);
  for (const std::int64_t iteration : earlier.pruned) {
    KnownResult pruned;
    pruned.status = IterationStatus::pruned;
    gradual->add(iteration, pruned);
  }
  std::mt19937 random(seed);
  std::vector<std::int64_t> waiting, running;
  for (std::size_t count = 0;; ++count) {
    for (const IndexRange& range : gradual->release(static_cast<std::int64_t>(lanes - running.size())))
      for (std::int64_t iteration = range.begin; iteration < range.end; ++iteration) waiting.push_back(iteration);
    for (const IndexRange& range : gradual->take_pruned())
      for (std::int64_t iteration = range.begin; iteration < range.end; ++iteration)
        CHECK(found.pruned.insert(iteration).second);
    while (running.size() < lanes && !waiting.empty()) {
      running.push_back(waiting.front());
      waiting.erase(waiting.begin());
    }
    if (running.empty() || (stop_after && count == *stop_after)) break;
    std::set<std::int64_t> open;
    for (const std::int64_t iteration : running) open.insert(plan.iteration(iteration).trial);
    found.most_open = std::max<std::int64_t>(found.most_open, *open.rbegin() - *open.begin() + 1);
    const auto next = running.begin() + static_cast<std::ptrdiff_t>(random() % running.size());
    const Iteration iteration = plan.iteration(*next);
    const double loss = loss_of(iteration, std::stod(plan.value(iteration.trial, 0)));
    const auto status = std::isnan(loss) ? IterationStatus::diverged : IterationStatus::finished;
    CHECK(found.results.emplace(*next, KnownResult{status, loss, loss, loss}).second);
    gradual->add(*next, found.results.at(*next));
    running.erase(next);
  }
  CHECK(gradual->is_over() == !stop_after.has_value());
  found.trials = gradual->begun();
  found.values.assign(static_cast<std::size_t>(found.trials), {});
  for (std::int64_t trial = 0; trial < found.trials; ++trial)
    for (std::size_t key = 0; key < plan.searched_keys().size(); ++key)
      found.values[static_cast<std::size_t>(trial)].push_back(plan.value(trial, key));
  return found;
}

double sample_loss(const Iteration& iteration, double rate) {
  if (iteration.trial % 13 == 5 && iteration.fold == 1) return not_a_number;
  const double distance = std::log10(rate) + 2;
  return 1 + distance * distance + 0.3 * std::sin(static_cast<double>(7 * iteration.trial + 3 * iteration.fold));
}

}  // namespace

TEST_CASE("gradual trials do not depend on the number of lanes and the order of results") {
  for (const auto method : {SearchMethod::random, SearchMethod::tpe})
    for (const Racing racing : {Racing::none, Racing::forgiving, Racing::certain}) {
      Study study = study_of(method, 60, 3);
      study.search.racing = racing;
      study.search.patience = 30;
      const Searched reference = searched(study, sample_loss, 1, 1);
      CHECK(reference.pruned.empty() == (racing == Racing::none));
      CHECK(reference.results.size() + reference.pruned.size() == static_cast<std::size_t>(3 * reference.trials));
      for (std::uint32_t seed = 2; seed < 6; ++seed) CHECK(searched(study, sample_loss, seed, 3 * seed) == reference);
    }
}

TEST_CASE("a resumed search goes on as if it had not been interrupted") {
  Study study = study_of(SearchMethod::tpe, 40, 3);
  study.search.racing = Racing::forgiving;
  const Searched reference = searched(study, sample_loss, 1, 4);
  for (std::uint32_t seed = 0; seed < 8; ++seed) {
    Searched part = searched(study, sample_loss, seed, 5, {}, 5 + 6 * seed);
    // The values and the pruned iterations of trials without results may be lost.
    if (seed % 2 == 0) part.pruned.clear();
    std::set<std::int64_t> trials;
    for (const auto& result : part.results) trials.insert(result.first / 3);
    for (std::size_t trial = 0; trial < part.values.size(); ++trial)
      if (trials.count(static_cast<std::int64_t>(trial)) == 0) part.values[trial].clear();
    CHECK(searched(study, sample_loss, seed + 1, 2, part) == reference);
  }
}

TEST_CASE("recorded values and decisions are not made again") {
  Study study = study_of(SearchMethod::tpe, 20, 3);
  study.search.racing = Racing::forgiving;
  Searched reference = searched(study, sample_loss, 1, 2);
  reference.values[15] = {"0.5", "0.25"};
  reference.results.erase(45);
  const std::int64_t trained = *std::find_if(reference.pruned.begin(), reference.pruned.end(),
                                             [](std::int64_t iteration) { return iteration < 45; });
  const Searched again = searched(study, sample_loss, 1, 2, reference);
  CHECK(again.values[15] == std::vector<std::string>{"0.5", "0.25"});
  CHECK(again.pruned.count(trained) == 1);
}

TEST_CASE("a trial begins when all trials have ended that are at least search.batch before it") {
  for (const std::int64_t batch : {1, 4}) {
    Study study = study_of(SearchMethod::tpe, 30, 2);
    study.search.batch = batch;
    CHECK(searched(study, sample_loss, 3, 100).most_open == batch);
  }
  Study study;
  SearchOptions& search = study.search;
  search.method = SearchMethod::random;
  CHECK(batch_of(study) == 32);
  search.trials = 30;
  CHECK(batch_of(study) == 8);
  search.trials = 1000;
  CHECK(batch_of(study) == 100);
  search.trials = 1000000;
  CHECK(batch_of(study) == 10000);
  // A grid without the combinations in which a key has no effect.
  search.method = SearchMethod::grid;
  search.trials = 0;
  search.keys = {{"train.optimizer", {"sgd", "adam"}}, {"train.momentum", {}}};
  for (int candidate = 0; candidate < 199; ++candidate)
    search.keys[1].candidates.push_back(std::to_string(0.001 * (candidate + 1)));
  CHECK(batch_of(study) == 20);
}

TEST_CASE("patience ends a search by the numbers of its trials") {
  Study study = study_of(SearchMethod::random, 0, 1);
  study.search.patience = 10;
  study.search.batch = 4;
  // The best trial is number 12.
  const auto best_at_12 = [](const Iteration& iteration, double) {
    return iteration.trial == 12 ? 0.5 : 1 + 1 / static_cast<double>(1 + iteration.trial % 12);
  };
  // Trial 22 is the tenth without a better one. Trials up to 25 may begin before it has ended.
  for (const std::size_t lanes : {1, 3, 50}) CHECK(searched(study, best_at_12, 1, lanes).trials == 26);
  study.search.patience = 0;
  study.search.trials = 15;
  study.search.patience = 100;
  CHECK(searched(study, best_at_12, 1, 2).trials == 15);
}

TEST_CASE("racing trains folds until a trial has lost") {
  Study study = study_of(SearchMethod::random, 4, 4);
  study.search.batch = 1;
  // Trial 0 has the losses 1, 2, 3 and 4. The order of the folds is drawn.
  const double losses[4][4] = {{1, 2, 3, 4}, {3.5, 3.5, 3.5, 3.5}, {4, 4, 4, 4}, {9, 0, 0, 0}};
  const auto table = [&](const Iteration& iteration, double) { return losses[iteration.trial][iteration.fold]; };
  study.search.racing = Racing::forgiving;
  const std::vector<std::int64_t> order = gradual_rules(study).race_order;
  CHECK(std::is_permutation(order.begin(), order.end(), std::vector<std::int64_t>{0, 1, 2, 3}.begin()));
  const Searched forgiving = searched(study, table, 1, 1);
  const auto trained = [](const Searched& found, std::int64_t trial) {
    std::int64_t count = 0;
    for (const auto& result : found.results) count += result.first / 4 == trial ? 1 : 0;
    return count;
  };
  CHECK(trained(forgiving, 0) == 4);
  CHECK(trained(forgiving, 1) == 4);  // 3.5 is better than the worst fold of trial 0
  CHECK(trained(forgiving, 2) == 1);  // 4 is not better
  CHECK(trained(forgiving, 3) == (order[0] == 0 ? 1 : 4));
  study.search.racing = Racing::certain;
  const Searched certain = searched(study, table, 1, 1);
  // The mean of trial 0 is 2.5: a trial has lost when its sum exceeds 10, or all its folds are trained.
  CHECK(trained(certain, 1) == 3);
  CHECK(trained(certain, 2) == 3);
  CHECK(trained(certain, 3) == 4);
}

TEST_CASE("a trial whose iterations were cut is complete") {
  const Study study = study_of(SearchMethod::random, 6, 2);
  Plan plan(study);
  KnownResults known(plan);
  plan.add(*make_searcher(study)->next(known));
  GradualTrials trials(plan, gradual_rules(study), nullptr);
  trials.release(2);
  for (const std::int64_t iteration : {0, 1}) {
    CHECK_FALSE(trials.has_complete_trial());
    trials.add(iteration, {IterationStatus::cut, 1, 1, 1, 3, 2});
  }
  trials.go_on();
  CHECK(trials.has_complete_trial());
  CHECK(trials.trials_with_results() == 1);
  for (const IndexRange& range : trials.unfinished()) CHECK(range.begin >= 2);
}

TEST_CASE("diverged and failed iterations are worst") {
  Study study = study_of(SearchMethod::random, 6, 2);
  study.search.batch = 1;
  study.search.racing = Racing::forgiving;
  const auto bad = [](const Iteration& iteration, double) {
    return iteration.trial == 0 ? 1 : iteration.trial == 1 ? not_a_number : 0.9 - 0.1 * double(iteration.trial);
  };
  const Searched found = searched(study, bad, 1, 1);
  CHECK(found.pruned.size() == 1);
  CHECK(found.pruned.count(gradual_rules(study).race_order[1] + 2) == 1);
}

TEST_CASE("the trials of tpe are those of random until ten have ended, then better ones") {
  const Study random = study_of(SearchMethod::random, 60, 1);
  Study tpe = random;
  tpe.search.method = SearchMethod::tpe;
  tpe.search.batch = 1;
  const auto sphere = [](const Iteration&, double rate) { return std::pow(std::log10(rate) + 2, 2); };
  const Searched found = searched(tpe, sphere, 1, 1);
  const Plan plan(random);
  for (std::int64_t trial = 0; trial < 10; ++trial)
    CHECK(found.values[static_cast<std::size_t>(trial)][0] == plan.value(trial, 0));
  double late = 0, early = 0;
  for (const auto& [iteration, result] : found.results) (iteration < 10 ? early : late) += result.validation_loss;
  CHECK(late / 50 < 0.3 * early / 10);
}

namespace {

// `study` with other learning rates from trial `first` on.
Study extended_at(std::int64_t first, Study study, const std::string& low, const std::string& high) {
  study.search.earlier.push_back({first, study.search.keys});
  study.search.keys[0].candidates = {low, high};
  return study;
}

}  // namespace

TEST_CASE("an extended search keeps its trials, and its new ones do not depend on lanes") {
  for (const auto method : {SearchMethod::random, SearchMethod::tpe}) {
    Study study = study_of(method, 40, 3);
    study.search.racing = Racing::forgiving;
    const Searched before = searched(study, sample_loss, 1, 2);
    Study more = extended_at(40, study, "0.001", "10");
    more.search.trials = 70;
    const Searched reference = searched(more, sample_loss, 1, 1);
    for (std::uint32_t seed = 2; seed < 5; ++seed) CHECK(searched(more, sample_loss, seed, 3 * seed) == reference);
    CHECK(searched(more, sample_loss, 5, 4, before) == reference);
    CHECK(std::equal(before.values.begin(), before.values.end(), reference.values.begin()));
    for (std::size_t trial = 40; trial < 70; ++trial) {
      const double rate = std::stod(reference.values[trial][0]);
      CHECK((rate >= 0.001 && rate <= 10));
    }
  }
}

TEST_CASE("trials outside the new ranges neither race against new ones nor end the search") {
  Study study = study_of(SearchMethod::random, 20, 3);
  study.search.racing = Racing::certain;
  study.search.patience = 12;
  study.search.batch = 2;
  // The trials of the first space are much better than all others.
  const LossOf loss_of = [](const Iteration& iteration, double rate) {
    return (rate < 0.1 ? 1e-3 : 1.0) + 1e-4 * static_cast<double>(iteration.trial % 7);
  };
  study.search.keys[0].candidates = {"0.001", "0.01"};
  const Searched first = searched(study, loss_of, 1, 1);
  Study more = extended_at(first.trials, study, "0.5", "1");
  more.search.trials = 60;
  const Searched found = searched(more, loss_of, 1, 3, first);
  const auto begin = first.trials;
  CHECK(found.trials >= begin + 12);
  for (std::int64_t iteration = 3 * begin; iteration < 3 * (begin + 3); ++iteration)
    CHECK(found.results.count(iteration) == 1);
  Study inside = extended_at(first.trials, study, "0.001", "1");
  inside.search.trials = 60;
  const Searched raced = searched(
      inside,
      [&](const Iteration& iteration, double rate) {
        return iteration.trial >= begin ? 1.0 : loss_of(iteration, rate);
      },
      1, 3, first);
  CHECK(raced.trials < begin + 12 + 2 + 1);  // no new trial is better than those of the first space
  for (std::int64_t trial = begin; trial < raced.trials; ++trial) {
    std::int64_t pruned = 0;
    for (std::int64_t iteration = 3 * trial; iteration < 3 * trial + 3; ++iteration)
      pruned += raced.pruned.count(iteration) > 0;
    CHECK(pruned == 2);
  }
}

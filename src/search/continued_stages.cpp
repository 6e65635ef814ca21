// SPDX-License-Identifier: MIT
#include "search/continued_stages.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "search/leaderboard.hpp"
#include "study/study.hpp"

namespace sheaf {
namespace {

// Ascending numbers as ranges.
std::vector<IndexRange> ranges_of(const std::vector<std::int64_t>& numbers) {
  std::vector<IndexRange> ranges;
  for (const std::int64_t number : numbers)
    if (!ranges.empty() && ranges.back().end == number)
      ++ranges.back().end;
    else
      ranges.push_back({number, number + 1});
  return ranges;
}

// The part of an iteration's result that ranks its trial; nothing if it is missing.
std::optional<IterationResult> result_of(const KnownResults& known, std::int64_t number) {
  const KnownResult found = known.of(known.plan().iteration(number));
  if (!is_result(found.status)) return std::nullopt;
  IterationResult result;
  result.iteration = number;
  result.status = found.status;
  result.final_loss = found.final_loss;
  result.validation_loss = found.validation_loss;
  result.validation_score = found.validation_score;
  return result;
}

class ContinuedStages : public Searcher {
 public:
  ContinuedStages(const Study& study, std::vector<std::int64_t> stage_ends, std::vector<NewTrials> new_trials,
                  ContinuedCount continued_count)
      : ranking_(ranking_of(study)),
        stage_ends_(std::move(stage_ends)),
        new_trials_(std::move(new_trials)),
        continued_count_(std::move(continued_count)) {
    ranking_.metric_count = 0;  // further metrics do not decide
  }

  std::int64_t max_stages() const override { return static_cast<std::int64_t>(stage_ends_.size()); }

  std::vector<StageSize> sizes(const Plan& plan) const override {
    std::vector<StageSize> all;
    for (std::int64_t number = 0; number < max_stages(); ++number) {
      const StageEpochs epochs = epochs_of(number);
      all.push_back({begun_in(number), continued_in(number), epochs.from, epochs.to, {0, plan.repeats()}});
    }
    return all;
  }

  std::optional<Stage> next(const KnownResults& known) const override {
    const Plan& plan = known.plan();
    const std::int64_t number = plan.stage_count();
    if (number == max_stages()) return std::nullopt;
    const StageEpochs epochs = epochs_of(number);
    const IndexRange begun = begun_in(number);
    Stage stage = whole_stage(plan);
    stage.number = number;
    stage.from_epoch = epochs.from;
    stage.to_epoch = epochs.to;
    stage.trials = number > 0 ? ranges_of(certain_trials(known)) : std::vector<IndexRange>();
    stage.append(begun);
    if (number > 0 && !begun.empty()) stage.first_new_trial = begun.begin;
    if (stage.trials.empty()) return std::nullopt;
    return stage;
  }

  std::vector<IndexRange> certain(const KnownResults& known) const override { return ranges_of(certain_trials(known)); }

 private:
  struct StageEpochs {
    std::int64_t from;
    std::optional<std::int64_t> to;
  };

  StageEpochs epochs_of(std::int64_t stage) const {
    const auto index = static_cast<std::size_t>(stage);
    const bool is_last = index + 1 == stage_ends_.size();
    return {stage == 0 ? 0 : stage_ends_[index - 1], is_last ? std::nullopt : std::optional(stage_ends_[index])};
  }

  IndexRange begun_in(std::int64_t stage) const {
    const auto index = static_cast<std::size_t>(stage);
    return index < new_trials_.size() ? new_trials_[index].trials : IndexRange{};
  }

  // The trials that a stage continues if none diverges.
  std::int64_t continued_in(std::int64_t stage) const {
    std::int64_t count = 0;
    for (std::int64_t begun = 0; begun < std::min(stage, static_cast<std::int64_t>(new_trials_.size())); ++begun) {
      const NewTrials& row = new_trials_[static_cast<std::size_t>(begun)];
      const auto left_of = [&](std::int64_t trials) {
        for (std::int64_t ended = begun; trials > 0 && ended < stage; ++ended) trials = continued_count_(trials);
        return trials;
      };
      count += row.trials.count() / row.bracket * left_of(row.bracket) + left_of(row.trials.count() % row.bracket);
    }
    return count;
  }

  // The trials of the bracket to which a trial belongs.
  IndexRange bracket_of(std::int64_t trial) const {
    const auto after =
        std::upper_bound(new_trials_.begin(), new_trials_.end(), trial,
                         [](std::int64_t wanted, const NewTrials& row) { return wanted < row.trials.begin; });
    const NewTrials& row = *(after - 1);
    const std::int64_t begin = trial - (trial - row.trials.begin) % row.bracket;
    return {begin, std::min(begin + row.bracket, row.trials.end)};
  }

  // The trials of the last stage that continue even if all trials with missing results become better, ascending.
  std::vector<std::int64_t> certain_trials(const KnownResults& known) const {
    const Plan& plan = known.plan();
    const IndexRange numbers = plan.iterations_of(plan.stage_count() - 1);
    std::vector<std::int64_t> trials;
    for (std::int64_t number = numbers.begin; number < numbers.end;) {
      const IndexRange bracket = bracket_of(plan.iteration(number).trial);
      const std::int64_t first = number;
      const std::int64_t per_trial = plan.stage(plan.stage_count() - 1).per_trial();
      while (number < numbers.end && bracket.has(plan.iteration(number).trial)) number += per_trial;
      add_certain(known, {first, number}, trials);
    }
    return trials;
  }

  // Adds those of a bracket, whose iterations in the last stage are `numbers`. Diverged trainings cannot continue.
  void add_certain(const KnownResults& known, IndexRange numbers, std::vector<std::int64_t>& trials) const {
    const Plan& plan = known.plan();
    const std::int64_t per_trial = plan.stage(plan.stage_count() - 1).per_trial();
    std::int64_t count = continued_count_(numbers.count() / per_trial);
    Leaderboard leaderboard(plan, ranking_, numbers.count() / per_trial);
    std::vector<IterationResult> results;
    for (std::int64_t first = numbers.begin; first < numbers.end; first += per_trial) {
      results.clear();
      for (std::int64_t number = first; number < first + per_trial; ++number)
        if (const auto result = result_of(known, number)) results.push_back(*result);
      if (static_cast<std::int64_t>(results.size()) < per_trial)
        --count;
      else
        for (const IterationResult& result : results) leaderboard.add(result, nullptr);
    }
    if (count <= 0) return;
    const auto begin = static_cast<std::ptrdiff_t>(trials.size());
    for (const TrialSummary& trial : leaderboard.ranked()) {
      if (count == 0) break;
      if (trial.diverged > 0) continue;
      trials.push_back(trial.trial);
      --count;
    }
    std::sort(trials.begin() + begin, trials.end());
  }

  Ranking ranking_;
  std::vector<std::int64_t> stage_ends_;
  std::vector<NewTrials> new_trials_;
  ContinuedCount continued_count_;
};

}  // namespace

std::unique_ptr<const Searcher> make_continued_stages(const Study& study, std::vector<std::int64_t> stage_ends,
                                                      std::vector<NewTrials> new_trials,
                                                      ContinuedCount continued_count) {
  return std::make_unique<ContinuedStages>(study, std::move(stage_ends), std::move(new_trials),
                                           std::move(continued_count));
}

}  // namespace sheaf

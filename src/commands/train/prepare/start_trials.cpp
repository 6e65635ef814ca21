// SPDX-License-Identifier: MIT
#include "commands/train/prepare/start_trials.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "core/error.hpp"
#include "core/log.hpp"
#include "core/quoted.hpp"
#include "parallel/mpi/agreement.hpp"
#include "runs/directory/run_directory.hpp"
#include "runs/run_status.hpp"
#include "study/combinations.hpp"
#include "study/searched_keys.hpp"
#include "study/searched_text.hpp"
#include "study/settings.hpp"

namespace sheaf {
namespace {

constexpr std::int64_t most_trials = 5;

const SearchedKey* find_key(const Study& study, const std::string& key) {
  const auto& keys = study.search.keys;
  const auto found = std::find_if(keys.begin(), keys.end(), [&](const SearchedKey& known) { return known.key == key; });
  return found == keys.end() ? nullptr : &*found;
}

std::string keys_text(const Study& study) {
  std::vector<std::string> keys;
  for (const SearchedKey& searched : study.search.keys) keys.push_back(searched.key);
  return fmt::format("{}", fmt::join(keys, ", "));
}

// The values that a trial of the run gives to keys of the study.
StartTrial start_trial(const RunState& run, std::int64_t trial, const Study& study) {
  const std::vector<std::string> values = run.plan.trial(trial).values;
  const std::vector<bool> effects = run.plan.effects(values);
  StartTrial start;
  for (std::size_t number = 0; number < values.size(); ++number) {
    const std::string& key = run.plan.searched_keys()[number];
    const SearchedKey* const searched = find_key(study, key);
    if (searched == nullptr || !effects[number]) continue;
    const auto value = searched_value(*searched, values[number]);
    if (!value)
      throw UsageError(fmt::format(
          "search.start cannot take trial {} of '{}' (its {} = {} is outside the search: search.{} = {}). Search this "
          "value, too, choose another run, or set search.start to trials.",
          trial, run.directory, key, values[number], key, searched_text(*searched)));
    start.emplace_back(key, *value);
  }
  return start;
}

}  // namespace

std::vector<StartTrial> start_trials_of(const RunState& run, const Study& study) {
  const std::int64_t room = trial_count(study);  // 0: it follows from keys that are not settled
  std::vector<StartTrial> trials;
  bool any_complete = false;
  for (const TrialSummary& best : best_trials(run, room > 0 ? std::min(most_trials, room) : most_trials)) {
    if (best.finished != best.iterations) continue;
    any_complete = true;
    StartTrial trial = start_trial(run, best.trial, study);
    const bool is_new = std::find(trials.begin(), trials.end(), trial) == trials.end();
    if (!trial.empty() && is_new) trials.push_back(std::move(trial));
  }
  if (!any_complete)
    throw UsageError(
        fmt::format("search.start cannot take trials of '{}' (it has no complete trial). Train it further, choose "
                    "another run, or set search.start to trials.",
                    run.directory));
  const auto& keys = run.plan.searched_keys();
  if (trials.empty())
    throw UsageError(fmt::format(
        "search.start cannot take trials of '{}' (it searches {}, and this study {}). Search one of its keys, choose "
        "another run, or leave out search.start.",
        run.directory, keys.empty() ? "no keys" : fmt::format("{}", fmt::join(keys, ", ")), keys_text(study)));
  return trials;
}

Study with_start_trials(Study study, const Communicator& world) {
  const std::string directory = study.search.start_run;
  if (directory.empty()) return study;
  std::string text;
  agree(world, [&] {
    if (!world.is_root()) return;
    if (!holds_run(directory))
      throw UsageError(
          fmt::format("search.start = {} is not a run directory (it has no study.cfg). Set it to the directory of a "
                      "run, or to trials such as train.learning_rate = 0.01.",
                      quoted(directory)));
    study.search.start = start_trials_of(read_run(directory), study);
    study.search.start_run.clear();
    text = setting_text(study, "search.start");
  });
  text = world.broadcast(text, 0);
  agree(world, [&] { apply_setting(study, "search.start", text); });
  log_root(fmt::format("search.start, from '{}': {}", directory, text));
  return study;
}

}  // namespace sheaf

// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/text.hpp"
#include "study/combinations.hpp"
#include "study/effect.hpp"
#include "study/section_checks.hpp"
#include "study/settings_table.hpp"

namespace sheaf {
namespace {

// Only the first combinations of a larger grid are checked, which takes well under a second. Later candidates of the
// slowest-varying keys may remain unchecked.
constexpr std::int64_t max_combinations_checked = 100000;

std::vector<std::string> deciding_keys(const Setting& setting) {
  std::vector<std::string> keys;
  for (const Condition& condition : setting.conditions)
    keys.insert(keys.end(), condition.keys.begin(), condition.keys.end());
  return keys;
}

void add_no_effect(const Study& study, const Setting& setting, const Condition& condition, Problems& problems) {
  const std::string& key = setting.info.key;
  std::vector<std::string> keys = deciding_keys(setting);
  keys.push_back(key);
  problems.add(keys, fmt::format("{} has no effect ({}). Leave it out{}.", assignment(study, key),
                                 condition.reason.empty() ? assignment(study, condition.keys[0]) : condition.reason,
                                 condition.advice.empty() ? "" : ", or set " + condition.advice));
}

// Sets a searched key to a candidate that is meant to have an effect, if there is one.
void set_searched(const Setting& setting, const SearchOptions& search, Study& trial) {
  for (const SearchedKey& searched : search.keys)
    if (searched.key == setting.info.key)
      for (const auto& candidate : searched.candidates)
        if (!is_set(setting, trial)) apply_setting(trial, searched.key, candidate);
}

// Finds the keys of a section that are set and have no effect. It is no mistake if a key that decides the effect is
// searched: the key is then meant for other candidates.
void check_effects(const Study& study, const std::string& section, Problems& problems) {
  for (const Setting& setting : settings_table()) {
    if (setting.conditions.empty() || setting.info.key.rfind(section + ".", 0) != 0) continue;
    Study trial = study;
    set_searched(setting, study.search, trial);
    if (!is_set(setting, trial)) continue;
    const auto fails = [&](const Condition& condition) {
      const auto is_open = [&](const std::string& key) { return is_searched(study, key); };
      return std::none_of(condition.keys.begin(), condition.keys.end(), is_open) && !condition.holds(trial);
    };
    const auto failed = std::find_if(setting.conditions.begin(), setting.conditions.end(), fails);
    if (failed != setting.conditions.end()) add_no_effect(trial, setting, *failed, problems);
  }
}

}  // namespace

void Problems::add(const std::vector<std::string>& keys, const std::string& sentence) {
  const std::string shown = printable(sentence);
  if (known_.insert(shown).second) list_.push_back({shown, keys});
}

std::string assignment(const Study& study, const std::string& key) {
  return key + " = " + setting_text(study, key);
}

std::vector<StudyProblem> problems_in(const Study& study) {
  Problems data, model, train, others;
  const Combinations combinations(study);
  check_data(study, data);
  Study trial = study;
  for (std::int64_t number = 0; number < std::min(combinations.count(), max_combinations_checked); ++number) {
    combinations.apply(number, trial);
    check_model(trial, model);
    check_target_normalization(trial, model);
    check_train(trial, train);
    check_schedule(trial, train);
    check_best_epoch(trial, train);
    check_tf32(trial, train);
    check_saved_models(trial, others);
  }
  check_auto_candidates(study, others);
  check_search(study, others);
  check_ensemble(study, others);
  check_iteration_count(study, others);
  check_run(study, others);
  for (const auto& [section, found] :
       {std::pair("data", &data), {"model", &model}, {"train", &train}, {"search", &others}, {"run", &others}})
    check_effects(study, section, *found);
  std::vector<StudyProblem> problems;
  for (const Problems* section : {&data, &model, &train, &others})
    problems.insert(problems.end(), section->list().begin(), section->list().end());
  return problems;
}

}  // namespace sheaf

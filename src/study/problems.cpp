// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "core/text.hpp"
#include "study/combinations.hpp"
#include "study/section_checks.hpp"
#include "study/settings_table.hpp"

namespace sheaf {
namespace {

// Only the first combinations of a larger grid are checked, which takes well under a second. Later candidates of the
// slowest-varying keys may remain unchecked.
constexpr std::int64_t max_combinations_checked = 100000;

}  // namespace

void Problems::add(const std::vector<std::string>& keys, const std::string& sentence) {
  const std::string shown = printable(sentence);
  if (known_.insert(shown).second) list_.push_back({shown, keys});
}

bool is_mistake(const Study& study, const std::string& key, const std::string& cause) {
  return !is_searched(study, cause) || (is_searched(study, key) && !study.search.draws_trials());
}

std::string assignment(const Study& study, const std::string& key) {
  return key + " = " + setting_text(study, key);
}

std::vector<StudyProblem> problems_in(const Study& study) {
  Problems data, model, train, others;
  check_data(study, data);
  const Combinations combinations(study);
  Study trial = study;
  for (std::int64_t number = 0; number < std::min(combinations.count(), max_combinations_checked); ++number) {
    combinations.apply(number, trial);
    check_model(trial, model);
    check_target_normalization(trial, model);
    check_train(trial, train);
    check_schedule(trial, train);
    check_tf32(trial, train);
    check_saved_models(trial, others);
  }
  check_auto_candidates(study, others);
  check_search(study, others);
  check_iteration_count(study, others);
  check_run(study, others);
  std::vector<StudyProblem> problems;
  for (const Problems* section : {&data, &model, &train, &others})
    problems.insert(problems.end(), section->list().begin(), section->list().end());
  return problems;
}

}  // namespace sheaf

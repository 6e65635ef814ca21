// SPDX-License-Identifier: MIT
#include "search/hyperband.hpp"

#include <algorithm>
#include <numeric>

#include "study/brackets.hpp"
#include "study/study.hpp"
#include "study/trial_space.hpp"

namespace sheaf {

std::vector<NewTrials> bracket_trials(const std::vector<std::int64_t>& sizes, std::int64_t trials) {
  const std::int64_t pass = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
  std::int64_t rest = trials % pass;  // of the last pass, not assigned to a bracket yet
  std::int64_t first = 0;
  std::vector<NewTrials> all;
  for (const std::int64_t size : sizes) {
    const std::int64_t of_last_pass = std::min(rest, size);
    const std::int64_t count = trials / pass * size + of_last_pass;
    all.push_back({{first, first + count}, size});
    first += count;
    rest -= of_last_pass;
  }
  return all;
}

std::int64_t promoted_of_bracket(std::int64_t trials, std::int64_t factor) {
  return std::max<std::int64_t>(1, trials / factor);
}

std::unique_ptr<const Searcher> make_hyperband(const Study& study) {
  const std::int64_t factor = study.search.factor;
  const auto rungs = rung_epochs(study.train.epochs, factor, study.search.min_epochs);
  const auto sizes = bracket_sizes(static_cast<std::int64_t>(rungs.size()), factor);
  return make_continued_stages(study, rungs, bracket_trials(sizes, TrialSpace(study).count()),
                               [factor](std::int64_t count) { return promoted_of_bracket(count, factor); });
}

}  // namespace sheaf

// SPDX-License-Identifier: MIT
#include "search/median.hpp"

#include <algorithm>

#include "search/continued_stages.hpp"
#include "study/study.hpp"
#include "study/trial_space.hpp"

namespace sheaf {

std::vector<std::int64_t> interval_ends(std::int64_t trials, std::int64_t epochs, std::int64_t interval,
                                        std::int64_t min_epochs) {
  std::vector<std::int64_t> ends;
  for (std::int64_t end = std::max(interval, min_epochs); end < epochs && trials > 1; end += interval) {
    ends.push_back(end);
    trials = better_half(trials);
  }
  ends.push_back(epochs);
  return ends;
}

std::int64_t better_half(std::int64_t trials) {
  return (trials + 1) / 2;
}

std::unique_ptr<const Searcher> make_median(const Study& study) {
  const SearchOptions& search = study.search;
  const std::int64_t trials = TrialSpace(study).count();
  return make_continued_stages(study, interval_ends(trials, study.train.epochs, search.interval, search.min_epochs),
                               one_bracket(trials), better_half);
}

}  // namespace sheaf

// SPDX-License-Identifier: MIT
#include "search/halving.hpp"

#include <algorithm>

#include "search/continued_stages.hpp"
#include "study/study.hpp"
#include "study/trial_space.hpp"

namespace sheaf {

std::vector<std::int64_t> stage_ends(std::int64_t trials, std::int64_t epochs, std::int64_t factor,
                                     std::int64_t min_epochs) {
  std::vector<std::int64_t> ends = {epochs};
  for (std::int64_t left = trials / factor; left > 0 && ends.back() / factor >= min_epochs; left /= factor)
    ends.push_back(ends.back() / factor);
  std::reverse(ends.begin(), ends.end());
  return ends;
}

std::int64_t promoted_count(std::int64_t trials, std::int64_t factor) {
  return (trials + factor - 1) / factor;
}

std::unique_ptr<const Searcher> make_halving(const Study& study) {
  const std::int64_t factor = study.search.factor, trials = TrialSpace(study).count();
  return make_continued_stages(study, stage_ends(trials, study.train.epochs, factor, study.search.min_epochs),
                               one_bracket(trials),
                               [factor](std::int64_t count) { return promoted_count(count, factor); });
}

}  // namespace sheaf

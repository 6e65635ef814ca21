// SPDX-License-Identifier: MIT
#include "search/halving.hpp"

#include <algorithm>
#include <cstddef>

#include "search/continued_stages.hpp"
#include "study/brackets.hpp"
#include "study/study.hpp"
#include "study/trial_space.hpp"

namespace sheaf {

std::vector<std::int64_t> stage_ends(std::int64_t trials, std::int64_t epochs, std::int64_t factor,
                                     std::int64_t min_epochs) {
  const std::vector<std::int64_t> rungs = rung_epochs(epochs, factor, min_epochs);
  std::ptrdiff_t stages = 1;
  for (std::int64_t left = trials / factor; left > 0; left /= factor) ++stages;
  return {rungs.end() - std::min(stages, rungs.end() - rungs.begin()), rungs.end()};
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

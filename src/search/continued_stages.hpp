// Searches in stages, each of which continues the trainings of the best trials of the one before.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "core/index_range.hpp"
#include "search/searcher.hpp"

namespace sheaf {

struct Study;

/// The trials that begin in a stage, in brackets of `bracket` consecutive ones; the last bracket may have fewer.
struct NewTrials {
  IndexRange trials;
  std::int64_t bracket = 1;
};

/// All trials begin in the first stage and are compared with each other. Pure.
inline std::vector<NewTrials> one_bracket(std::int64_t trials) {
  return {{{0, trials}, trials}};
}

/// Of the trials of a bracket in a stage, given by their number, at least 1: how many continue in the next stage. Pure,
/// and at least 1.
using ContinuedCount = std::function<std::int64_t(std::int64_t trials)>;

/// Creates a searcher whose stages end after these epochs, ascending; the last is train.epochs, which must be settled.
/// `new_trials`: of the first stages, in ascending order without gaps. A stage continues the trainings of the best
/// trials of each bracket in the one before, by the means of their iterations in the order of the ranking; of equal
/// trials, the first ones. Trials with diverged iterations do not continue, so a stage may have fewer trials, and the
/// search ends if there are none.
std::unique_ptr<const Searcher> make_continued_stages(const Study& study, std::vector<std::int64_t> stage_ends,
                                                      std::vector<NewTrials> new_trials,
                                                      ContinuedCount continued_count);

}  // namespace sheaf

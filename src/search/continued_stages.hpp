// Searches in stages, each of which continues the trainings of the best trials of the one before.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "search/searcher.hpp"

namespace sheaf {

struct Study;

/// Of the trials of a stage, given by their number: how many continue in the next one. Pure, and at least 1.
using ContinuedCount = std::function<std::int64_t(std::int64_t trials)>;

/// Creates a searcher whose stages end after these epochs, ascending; the last is train.epochs, which must be settled.
/// A stage continues the trainings of the best trials of the one before, by the means of their iterations in the order
/// of the ranking; of equal trials, the first ones. Trials with diverged iterations do not continue, so a stage may
/// have fewer trials, and the search ends if there are none.
std::unique_ptr<const Searcher> make_continued_stages(const Study& study, std::vector<std::int64_t> stage_ends,
                                                      ContinuedCount continued_count);

}  // namespace sheaf

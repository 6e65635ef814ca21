// Median stopping. Source: Golovin et al. 2017, and Optuna's MedianPruner, in a synchronous form: trials are compared
// when all of them have the same number of epochs.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "search/searcher.hpp"

namespace sheaf {

struct Study;

/// The epochs after which each stage ends, ascending; the last is `epochs`. The first stage has `interval` epochs, or
/// `min_epochs` if that is more, and all others `interval`, except the last, which has the rest: a stage with a single
/// trial is the last. Pure.
std::vector<std::int64_t> interval_ends(std::int64_t trials, std::int64_t epochs, std::int64_t interval,
                                        std::int64_t min_epochs);

/// The trials that a stage of `trials` trials leaves to the next one: half of them, rounded up. Pure.
std::int64_t better_half(std::int64_t trials);

/// Creates the searcher of median stopping: see make_continued_stages(). The epochs of the study must be settled.
std::unique_ptr<const Searcher> make_median(const Study& study);

}  // namespace sheaf

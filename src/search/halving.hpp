// Successive halving. Source: Jamieson and Talwalkar 2016, with the rounding of scikit-learn's HalvingGridSearchCV.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "search/searcher.hpp"

namespace sheaf {

struct Study;

/// The epochs after which each stage ends, ascending; the last is `epochs`, and each is the next one divided by
/// `factor`, rounded down. The first stage has at least `min_epochs`, and there are at most 1 + log_factor(trials)
/// stages. Pure.
std::vector<std::int64_t> stage_ends(std::int64_t trials, std::int64_t epochs, std::int64_t factor,
                                     std::int64_t min_epochs);

/// The trials that a stage of `trials` trials leaves to the next one: a part of 1 / factor, rounded up. Pure.
std::int64_t promoted_count(std::int64_t trials, std::int64_t factor);

/// Creates the searcher of successive halving: see make_continued_stages(). The epochs of the study must be settled.
std::unique_ptr<const Searcher> make_halving(const Study& study);

}  // namespace sheaf

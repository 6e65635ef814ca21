// Hyperband. Source: Li et al., JMLR 18-185 (2018). All brackets are trained side by side, rung by rung.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "search/continued_stages.hpp"

namespace sheaf {

struct Study;

/// The trials that begin in each stage, for `trials` trials. `sizes`: bracket_sizes(). Whole passes come first; the
/// last one may end in the middle of a bracket, in the order of the brackets. Pure.
std::vector<NewTrials> bracket_trials(const std::vector<std::int64_t>& sizes, std::int64_t trials);

/// The trials of a bracket that continue, of `trials`: a part of 1 / factor, rounded down, but at least 1. Pure.
std::int64_t promoted_of_bracket(std::int64_t trials, std::int64_t factor);

/// Creates the searcher of Hyperband: see make_continued_stages(). The epochs of the study must be settled.
std::unique_ptr<const Searcher> make_hyperband(const Study& study);

}  // namespace sheaf

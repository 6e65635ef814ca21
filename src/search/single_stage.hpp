// Searches in one stage: every combination of a grid, or drawn trials.
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "search/searcher.hpp"

namespace sheaf {

struct Study;

/// Creates the searcher whose only stage has all trials. If they depend on results, it releases them one after another.
/// It also serves studies without a search, which have one trial.
std::unique_ptr<const Searcher> make_single_stage(const Study& study);

}  // namespace sheaf

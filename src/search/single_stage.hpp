// Searches that choose all trials in advance: every combination of a grid, or the trials of a random search.
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "search/searcher.hpp"

namespace sheaf {

struct Study;

/// Creates the searcher whose only stage has all trials. It also serves studies without a search, which have one trial.
std::unique_ptr<const Searcher> make_single_stage(const Study& study);

}  // namespace sheaf

// Grid search: every combination of the candidates, in one stage.
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "search/searcher.hpp"

namespace sheaf {

struct Study;

/// Creates the grid searcher. It also serves studies without a search, which have a single trial.
std::unique_ptr<const Searcher> make_grid(const Study& study);

}  // namespace sheaf

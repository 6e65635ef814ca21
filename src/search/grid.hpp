// The search of a grid: every combination of the candidates, in one stage.
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "search/searcher.hpp"
#include "study/study.hpp"

namespace sheaf {

/// The searcher of a grid; a study without a search has the one trial of a grid without keys.
std::unique_ptr<const Searcher> make_grid(const Study& study);

}  // namespace sheaf

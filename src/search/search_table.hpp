// The table of searchers: one line for each value of search.method.
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "search/searcher.hpp"
#include "study/study.hpp"

namespace sheaf {

using MakeSearcher = std::unique_ptr<const Searcher> (*)(const Study& study);

/// The searcher of the study's search.method.
std::unique_ptr<const Searcher> make_searcher(const Study& study);

}  // namespace sheaf

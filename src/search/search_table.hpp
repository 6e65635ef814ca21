// The table of searchers: one entry per value of search.method.
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "search/searcher.hpp"

namespace sheaf {

struct Study;

using MakeSearcher = std::unique_ptr<const Searcher> (*)(const Study& study);

/// Creates the searcher for the study's search.method.
std::unique_ptr<const Searcher> make_searcher(const Study& study);

}  // namespace sheaf

// Journal lines of the iterations that a search leaves out.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "runs/journal/journal_writer.hpp"
#include "runs/search_stages.hpp"

namespace sheaf {

/// Journals the iterations that have been pruned since the last call, and returns their number. For rank 0.
std::int64_t journal_pruned(GradualTrials& trials, JournalWriter& journal);

/// Ends the search after its last trial with a result: journals its iterations that have none as unfinished, then the
/// end of the search. For rank 0, after search.time.
void journal_end_of_search(SearchStages& stages, JournalWriter& journal);

}  // namespace sheaf

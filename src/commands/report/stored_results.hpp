// Reads what the result files of a run have in addition to its journals.
// SPDX-License-Identifier: MIT
#pragma once

#include "report/run_report.hpp"

namespace sheaf {

/// The result files of a complete run; without them, what its study tells. What is damaged is left out with a warning.
/// Local.
StoredResults read_stored_results(const RunState& run);

}  // namespace sheaf

// Importances as text, CSV and JSON. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "commands/importance/importance_job.hpp"
#include "commands/importance/importance_request.hpp"

namespace sheaf {

/// csv: "feature,importance,std", empty for numbers that are not finite. json: importance_json().
std::string importance_output(const ImportanceResult& result, ImportanceFormat format);

}  // namespace sheaf

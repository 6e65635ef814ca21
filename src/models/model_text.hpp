// The description of a saved model as text.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "models/saved_model.hpp"

namespace sheaf {

/// Lines "key = value": the numbers of features and outputs, the description of the data as JSON, and the study's keys.
/// Pure.
std::string model_text(const ModelDescription& description);

/// Parses model_text(). Throws RunError and others, with a reason only, also if parts of the description do not fit
/// each other. Pure.
ModelDescription parse_model_text(const std::string& text);

}  // namespace sheaf

// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

namespace sheaf {

struct Study;

/// A sentence if a job of `seconds` took notably longer than search.time allows; no value otherwise. Pure.
std::optional<std::string> overtime_text(const Study& study, double seconds);

}  // namespace sheaf

// Formats a rate.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace sheaf {

/// "0.0123/s", "12.3/s" or "1520/s". Pure.
std::string per_second(double rate);

}  // namespace sheaf

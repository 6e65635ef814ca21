// The values of searched ranges as text. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "study/search_options.hpp"

namespace sheaf {

/// The number that an end or a value of a range stands for.
double range_number(const std::string& text);

/// The value of a range that is nearest to `value`, in canonical form: an integer, or a number with at most six
/// significant digits, so that a trial can be repeated from its printed values. An end keeps all its digits.
std::string range_value(Sampling sampling, const std::string& low, const std::string& high, double value);

}  // namespace sheaf

// Numbers that 32-bit floating point cannot tell apart, because they are large compared to their differences: Unix
// times, coordinates, identifiers. Their column gets an offset. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

namespace sheaf {

/// The offset of a column, which is subtracted in double before its numbers are rounded to float: the median of
/// `sample` if it is more than 1000 times the spread of the sample (its interquartile range; if that is zero, the mean
/// distance to the median). 0, which keeps the numbers as they are, for other columns and if float represents every
/// number of the sample. Ignores NaN and infinity; 0 without other numbers.
double column_offset(const std::vector<double>& sample);

/// Whether numbers that are stored as float have visibly lost digits: the distance of floats at the median of `sample`
/// is more than a fiftieth of the spread. False if all are integers that float represents exactly.
bool has_lost_digits(const std::vector<double>& sample);

}  // namespace sheaf

// Attributes of MATLAB and netCDF that give stored numbers another meaning.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "files/hdf5/data_set.hpp"

namespace sheaf {

/// Throws RunError if the elements of a data set stand for other values: numbers that are packed (scale_factor other
/// than 1, add_offset other than 0), or codes of texts and objects of MATLAB. `description` names the data set.
/// Source: CF conventions, section 8.1 (packed data). Local.
void require_plain_values(std::int64_t data_set, const std::string& description);

/// The numbers other than NaN that stand for missing values: _FillValue and missing_value of netCDF. Local.
std::vector<FillValue> fill_values(std::int64_t data_set, const std::string& description);

}  // namespace sheaf

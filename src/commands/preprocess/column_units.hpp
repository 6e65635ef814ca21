// The columns of a data file in FeatureForm::columns under `sheaf preprocess`: numbers are scaled, codes of categories
// stay. Scaled numbers have no offsets: shift and divisor of a scaling in table units include them.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "data/data_description.hpp"
#include "data/description_text.hpp"
#include "data/moments.hpp"
#include "data/transform/transform_plan.hpp"

namespace sheaf {

/// The columns of a data set; none if the file is in another form. Throws RunError if they are not valid. Local.
DescribedColumns stored_columns(const std::string& path, const std::string& features);

/// Throws RunError, with the file `path`, if the plan converts codes, offsets or empty cells to integers. Pure.
void require_convertible(const DescribedColumns& stored, const TransformPlan& plan, const std::string& path);

/// Throws RunError unless the scaling of `like`, in table units, leaves codes of the file `path` as they are. Pure.
void require_codes_stay(const DescribedColumns& stored, const RowScaling& scaling, const std::string& path,
                        const std::string& like);

/// The scaling of stored numbers, without that of codes. Pure.
RowScaling without_codes(const DescribedColumns& stored, RowScaling scaling);

/// Converts a scaling of stored numbers to table units, and back. Pure.
RowScaling in_table_units(const DescribedColumns& stored, RowScaling scaling);
RowScaling in_stored_units(const DescribedColumns& stored, RowScaling scaling);

/// The columns of the scaled numbers. `scaling`: in table units. Pure.
DescribedColumns scaled_columns(DescribedColumns stored, const RowScaling& scaling);

}  // namespace sheaf

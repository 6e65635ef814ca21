// A check of the weights of rows before they are trained on.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "data/dataset.hpp"
#include "data/splits.hpp"
#include "study/plan.hpp"

namespace sheaf {

struct Study;

/// Why the rows of a split cannot be used: all of its training rows weigh 0, or with search.weighted all validation,
/// stopping or test rows. Empty if they can. `splits`: of `data`; the first hundred are checked, and fewer of many
/// rows. Local.
std::string row_weights_problem(const Study& study, const Plan& plan, const DataSet& data, Splits& splits);

}  // namespace sheaf

// Warnings about a study that can be trained, but whose ranking or validation may mislead. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "data/dataset.hpp"
#include "study/plan.hpp"
#include "study/study.hpp"

namespace sheaf {

/// One sentence for each problem: trials that are ranked by their training loss, and classes with fewer rows than
/// folds. `data`: null if each iteration draws its own. `class_names`: may be empty. Reads all labels.
std::vector<std::string> study_warnings(const Study& study, const Plan& plan, const DataSet* data,
                                        const std::vector<std::string>& class_names);

}  // namespace sheaf

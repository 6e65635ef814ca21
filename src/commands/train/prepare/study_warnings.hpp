// Checks of the ranking and validation of a study before it is trained.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "data/dataset.hpp"
#include "data/splits.hpp"
#include "study/plan.hpp"

namespace sheaf {

struct Study;

/// One sentence for each warning about a study that can be trained, but whose ranking or validation may mislead: trials
/// that are ranked by their training loss, models that cannot be saved, early stopping before a schedule has ended,
/// rows of a single class, labels that all rows or none have, classes with fewer rows than folds, and classes of which
/// all rows are held out. `data`: null if each iteration draws its own. `class_names`: may be empty. `splits`: of
/// `data`, if rows have marks or data.test or other files hold some out; otherwise unused. Reads all labels.
std::vector<std::string> study_warnings(const Study& study, const Plan& plan, const DataSet* data,
                                        const std::vector<std::string>& class_names, Splits* splits = nullptr);

/// Why a metric or a class weight of the study does not fit its data: a class that does not exist, or more classes than
/// there are; "" if all fit. `class_names`: of the data, or empty; `outputs`: classes or targets. Pure.
std::string metric_problem(const Study& study, const Plan& plan, const std::vector<std::string>& class_names,
                           std::int64_t outputs);

/// Why the trials cannot be ranked: losses of different kinds without another metric, or a metric that is not defined
/// for so few validation rows. Empty if they can. `rows`: of the data.
std::string ranking_problem(const Study& study, const Plan& plan, const RowCounts& rows);
/// Why the epochs cannot be compared by train.stop_on: it is not defined for so few validation rows. Empty if they can.
std::string stopping_problem(const Study& study, const RowCounts& rows);

}  // namespace sheaf

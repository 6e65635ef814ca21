// The search of a table that search.time alone asks for: boosted trees, networks and a linear model, then drawn ones,
// with an ensemble and a refit. Its constants were measured on tables by tests/bench/table_quality.py.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "data/file_schema.hpp"
#include "study/study.hpp"

namespace sheaf {

/// Whether the study leaves everything but the time of its search to Sheaf: search.time is set, nothing else of
/// [search], and no key of [model] and [train] but the loss and class weights; and whether the file is a table. Pure.
bool searches_table(const Study& study, const FileSchema& file);

/// Whether it would with search.time. Pure.
bool may_search_table(Study study, const FileSchema& file);

/// The study with a random search that begins with a list of trials (search.start), one after another: a linear model,
/// trees, networks, more trees. It goes on with drawn trials. Rows are held out, or there are folds for few rows; the
/// trials of the ensemble are trained again on all rows. `has_trees`: whether XGBoost can be loaded. Pure.
Study with_table_search(Study study, const FileSchema& file, bool has_trees);

/// A sentence about this search, without its values. Pure.
std::string table_search_text(const Study& study);

}  // namespace sheaf

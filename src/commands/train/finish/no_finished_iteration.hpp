// The error at the end of a run in which no iteration finished: the problem, its likely cause and the remedy.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "data/dataset.hpp"
#include "runs/results/run_results.hpp"

namespace sheaf {

struct Study;

/// The largest absolute value of the features; nothing if `data` is null or has no features in memory (streamed). Reads
/// all features. Pure.
std::optional<double> largest_feature(const DataSet* data);

/// The sentence of the error. `results`: without a finished iteration; only the counts and the first failure are used.
/// `largest_feature`: nothing if it is not known. Pure.
std::string no_finished_iteration_text(const Study& study, const RunResults& results,
                                       std::optional<double> largest_feature);

}  // namespace sheaf

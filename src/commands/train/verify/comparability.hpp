// How closely an iteration that is trained again must agree with its stored result. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runs/journal/journal_line.hpp"
#include "study/precisions.hpp"
#include "training/iteration_result.hpp"

namespace sheaf {

/// Why the results need to agree to rounding only; nullopt: they must have the same bits. `stored`: the headers of all
/// journals whose jobs may have trained a part of the iteration; nullopt: a damaged one. `own`: of this job.
std::optional<std::string> rounding_reason(const IterationResult& before, const IterationResult& now,
                                           const std::vector<std::optional<JournalHeader>>& stored,
                                           const JournalHeader& own);

/// The limits of differences by rounding.
struct Tolerance {
  double losses = 0;  ///< of losses, relative to the larger one
  double values = 0;  ///< of scores and metrics, relative to the larger one, or to 1 if that is larger; of predictions,
                      ///< for the root mean square of all
};

/// The limits for trainings with a precision. Rounding errors grow with the steps of a training, in some without limit:
/// with other matrix products, the losses of 2500 steps with default settings differ by 2e-4 (float32) and 5e-16
/// (float64), those of learning rates near divergence by anything.
Tolerance tolerance_of(Precision precision);

}  // namespace sheaf

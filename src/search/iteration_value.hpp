// The best single iteration of a study so far, for progress reports. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "training/iteration_result.hpp"

namespace sheaf {

struct Study;

/// The value of an iteration by which progress shows the best one so far: the score or loss that ranks the trials.
struct ProgressValue {
  enum class Source { final_loss, validation_loss, score };
  Source source = Source::final_loss;
  std::string name = "loss";
  bool larger_is_better = false;
};

/// The value that search.metric selects: a value on the validation rows, or the final loss if there are none.
ProgressValue progress_value_of(const Study& study);

/// The cost of a result, the lower the better; infinity if it has not finished or its value is not finite.
double cost_of(const ProgressValue& value, const IterationResult& result);

/// "accuracy 0.9783", for a finite cost.
std::string value_text(const ProgressValue& value, double cost);

/// "best accuracy 0.9783"; nothing if the lowest cost is infinite.
std::optional<std::string> best_so_far(const ProgressValue& value, double lowest_cost);

}  // namespace sheaf

// SPDX-License-Identifier: MIT
#include "commands/train/training/predicted_rows.hpp"

#include "study/study.hpp"

namespace sheaf {

std::int64_t predicted_rows(const TrainingContext& context, const JournaledIteration& iteration) {
  if (context.study.predictions() != PredictionsKept::held_out || iteration.predictions.bytes == 0) return 0;
  const Iteration model = context.plan.iteration(iteration.trained.result.iteration);
  const std::int64_t rows = context.splits->split(model.repeat, model.fold)->validation_rows.count();
  const std::int64_t row_bytes = context.data->output_count * static_cast<std::int64_t>(sizeof(float));
  return iteration.predictions.bytes == rows * row_bytes ? rows : 0;
}

}  // namespace sheaf

// SPDX-License-Identifier: MIT
#include "training/optional_results.hpp"

#include <cstdint>
#include <utility>

#include "models/predictions.hpp"

namespace sheaf {

void add_optional_results(const TrainingContext& context, const Trial& trial, const Split& split,
                          const Trainer& trainer, std::vector<float>&& outputs, TrainedIteration& trained) {
  if (context.study.ensemble.members > 1) {
    const std::int64_t rows = split.validation_rows.count();
    const std::int64_t output_count = rows == 0 ? 0 : static_cast<std::int64_t>(outputs.size()) / rows;
    make_predictions(trial.train.loss, output_count, outputs.data(), rows);
    trained.predictions = std::move(outputs);
  }
  if (context.study.run.models != ModelsSaved::none) {
    trained.network = trainer.network();
    trained.scaling = split.scaling;
  }
}

}  // namespace sheaf

// SPDX-License-Identifier: MIT
#include "study/trial_ensemble.hpp"

#include <fmt/format.h>

#include "study/combinations.hpp"
#include "study/key_defaults.hpp"
#include "study/losses.hpp"
#include "study/section_checks.hpp"
#include "study/study.hpp"

namespace sheaf {
namespace {

// The loss of a trial whose predictions have neither a log loss nor a squared error; null if there is none.
const Loss* loss_without_mean(const Study& study) {
  const AutoOr<Task> task = study.data.task;
  for (const Loss* const loss : losses_of(study)) {
    const bool predicts_values = task != automatic && task != Task::regression && !loss->needs_classes();
    if (loss->has_quantiles() || predicts_values) return loss;
  }
  return nullptr;
}

}  // namespace

std::string EnsembleObstacle::sentence() const {
  return fmt::format("search.ensemble = greedy is not possible ({}). {}, or search.ensemble = none.", reason, advice);
}

std::optional<EnsembleObstacle> ensemble_obstacle(const Study& study) {
  const auto because_of = [&](const std::string& key, const std::string& advice) {
    return EnsembleObstacle{key, assignment(study, key), advice};
  };
  if (!study.search.searches())
    return EnsembleObstacle{"search.method", "there is no search", "Set search.method = random"};
  if (trial_count(study) == 1)
    return EnsembleObstacle{"search.trials", "the search has only one trial", "Search more trials"};
  if (study.run.models == ModelsSaved::none) return because_of("run.models", "Set run.models = best");
  if (study.data.source == DataSource::synthetic && study.data.draw == Draw::iteration)
    return because_of("data.draw", "Set data.draw = study");
  if (has_no_validation(study))
    return EnsembleObstacle{"data.validation", "there are no validation rows", "Set search.folds or data.validation"};
  if (study.run.predictions == PredictionsKept::none)
    return because_of("run.predictions", "Set run.predictions = held_out");
  if (const Loss* const loss = loss_without_mean(study))
    return EnsembleObstacle{"train.loss",
                            loss->has_quantiles()
                                ? "the mean of quantiles is not a quantile"
                                : fmt::format("with train.loss = {}, outputs are not probabilities", loss->name),
                            "Set a different train.loss"};
  return std::nullopt;
}

}  // namespace sheaf

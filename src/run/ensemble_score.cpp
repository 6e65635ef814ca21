// SPDX-License-Identifier: MIT
#include "run/ensemble_score.hpp"

#include <fmt/format.h>

#include <cassert>
#include <limits>

#include "core/error.hpp"
#include "engine/score.hpp"

namespace sheaf {
namespace {

// The mean over members, summed in double in the order of their numbers. All have `count` predictions.
std::vector<float> average(const Replay& replay, IndexRange members, std::size_t count) {
  std::vector<double> sums(count);
  for (std::int64_t number = members.begin; number < members.end; ++number) {
    const auto predictions = read_predictions(replay, replay.iterations[static_cast<std::size_t>(number)]);
    require(predictions.size() == count,
            fmt::format("iteration {} has {} predictions in its journal instead of {}. Start the study again with "
                        "another run.output.",
                        number, predictions.size(), count));
    for (std::size_t place = 0; place < sums.size(); ++place) sums[place] += static_cast<double>(predictions[place]);
  }
  std::vector<float> mean;
  for (const double sum : sums) mean.push_back(static_cast<float>(sum / static_cast<double>(members.count())));
  return mean;
}

}  // namespace

std::vector<EnsembleRecord> score_ensembles(const TrainingContext& context, const Replay& replay) {
  const Plan& plan = context.plan;
  assert(is_complete(replay, plan.iteration_count()));
  std::vector<EnsembleRecord> ensembles;
  if (plan.members() == 1 || context.splits == nullptr || context.splits->split(0, 0)->validation_rows.empty())
    return ensembles;
  for (std::int64_t first = 0; first < plan.iteration_count(); first += plan.members()) {
    const IndexRange members{first, first + plan.members()};
    const Iteration place = plan.iteration(first);
    double sum = 0;
    bool all_finished = true;
    for (std::int64_t number = members.begin; number < members.end; ++number) {
      const auto& record = replay.iterations[static_cast<std::size_t>(number)].trained.record;
      sum += record.validation_score;
      all_finished &= record.status == IterationStatus::finished;
    }
    const RowSet rows = context.splits->split(place.repeat, place.fold)->validation_rows;
    const auto count = static_cast<std::size_t>(rows.count() * context.data->output_count);
    const double score = all_finished ? prediction_score(average(replay, members, count), *context.data, rows)
                                      : std::numeric_limits<double>::quiet_NaN();
    ensembles.push_back({place.trial, place.repeat, place.fold, score, sum / static_cast<double>(plan.members())});
  }
  return ensembles;
}

}  // namespace sheaf

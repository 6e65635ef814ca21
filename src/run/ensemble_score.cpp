// SPDX-License-Identifier: MIT
#include "run/ensemble_score.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <unordered_map>

#include "engine/score.hpp"

namespace sheaf {
namespace {

// What rank 0 knows of one ensemble: its members' predictions, one after the other, in the order in which they came.
struct Gathered {
  std::vector<std::int64_t> numbers;  // of the iterations
  std::vector<float> predictions;     // a diverged member has none
};

Gathered gather_members(IndexRange members,
                        const std::unordered_map<std::int64_t, const std::vector<float>*>& predictions,
                        const Communicator& world) {
  Gathered mine;
  for (std::int64_t number = members.begin; number < members.end; ++number) {
    const auto found = predictions.find(number);
    if (found == predictions.end()) continue;
    mine.numbers.push_back(number);
    mine.predictions.insert(mine.predictions.end(), found->second->begin(), found->second->end());
  }
  return {world.gather(mine.numbers), world.gather(mine.predictions)};
}

// The mean over members, summed in double in the order of their numbers. All have predictions.
std::vector<float> average(const Gathered& gathered) {
  const std::size_t count = gathered.numbers.size();
  const std::size_t size = gathered.predictions.size() / count;
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return gathered.numbers[a] < gathered.numbers[b]; });
  std::vector<float> mean(size);
  for (std::size_t place = 0; place < size; ++place) {
    double sum = 0;
    for (const std::size_t member : order) sum += static_cast<double>(gathered.predictions[member * size + place]);
    mean[place] = static_cast<float>(sum / static_cast<double>(count));
  }
  return mean;
}

}  // namespace

std::vector<EnsembleRecord> score_ensembles(const TrainingContext& context,
                                            const std::vector<TrainedIteration>& trained,
                                            const std::vector<IterationRecord>& records, const Communicator& world) {
  const Plan& plan = context.plan;
  std::vector<EnsembleRecord> ensembles;
  if (plan.members() == 1 || context.splits == nullptr || context.splits->split(0, 0)->validation_rows.empty())
    return ensembles;
  std::unordered_map<std::int64_t, const std::vector<float>*> predictions;
  for (const auto& iteration : trained) predictions[iteration.record.iteration] = &iteration.predictions;

  for (std::int64_t first = 0; first < plan.iteration_count(); first += plan.members()) {
    const auto gathered = gather_members({first, first + plan.members()}, predictions, world);
    if (!world.is_root()) continue;
    const Iteration place = plan.iteration(first);
    double sum = 0;
    bool diverged = false;
    for (std::int64_t number = first; number < first + plan.members(); ++number) {
      const auto& record = records[static_cast<std::size_t>(number)];
      sum += record.validation_score;
      diverged |= record.status == IterationStatus::diverged;
    }
    const auto& rows = context.splits->split(place.repeat, place.fold)->validation_rows;
    const double score =
        diverged ? std::numeric_limits<double>::quiet_NaN() : prediction_score(average(gathered), *context.data, rows);
    ensembles.push_back({place.trial, place.repeat, place.fold, score, sum / static_cast<double>(plan.members())});
  }
  return ensembles;
}

}  // namespace sheaf

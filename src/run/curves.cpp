// SPDX-License-Identifier: MIT
#include "run/curves.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <tuple>

#include "core/error.hpp"

namespace sheaf {

void require_countable_epochs(const Plan& plan) {
  constexpr auto most = static_cast<double>(std::numeric_limits<std::int32_t>::max());
  const double per_trial = static_cast<double>(plan.iteration_count()) / static_cast<double>(plan.trials().size());
  double total = 0;
  for (const auto& trial : plan.trials()) total += per_trial * static_cast<double>(trial.train.epochs);
  if (total > most)
    throw UsageError(
        fmt::format("run.curves = true would keep {:.4g} epochs (more than {:.0f} cannot be gathered). Set run.curves "
                    "= false, or ask for fewer iterations or epochs.",
                    total, most));
}

std::vector<EpochRecord> gather_epochs(const std::vector<TrainedIteration>& trained, const Communicator& world) {
  std::vector<EpochRecord> mine;
  for (const auto& iteration : trained) mine.insert(mine.end(), iteration.epochs.begin(), iteration.epochs.end());
  auto epochs = world.gather(mine);
  std::sort(epochs.begin(), epochs.end(), [](const EpochRecord& a, const EpochRecord& b) {
    return std::tie(a.iteration, a.epoch) < std::tie(b.iteration, b.epoch);
  });
  return epochs;
}

}  // namespace sheaf

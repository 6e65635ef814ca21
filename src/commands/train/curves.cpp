// SPDX-License-Identifier: MIT
#include "commands/train/curves.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <limits>

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

}  // namespace sheaf

// SPDX-License-Identifier: MIT
#include "commands/train/verify/verify_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>

#include "core/text.hpp"

namespace sheaf {
namespace {

// "iteration 7 (trial 1, fold 2)", without the numbers that all iterations of the study have.
std::string name_of(const Plan& plan, std::int64_t number) {
  const Iteration iteration = plan.iteration(number);
  std::vector<std::string> parts;
  if (plan.stage(iteration.stage).is_refit()) parts.emplace_back("refit");
  if (plan.trial_count() > 1) parts.push_back(fmt::format("trial {}", iteration.trial));
  if (plan.stage_count() > 1) parts.push_back(fmt::format("stage {}", iteration.stage));
  if (plan.repeats() > 1) parts.push_back(fmt::format("repeat {}", iteration.repeat));
  if (plan.folds() > 1) parts.push_back(fmt::format("fold {}", iteration.fold));
  if (plan.members() > 1) parts.push_back(fmt::format("member {}", iteration.member));
  return parts.empty() ? fmt::format("iteration {}", number)
                       : fmt::format("iteration {} ({})", number, fmt::join(parts, ", "));
}

struct Count {
  std::int64_t same = 0, all = 0;
};

std::string were_compared(const std::vector<ComparedIteration>& compared, bool ComparedIteration::*flag,
                          const char* what) {
  const auto count = std::count_if(compared.begin(), compared.end(), [&](const auto& one) { return one.*flag; });
  return count == 0 ? "" : fmt::format(", {} of {}", what, count);
}

}  // namespace

std::string verify_text(const Plan& plan, const std::vector<ComparedIteration>& compared, std::int64_t sample_size,
                        const LeftOut& left_out) {
  std::string text;
  std::map<std::optional<std::string>, Count> counts;  // by reason
  for (const ComparedIteration& one : compared) {
    Count& count = counts[one.rounding_reason];
    ++count.all;
    count.same += one.is_same();
    if (!one.is_same()) text += fmt::format("{}: {}\n", name_of(plan, one.iteration), fmt::join(one.differences, "; "));
  }
  for (const auto& [reason, count] : counts)
    text += fmt::format("{} of {} iterations {}\n", count.same, count.all,
                        reason ? fmt::format("agree to rounding ({})", *reason) : "have the same bits");
  if (std::any_of(compared.begin(), compared.end(),
                  [](const auto& one) { return one.rounding_reason && !one.is_same(); }))
    text +=
        "Larger differences can be amplified rounding errors, for example with a large learning rate. To be sure, "
        "compare "
        "bits: verify the run where it was trained.\n";
  const auto size = static_cast<std::int64_t>(compared.size());
  text += fmt::format("compared: results of {}{}{}\n", counted(size, "iteration"),
                      were_compared(compared, &ComparedIteration::has_predictions, "held-out predictions"),
                      were_compared(compared, &ComparedIteration::has_weights, "weights"));
  if (const auto others = left_out.text()) text += fmt::format("left out: {}\n", *others);
  if (size < sample_size)
    text += fmt::format("not trained: {}, because the job was stopped\n", counted(sample_size - size, "iteration"));
  return text;
}

}  // namespace sheaf

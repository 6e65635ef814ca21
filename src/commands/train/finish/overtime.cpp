// SPDX-License-Identifier: MIT
#include "commands/train/finish/overtime.hpp"

#include <fmt/format.h>

#include "core/text.hpp"
#include "study/study.hpp"

namespace sheaf {

std::optional<std::string> overtime_text(const Study& study, double seconds) {
  constexpr double tolerated = 1.1, tolerated_seconds = 0.5;
  const auto limit = static_cast<double>(study.search.time);
  if (limit == 0 || seconds <= tolerated * limit + tolerated_seconds) return std::nullopt;
  return fmt::format(
      "search.time = {} s was exceeded by {}: trials that had begun{} took longer than expected. More lanes, or fewer "
      "rows "
      "or folds, make trials shorter.",
      study.search.time, human_seconds(seconds - limit), study.run.refit ? ", or the refit," : "");
}

}  // namespace sheaf

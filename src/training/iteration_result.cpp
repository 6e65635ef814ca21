// SPDX-License-Identifier: MIT
#include "training/iteration_result.hpp"

#include <fmt/format.h>

namespace sheaf {

std::string status_name(IterationStatus status) {
  switch (status) {
    case IterationStatus::finished:
      return "finished";
    case IterationStatus::diverged:
      return "diverged";
    case IterationStatus::failed:
      return "failed";
    case IterationStatus::pruned:
      return "pruned";
    case IterationStatus::unfinished:
      return "unfinished";
    case IterationStatus::cut:
      return "cut";
    case IterationStatus::missing:
      break;
  }
  return "missing";
}

std::string IterationResult::device() const {
  return gpu < 0 ? "cpu" : fmt::format("cuda:{}", gpu);
}

}  // namespace sheaf

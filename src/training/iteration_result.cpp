// SPDX-License-Identifier: MIT
#include "training/iteration_result.hpp"

namespace sheaf {

std::string status_name(IterationStatus status) {
  switch (status) {
    case IterationStatus::finished:
      return "finished";
    case IterationStatus::diverged:
      return "diverged";
    case IterationStatus::failed:
      return "failed";
    case IterationStatus::missing:
      break;
  }
  return "missing";
}

}  // namespace sheaf

// SPDX-License-Identifier: MIT
#include "core/per_second.hpp"

#include <fmt/format.h>

namespace sheaf {

std::string per_second(double rate) {
  return rate < 999.5 ? fmt::format("{:.3g}/s", rate) : fmt::format("{:.0f}/s", rate);
}

}  // namespace sheaf

// SPDX-License-Identifier: MIT
#include "core/fingerprint.hpp"

#include <fmt/format.h>

namespace sheaf {

std::string Fingerprint::text() const {
  return fmt::format("{:016x}", hash_);
}

}  // namespace sheaf

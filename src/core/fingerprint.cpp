// SPDX-License-Identifier: MIT
#include "core/fingerprint.hpp"

#include <fmt/format.h>

#include "core/regular_file.hpp"

namespace sheaf {

std::string Fingerprint::text() const {
  return fmt::format("{:016x}", hash_);
}

std::string file_fingerprint(const std::string& path) {
  Fingerprint fingerprint;
  fingerprint.add(RegularFile(path).read_all());
  return fingerprint.text();
}

}  // namespace sheaf

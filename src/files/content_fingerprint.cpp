// SPDX-License-Identifier: MIT
#include "files/content_fingerprint.hpp"

#include "core/fingerprint.hpp"
#include "files/regular_file.hpp"

namespace sheaf {

std::string content_fingerprint(const std::string& path) {
  Fingerprint fingerprint;
  fingerprint.add(first_content(path));
  return fingerprint.text();
}

}  // namespace sheaf

// SPDX-License-Identifier: MIT
#include "core/replace_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "core/error.hpp"

namespace sheaf {

void write_then_rename(const std::string& path, const std::function<void(const std::string& temporary)>& write) {
  const std::string temporary = path + ".partial";
  try {
    write(temporary);
    if (std::rename(temporary.c_str(), path.c_str()) != 0)
      throw RunError(fmt::format("'{}' cannot be written ({}). Choose another name.", path, std::strerror(errno)));
  } catch (...) {
    std::remove(temporary.c_str());
    throw;
  }
}

}  // namespace sheaf

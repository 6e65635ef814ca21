// Loads shared libraries. SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace sheaf {

struct SharedLibrary {
  void* handle = nullptr;  ///< for dlsym; null if the library cannot be loaded
  std::string problem;     ///< why it cannot be loaded, one line
};

/// dlopen(file, flags). An exception in a static initializer of a library is a problem like any other, and is final:
/// the file is refused for the rest of the process, since a part of it is not initialized. Local, thread-safe.
SharedLibrary load_shared_library(const std::string& file, int flags);

}  // namespace sheaf

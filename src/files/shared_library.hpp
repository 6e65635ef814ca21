// Loads shared libraries.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace sheaf {

struct SharedLibrary {
  void* handle = nullptr;  ///< for dlsym; null if the library cannot be loaded
  std::string problem;     ///< why it cannot be loaded, one line
};

/// Calls dlopen(file, flags). An exception in a static initializer of the library is returned as a problem. The library
/// is then only partly initialized, so all later calls for the file fail. Local, thread-safe.
SharedLibrary load_shared_library(const std::string& file, int flags);

}  // namespace sheaf

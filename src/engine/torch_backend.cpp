// SPDX-License-Identifier: MIT
#include "engine/torch_backend.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include "core/error.hpp"
#include "core/shared_library.hpp"
#include "core/version.hpp"

namespace sheaf {
namespace {

constexpr const char* library_name = "libsheaf_libtorch.so";

// Program and library exchange objects, so both must come from one build. `library`: loaded.
void require_same_build(void* library) {
  void* entry = dlsym(library, "sheaf_libtorch_build");
  const std::string found = entry != nullptr ? reinterpret_cast<const char* (*)()>(entry)() : "unknown";
  require(found == build_id(),
          fmt::format("{} is not of the same build as this program (build {}, and the program's is {}). Keep the one "
                      "that was built with the program beside it.",
                      library_name, found, build_id()));
}

// Found beside the program, by its run path. Everything is resolved at once, so that what is missing is missed here;
// and for all, as if the program were linked to it: MKL and others load parts of themselves that look for the rest
// there.
const TorchBackend& load() {
  const SharedLibrary library = load_shared_library(library_name, RTLD_NOW | RTLD_GLOBAL);
  require(library.handle != nullptr,
          fmt::format("LibTorch is needed here and cannot be loaded ({}). Keep the {} of the same build beside the "
                      "program, install the LibTorch that it was built with and no other on LD_LIBRARY_PATH, and raise "
                      "the limit of memory (ulimit -v) if there is one.",
                      library.problem, library_name));
  require_same_build(library.handle);
  void* entry = dlsym(library.handle, "sheaf_torch_backend");
  return *reinterpret_cast<const TorchBackend* (*)()>(entry)();
}

}  // namespace

const TorchBackend& torch_backend() {
  static const TorchBackend& backend = load();
  return backend;
}

}  // namespace sheaf

// SPDX-License-Identifier: MIT
#include "engine/torch_backend.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include "core/error.hpp"

namespace sheaf {
namespace {

constexpr const char* library_name = "libsheaf_libtorch.so";

// Found beside the program, by its run path. Everything is resolved at once, so that what is missing is missed here;
// and for all, as if the program were linked to it: MKL and others load parts of themselves that look for the rest
// there.
const TorchBackend& load() {
  void* library = dlopen(library_name, RTLD_NOW | RTLD_GLOBAL);
  void* entry = library != nullptr ? dlsym(library, "sheaf_torch_backend") : nullptr;
  if (entry == nullptr)
    throw RunError(
        fmt::format("LibTorch is needed here and cannot be loaded ({}). Keep {} beside the program, and install the "
                    "LibTorch that it was built with.",
                    dlerror(), library_name));
  return *reinterpret_cast<const TorchBackend* (*)()>(entry)();
}

}  // namespace

const TorchBackend& torch_backend() {
  static const TorchBackend& backend = load();
  return backend;
}

}  // namespace sheaf

// SPDX-License-Identifier: MIT
#include "engines/torch_backend.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <string>
#include <system_error>

#include "core/error.hpp"
#include "core/version.hpp"
#include "engines/native/kernels/blas_library.hpp"
#include "files/shared_library.hpp"

namespace sheaf {
namespace {

constexpr const char* library_name = "libsheaf_libtorch.so";

// The program and the library exchange C++ objects, so both must come from the same build. `library` is its handle.
void require_same_build(void* library) {
  void* entry = dlsym(library, "sheaf_libtorch_build");
  const std::string found = entry != nullptr ? reinterpret_cast<const char* (*)()>(entry)() : "unknown";
  require(found == build_id(),
          fmt::format("{} and this program are from different builds ({} and {}). Put the library from the program's "
                      "build next to the program.",
                      library_name, found, build_id()));
}

// The library is next to the program in a build folder, and in a folder of its own after an installation. Nothing if it
// is in neither.
std::optional<std::string> library_beside_program() {
  std::error_code failed;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", failed);
  for (const char* folder : {".", SHEAF_LIBRARY_FOLDER}) {
    const auto path = (program.parent_path() / folder / library_name).lexically_normal();
    if (std::filesystem::exists(std::filesystem::symlink_status(path, failed))) return path.string();
  }
  return std::nullopt;
}

bool contains(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

// RTLD_NOW reports missing symbols here. RTLD_GLOBAL makes the symbols visible as if the program were linked to the
// library, because MKL and others load parts of themselves that look for the rest among global symbols.
const TorchBackend& load() {
  blas_functions();  // LibTorch uses it too; it checks the memory that OpenBLAS needs when it is loaded
  // Tests are linked to the library: it is already loaded, and found by its name.
  const SharedLibrary library =
      load_shared_library(library_beside_program().value_or(library_name), RTLD_NOW | RTLD_GLOBAL);
  require(library.handle != nullptr, fmt::format("LibTorch is required but cannot be loaded ({}). {}", library.problem,
                                                 advice_for_loading(library.problem)));
  require_same_build(library.handle);
  void* entry = dlsym(library.handle, "sheaf_torch_backend");
  return *reinterpret_cast<const TorchBackend* (*)()>(entry)();
}

}  // namespace

std::string advice_for_loading(const std::string& problem) {
  if (contains(problem, "failed to map segment") || contains(problem, "Cannot allocate memory"))
    return "Raise the memory limit (ulimit -v) if there is one.";
  const bool names_missing_symbol = contains(problem, "undefined symbol: ") || contains(problem, "required by");
  if (names_missing_symbol ? contains(problem, "5sheaf") : contains(problem, library_name))
    return fmt::format("Install the package sheaf-torch, or put the {} from the program's build next to the program.",
                       library_name);
  if (contains(problem, "cannot open shared object file"))
    return "Install the LibTorch that the program was built with, or add the folder of its libraries to "
           "LD_LIBRARY_PATH.";
  return "Install the LibTorch that the program was built with, and remove any other one from LD_LIBRARY_PATH.";
}

bool has_torch_library() {
  return library_beside_program().has_value();
}

const TorchBackend& torch_backend() {
  static const TorchBackend& backend = load();
  return backend;
}

}  // namespace sheaf

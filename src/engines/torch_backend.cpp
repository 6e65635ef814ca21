// SPDX-License-Identifier: MIT
#include "engines/torch_backend.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <system_error>

#include "core/error.hpp"
#include "core/version.hpp"
#include "files/shared_library.hpp"

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

// Beside the program; a test that is linked to the library has it already, by its name.
std::string library_path() {
  std::error_code failed;
  const auto path = std::filesystem::read_symlink("/proc/self/exe", failed).replace_filename(library_name);
  return std::filesystem::exists(std::filesystem::symlink_status(path, failed)) ? path.string() : library_name;
}

bool contains(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

// Everything is resolved at once, so that what is missing is missed here; and for all, as if the program were linked to
// it: MKL and others load parts of themselves that look for the rest there.
const TorchBackend& load() {
  const SharedLibrary library = load_shared_library(library_path(), RTLD_NOW | RTLD_GLOBAL);
  require(library.handle != nullptr, fmt::format("LibTorch is needed here and cannot be loaded ({}). {}",
                                                 library.problem, cure_of_loading(library.problem)));
  require_same_build(library.handle);
  void* entry = dlsym(library.handle, "sheaf_torch_backend");
  return *reinterpret_cast<const TorchBackend* (*)()>(entry)();
}

}  // namespace

std::string cure_of_loading(const std::string& problem) {
  if (contains(problem, "failed to map segment") || contains(problem, "Cannot allocate memory"))
    return "Raise the limit of memory (ulimit -v) if there is one.";
  const bool names_what_it_needs = contains(problem, "undefined symbol: ") || contains(problem, "required by");
  if (names_what_it_needs ? contains(problem, "5sheaf") : contains(problem, library_name))
    return fmt::format("Keep the {} of the same build beside the program.", library_name);
  if (contains(problem, "cannot open shared object file"))
    return "Install the LibTorch that the program was built with, or name the folder of its libraries in "
           "LD_LIBRARY_PATH.";
  return "Install the LibTorch that the program was built with, and have no other one in LD_LIBRARY_PATH.";
}

const TorchBackend& torch_backend() {
  static const TorchBackend& backend = load();
  return backend;
}

}  // namespace sheaf

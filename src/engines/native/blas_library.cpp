// SPDX-License-Identifier: MIT
#include "engines/native/blas_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>
#include <system_error>

namespace sheaf {
namespace {

// The configuration of OpenBLAS if the library is OpenBLAS or forwards calls to it; otherwise empty.
std::string openblas_configuration(const char* library) {
  void* handle = dlopen(library, RTLD_NOW | RTLD_NOLOAD);
  if (handle == nullptr) return "";
  // dlsym() searches the library and its dependencies.
  const auto configuration = reinterpret_cast<const char* (*)()>(dlsym(handle, "openblas_get_config"));
  std::string text = configuration != nullptr ? configuration() : "";
  dlclose(handle);
  return text;
}

}  // namespace

std::string blas_library() {
  Dl_info found{};
  void* sgemm = dlsym(RTLD_DEFAULT, "sgemm_");
  if (sgemm == nullptr || dladdr(sgemm, &found) == 0 || found.dli_fname == nullptr) return "unknown";
  std::error_code failed;
  const auto resolved = std::filesystem::canonical(found.dli_fname, failed);
  const std::string file = failed ? std::string(found.dli_fname) : resolved.string();
  std::string configuration = openblas_configuration(found.dli_fname);
  while (!configuration.empty() && configuration.back() == ' ') configuration.pop_back();
  return configuration.empty() ? file : fmt::format("{} ({})", configuration, file);
}

}  // namespace sheaf

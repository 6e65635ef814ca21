// SPDX-License-Identifier: MIT
#include "engines/native/kernels/blas_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "core/error.hpp"
#include "engines/native/kernels/blas_memory.hpp"
#include "files/shared_library.hpp"

namespace sheaf {
namespace {

struct Blas {
  void* handle;
  BlasFunctions functions;
};

// dlsym() searches the library and its dependencies.
template <class Function>
void find_function(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
}

// RTLD_GLOBAL makes the symbols visible as if the program were linked to the library.
SharedLibrary load_blas() {
  SharedLibrary library;
  for (const char* name : {SHEAF_BLAS_FILE, SHEAF_BLAS_NAME}) {  // the file that was found at build time, or any other
    library = load_shared_library(name, RTLD_NOW | RTLD_GLOBAL);
    if (library.handle != nullptr) break;
  }
  return library;
}

Blas make_blas() {
  require_blas_memory();
  const SharedLibrary library = load_blas();
  require(library.handle != nullptr,
          fmt::format("the BLAS library cannot be loaded ({}). Install it (libopenblas0-openmp on Debian).",
                      library.problem));
  Blas blas{library.handle, {}};
  BlasFunctions& found = blas.functions;
  find_function(blas.handle, "sgemm_", found.of_floats.gemm);
  find_function(blas.handle, "sgemv_", found.of_floats.gemv);
  find_function(blas.handle, "dgemm_", found.of_doubles.gemm);
  find_function(blas.handle, "dgemv_", found.of_doubles.gemv);
  find_function(blas.handle, "omp_set_num_threads", found.set_threads);
  require(found.of_floats.gemm && found.of_floats.gemv && found.of_doubles.gemm && found.of_doubles.gemv,
          SHEAF_BLAS_NAME
          " is not a BLAS library (it has no functions for products). Install another one "
          "(libopenblas0-openmp on Debian).");
  return blas;
}

const Blas& loaded_blas() {
  static const Blas blas = make_blas();
  return blas;
}

}  // namespace

const BlasFunctions& blas_functions() {
  return loaded_blas().functions;
}

std::string blas_library() try {
  const Blas& blas = loaded_blas();
  Dl_info found{};
  if (dladdr(reinterpret_cast<void*>(blas.functions.of_floats.gemm), &found) == 0 || found.dli_fname == nullptr)
    return "unknown";
  std::error_code failed;
  const auto resolved = std::filesystem::canonical(found.dli_fname, failed);
  const std::string file = failed ? std::string(found.dli_fname) : resolved.string();
  const char* (*openblas_configuration)() = nullptr;  // if it is OpenBLAS, or forwards calls to it
  find_function(blas.handle, "openblas_get_config", openblas_configuration);
  std::string configuration = openblas_configuration != nullptr ? openblas_configuration() : "";
  while (!configuration.empty() && configuration.back() == ' ') configuration.pop_back();
  return configuration.empty() ? file : fmt::format("{} ({})", configuration, file);
} catch (const RunError&) {
  return "cannot be loaded";
}

}  // namespace sheaf

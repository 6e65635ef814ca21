// SPDX-License-Identifier: MIT
#include "engines/xgboost/xgboost_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <new>

#include "core/error.hpp"
#include "core/text.hpp"
#include "files/shared_library.hpp"

namespace sheaf {
namespace {

constexpr const char* advice = "Install XGBoost's library (libxgboost0 on Debian), version 1.7 or later.";

template <class Function>
bool find_function(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

XgboostFunctions load() {
  SharedLibrary library;
  std::string problem;
  for (const char* name : {"libxgboost.so.0", "libxgboost.so"}) {
    library = load_shared_library(name, RTLD_NOW | RTLD_LOCAL);
    if (library.handle != nullptr) break;
    if (problem.empty()) problem = library.problem;
  }
  require(library.handle != nullptr,
          [&] { return fmt::format("boosted trees need XGBoost, which cannot be loaded ({}). {}", problem, advice); });
  XgboostFunctions found{};
  const auto find = [&](const char* name, auto& function) { return find_function(library.handle, name, function); };
  const bool is_complete =
      find("XGBGetLastError", found.last_error) && find("XGBoostVersion", found.version) &&
      find("XGDMatrixCreateFromDense", found.create_matrix) && find("XGDMatrixFree", found.free_matrix) &&
      find("XGDMatrixSetInfoFromInterface", found.set_matrix_info) &&
      find("XGDMatrixSetStrFeatureInfo", found.set_matrix_texts) && find("XGBoosterCreate", found.create_booster) &&
      find("XGBoosterFree", found.free_booster) && find("XGBoosterSetParam", found.set_parameter) &&
      find("XGBoosterUpdateOneIter", found.update) && find("XGBoosterPredictFromDMatrix", found.predict) &&
      find("XGBoosterSlice", found.slice) && find("XGBoosterSaveModelToBuffer", found.save) &&
      find("XGBoosterLoadModelFromBuffer", found.load);
  require(is_complete,
          [&] { return fmt::format("the library of XGBoost is too old (a function is missing). {}", advice); });
  return found;
}

// The first line, without "[09:30:12] file.cc:123: " in front.
std::string first_line(std::string text) {
  text = text.substr(0, text.find('\n'));
  if (text.rfind('[', 0) == 0)
    if (const std::size_t end = text.find(": "); end != std::string::npos) text = text.substr(end + 2);
  return printable(text);
}

}  // namespace

const XgboostFunctions& xgboost() {
  static const XgboostFunctions functions = load();
  return functions;
}

std::string xgboost_version() {
  int major = 0, minor = 0, patch = 0;
  xgboost().version(&major, &minor, &patch);
  return fmt::format("{}.{}.{}", major, minor, patch);
}

void require_xgboost(int code) {
  if (code == 0) return;
  const std::string problem = first_line(xgboost().last_error());
  if (problem.find("bad_alloc") != std::string::npos) throw std::bad_alloc();
  throw RunError("XGBoost: " + problem);
}

}  // namespace sheaf

// SPDX-License-Identifier: MIT
#include "core/shared_library.hpp"

#include <dlfcn.h>

#include <exception>
#include <map>
#include <mutex>

#include "core/error.hpp"

namespace sheaf {
namespace {

// dlopen is declared noexcept, so an exception of a static initialiser would end in std::terminate. Through a pointer
// it reaches the caller; volatile hides from the compiler that the pointer is dlopen's.
void* (*volatile const open_library)(const char* file, int flags) = dlopen;

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

}  // namespace

SharedLibrary load_shared_library(const std::string& file, int flags) {
  static std::mutex one_at_a_time;
  static std::map<std::string, std::string> half_initialised;
  const std::lock_guard lock(one_at_a_time);
  const auto known = half_initialised.find(file);
  if (known != half_initialised.end()) return {nullptr, known->second};
  try {
    if (void* library = open_library(file.c_str(), flags)) return {library, ""};
    return {nullptr, first_line(dlerror())};
  } catch (const std::exception& error) {
    return {nullptr, half_initialised[file] = first_line(message_of(error))};
  }
}

}  // namespace sheaf

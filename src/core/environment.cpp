// SPDX-License-Identifier: MIT
#include "core/environment.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "core/text.hpp"

namespace sheaf {
namespace {

// Variables of OpenMP libraries that remain. The first three are checked below.
constexpr std::string_view kept[] = {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT",       "OMP_THREAD_LIMIT",
                                     "KMP_BLOCKTIME",   "KMP_DUPLICATE_LIB_OK", "OMP_DISPLAY_ENV",
                                     "OMP_TOOL",        "OMP_TOOL_LIBRARIES"};
constexpr std::string_view blas_threads[] = {"MKL_NUM_THREADS", "MKL_DOMAIN_NUM_THREADS",
                                             "MKL_DYNAMIC",     "BLIS_NUM_THREADS",
                                             "BLIS_JC_NT",      "BLIS_PC_NT",
                                             "BLIS_IC_NT",      "BLIS_JR_NT",
                                             "BLIS_IR_NT"};

// Turns of libgomp's waiting loop before a thread sleeps. It takes about 10 microseconds, so that the next parallel
// section soon after the last one does not have to wake the threads.
constexpr const char* turns_before_sleep = "1000";

// Eight buffers of 4 MiB for each stream.
constexpr const char* cublas_workspace = ":4096:8";

template <class Names>
bool contains(const Names& names, std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

bool begins_with(std::string_view text, std::string_view begin) {
  return text.substr(0, begin.size()) == begin;
}

bool decides_threads(std::string_view name) {
  const bool is_of_openmp = begins_with(name, "OMP_") || begins_with(name, "GOMP_") || begins_with(name, "KMP_");
  return (is_of_openmp && !contains(kept, name)) || contains(blas_threads, name);
}

// A positive number of at most nine digits. Libraries print a warning for other values.
bool is_count(const std::string& text) {
  return !text.empty() && text.size() <= 9 && text.find_first_not_of("0123456789") == text.npos &&
         text.find_first_not_of('0') != text.npos;
}

bool is_wait_policy(const std::string& text) {
  const std::string policy = lower_case(text);
  return policy == "active" || policy == "passive";
}

}  // namespace

std::map<std::string, std::optional<std::string>> environment_changes(const Environment& environment) {
  std::map<std::string, std::optional<std::string>> changes;
  for (const auto& [name, value] : environment)
    if (decides_threads(name)) changes[name] = std::nullopt;
  changes["OMP_NUM_THREADS"] = "1";
  const auto is_usable = [&](const char* name, bool (*is_valid)(const std::string&)) {
    const auto found = environment.find(name);
    if (found == environment.end()) return false;
    if (!is_valid(found->second)) changes[name] = std::nullopt;
    return is_valid(found->second);
  };
  is_usable("OMP_THREAD_LIMIT", is_count);
  const bool has_spin_count = is_usable("GOMP_SPINCOUNT", is_count);
  if (!is_usable("OMP_WAIT_POLICY", is_wait_policy) && !has_spin_count) {
    changes["OMP_WAIT_POLICY"] = "passive";
    changes["GOMP_SPINCOUNT"] = turns_before_sleep;
  }
  const auto components = environment.find("HWLOC_COMPONENTS");
  if (components == environment.end() || components->second.empty())
    changes["HWLOC_COMPONENTS"] = "-opencl";
  else if (components->second.find("opencl") == std::string::npos)
    changes["HWLOC_COMPONENTS"] = components->second + ",-opencl";
  if (environment.count("CUBLAS_WORKSPACE_CONFIG") == 0) changes["CUBLAS_WORKSPACE_CONFIG"] = cublas_workspace;
  return changes;
}

void prepare_environment() {
  Environment environment;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const std::size_t equals = text.find('=');
    if (equals != text.npos) environment[text.substr(0, equals)] = text.substr(equals + 1);
  }
  for (const auto& [name, value] : environment_changes(environment)) {
    if (value)
      ::setenv(name.c_str(), value->c_str(), 1);
    else
      ::unsetenv(name.c_str());
  }
}

}  // namespace sheaf

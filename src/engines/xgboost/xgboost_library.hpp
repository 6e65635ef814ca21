// The loader of XGBoost's C library. Models without trees never load it, and the program runs without it.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

namespace sheaf {

/// Functions of XGBoost's C interface with the types of its header, xgboost/c_api.h (since version 1.7). They return 0,
/// or another value after an error, whose text last_error() returns in the same thread.
struct XgboostFunctions {
  const char* (*last_error)();
  void (*version)(int* major, int* minor, int* patch);
  int (*create_matrix)(const char* data, const char* config, void** matrix);
  int (*free_matrix)(void* matrix);
  int (*set_matrix_info)(void* matrix, const char* field, const char* data);
  int (*set_matrix_texts)(void* matrix, const char* field, const char** texts, std::uint64_t count);
  int (*create_booster)(void* const matrices[], std::uint64_t count, void** booster);
  int (*free_booster)(void* booster);
  int (*set_parameter)(void* booster, const char* name, const char* value);
  int (*update)(void* booster, int iteration, void* matrix);
  int (*predict)(void* booster, void* matrix, const char* config, const std::uint64_t** shape,
                 std::uint64_t* dimensions, const float** outputs);
  int (*slice)(void* booster, int begin, int end, int step, void** rounds);
  int (*save)(void* booster, const char* config, std::uint64_t* size, const char** bytes);
  int (*load)(void* booster, const void* bytes, std::uint64_t size);
};

/// The first call loads the library. Throws RunError if there is none. Local, thread-safe.
const XgboostFunctions& xgboost();

/// Such as "1.7.4". Throws as xgboost().
std::string xgboost_version();

/// Throws RunError with the last error of this thread unless `code` is 0, or std::bad_alloc if memory has run out.
void require_xgboost(int code);

}  // namespace sheaf

// The program and the machine of a rank: what decides the last bits of its results, besides study, data and version.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace sheaf {

/// Texts are escaped(), since journals are UTF-8.
struct Platform {
  std::string build;                      ///< build_id()
  std::string native_engine;              ///< instruction set and library for products
  std::optional<std::string> libtorch{};  ///< version, instruction set and BLAS; nullopt: the job does not use LibTorch
  std::int64_t threads = 1;               ///< per lane
  std::optional<std::string> xgboost{};   ///< version; nullopt: the job trains no trees

  bool operator==(const Platform& other) const {
    return build == other.build && native_engine == other.native_engine && libtorch == other.libtorch &&
           threads == other.threads && xgboost == other.xgboost;
  }
};

}  // namespace sheaf

// The program and the machine of a rank: what decides the last bits of its results, besides study, data and version.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace sheaf {

/// Texts are escaped(), since journals are UTF-8.
struct Platform {
  std::string build;                             ///< build_id()
  std::map<std::string, std::string> engines{};  ///< EngineServices::platform() by platform_key: of the native engine,
                                                 ///< and of others if the job uses them
  std::int64_t threads = 1;                      ///< per lane
  std::optional<std::string> gpu{};              ///< name of the GPU that the rank uses

  /// platform() of the engine with this key; no value if the job does not use it.
  std::optional<std::string> engine(std::string_view key) const {
    const auto found = engines.find(std::string(key));
    return found != engines.end() ? std::optional(found->second) : std::nullopt;
  }

  bool operator==(const Platform& other) const {
    return build == other.build && engines == other.engines && threads == other.threads && gpu == other.gpu;
  }
};

}  // namespace sheaf

// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

namespace sheaf {

/// The host, device and lanes of one rank, for the log and the table /ranks of results.h5.
struct RankInfo {
  std::string host;
  std::string device;  ///< "cpu", "cuda:0 NVIDIA H200", or both, joined by "and"
  std::int64_t cores = 0;
  std::int64_t lanes = 0;
  std::int64_t threads = 0;
  std::string note;
};

}  // namespace sheaf

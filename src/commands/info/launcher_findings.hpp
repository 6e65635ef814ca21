// Checks of MPI and of the launcher. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "commands/info/finding.hpp"
#include "parallel/mpi/launcher.hpp"

namespace sheaf {

/// The transports of Open MPI whose components are loaded, from the text of /proc/self/maps: for example "shared
/// memory" and "TCP". Empty for a library without such components.
std::vector<std::string> transports_in(const std::string& maps);

struct MpiFacts {
  std::string version;                     ///< "Open MPI v4.1.4"
  std::int64_t ranks = 1;                  ///< that MPI connects
  std::int64_t hosts = 1;                  ///<
  std::optional<std::int64_t> launched{};  ///< processes of the job according to the launcher
  std::vector<std::string> transports{};   ///< loaded ones, if known
};
Finding mpi_finding(const MpiFacts& facts);

struct SignalFacts {
  Launcher launcher = Launcher::none;
  bool opencl_may_replace_handlers = false;  ///< an OpenCL runtime is installed, and hwloc may load it into mpirun
};
Finding signal_finding(const SignalFacts& facts);

}  // namespace sheaf

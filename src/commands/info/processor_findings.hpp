// Checks of cores, threads, GPUs and the libraries that compute. Their texts do not name hosts, so that equal hosts
// share a line. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "commands/info/finding.hpp"
#include "engines/used_engines.hpp"

namespace sheaf {

/// The cores of the ranks on one host.
struct BindingFacts {
  std::int64_t ranks = 1;          ///< on this host
  std::int64_t used_cores = 1;     ///< to which at least one of them is bound
  std::int64_t machine_cores = 1;  ///< that the host, or the control group, has
  bool launched = false;           ///< by mpirun, srun or another launcher
};
Finding binding_finding(const BindingFacts& facts);

/// The limits on the threads of the ranks on one host.
struct ThreadFacts {
  std::int64_t cores = 1;                    ///< to which this rank is bound
  std::int64_t needed = 1;                   ///< threads of all ranks of the host
  std::vector<std::string> ignored{};        ///< variables with numbers of threads, which Sheaf removes
  std::optional<std::int64_t> omp_limit{};   ///< OMP_THREAD_LIMIT
  std::optional<std::int64_t> user_limit{};  ///< ulimit -u, unless the user is root
};
Finding thread_finding(const ThreadFacts& facts);

struct GpuFacts {
  std::int64_t ranks = 1;        ///< on this host
  std::int64_t usable = 0;       ///< GPUs that this rank could train on
  std::string none_reason;       ///< if none is usable
  bool machine_has_gpu = false;  ///< with a driver
};
Finding gpu_finding(const GpuFacts& facts);

/// The library of an engine (EngineLibrary) on this rank.
struct LibraryFacts {
  std::string name;                    ///< such as "LibTorch"
  std::optional<std::string> version;  ///< for example "1.13.0"; nullopt if it is not installed, or
  std::optional<std::string> problem;  ///< if it is installed but cannot be loaded: sentences
};
Finding library_finding(const LibraryFacts& facts);

/// `speed`: of matrix products on one core.
Finding blas_finding(const ProductSpeed& speed);

}  // namespace sheaf

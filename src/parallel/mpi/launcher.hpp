// Interaction with the launcher, the process that started this rank.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace sheaf {

/// Returns the rank that a launcher assigned to this process, as text, or nullopt without a launcher. Local.
std::optional<std::string> launched_rank();

/// Returns the number of processes that the launcher started for this job, or nullopt if it does not say. Differs from
/// the size of MPI's world if the launcher belongs to another MPI. Local.
std::optional<std::int64_t> launched_size();

/// The kinds of launchers. open_mpi: mpirun, also within a Slurm job; slurm: srun.
enum class Launcher { none, open_mpi, slurm, other };

/// Returns the launcher of this process. Local.
Launcher find_launcher();

/// Call this before aborting a job whose other hosts are unreachable. Open MPI's launchers (mpirun; orted or prted on
/// the other hosts) would wait for each other until TCP gives up, a quarter of an hour on Linux. Therefore this
/// function starts a process that waits for `patience`. If the launcher still runs then, the process closes the
/// launcher's connections to other hosts, as TCP would do later, and mpirun returns the exit code of the abort (1 with
/// Open MPI 5). If Linux does not allow that (ptrace(2), "Ptrace access mode checking"), it kills the launcher. The
/// launcher is the nearest ancestor of this process that runs one of Open MPI's programs. Has no effect under other
/// launchers and on Linux before 5.6. Local.
void release_launcher_after(std::chrono::seconds patience = std::chrono::seconds(2));

}  // namespace sheaf

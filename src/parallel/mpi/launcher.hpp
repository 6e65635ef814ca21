// The process that started this rank.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace sheaf {

/// The rank that a launcher gave this process, as text; nothing where no launcher started it. Local.
std::optional<std::string> launched_rank();

/// For a job that is about to be aborted because hosts are out of reach. Open MPI's launchers (mpirun; orted or prted
/// on the other hosts) then wait for each other until TCP gives up, a quarter of an hour on Linux. So this starts a
/// process that waits for `patience`; if the launcher still runs then, it closes the launcher's connections to other
/// hosts, as TCP would have done, and mpirun returns the exit code of the abort (with Open MPI 5: 1). Where Linux does
/// not allow that (ptrace(2), "Ptrace access mode checking"), it kills the launcher. The launcher is the nearest
/// ancestor of this process that runs one of Open MPI's. Does nothing under other launchers and on Linux before 5.6.
/// Local.
void release_launcher_after(std::chrono::seconds patience = std::chrono::seconds(2));

}  // namespace sheaf

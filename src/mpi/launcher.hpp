// The process that started this rank.
// SPDX-License-Identifier: MIT
#pragma once

namespace sheaf {

/// For a job that is about to be aborted because hosts are out of reach. Open MPI's launchers (mpirun; orted on the
/// other hosts) then wait for each other until TCP gives up, a quarter of an hour on Linux. So a process of its own,
/// which this starts, waits for `seconds`; if the launcher is still there, it closes the launcher's connections to
/// other hosts, as TCP would have done, and mpirun returns the exit code of the abort. Where Linux does not allow that
/// (ptrace(2), "Ptrace access mode checking"), it kills the launcher. Does nothing under other launchers and
/// on Linux before 5.6. Local.
void release_launcher_after(int seconds = 2);

}  // namespace sheaf

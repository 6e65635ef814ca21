// A test of file locks in the current directory, also between the hosts of a job.
// SPDX-License-Identifier: MIT
#pragma once

#include "parallel/mpi/communicator.hpp"

namespace sheaf {

/// The result on a host. Errors are numbers of the system (errno); 0: none.
struct LockProbe {
  int create_error = 0;      ///< rank 0 cannot create a file
  bool is_visible = true;    ///< the host has the file of rank 0
  int lock_error = 0;        ///< flock() does not work
  bool is_exclusive = true;  ///< the host cannot lock what rank 0 has locked
};

/// Creates and locks a temporary file on rank 0, in its current directory. The first rank of each other host tries to
/// lock it; the ranks of a host have the same result. Throws AgreedError if a rank has no current directory. Collective
/// over world.
LockProbe probe_locks(const Communicator& world);

}  // namespace sheaf

// The job of `sheaf verify`: trains a sample of a run again and compares the results.
// SPDX-License-Identifier: MIT
#pragma once

#include "commands/train/verify/stored_sample.hpp"
#include "core/error.hpp"
#include "parallel/mpi/communicator.hpp"
#include "study/study.hpp"

namespace sheaf {

/// `study`: the stored study of the run in its run.output, which perhaps a job still trains. Prints the report on
/// stdout of rank 0. Reads the run directory only, without a lock. Returns the same code on every rank: done if all
/// results agree, failed if one differs, stopped if a signal or the time limit stopped the job before. Throws
/// AgreedError, with the code usage if no iteration can be compared or the data or model files have changed. Collective
/// over world.
ExitCode verify_run(const Study& study, const SampleSize& size, const Communicator& world);

}  // namespace sheaf

// The main job: a study trained over all ranks, its final losses gathered on rank 0.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "mpi/communicator.hpp"
#include "options/study.hpp"

namespace sheaf {

/// Trains every iteration of the study, writes the run directory and prints the summary on stdout of rank 0.
/// `command_line` goes into the provenance. Everything is checked before the run directory is made. Throws AgreedError
/// on every rank alike; a rank that fails alone in mid-run ends the whole job at once with exit code 1. Collective over
/// world.
void execute_run(const Study& study, const std::string& command_line, const Communicator& world);

}  // namespace sheaf

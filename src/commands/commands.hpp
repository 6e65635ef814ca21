// The commands of the program, one file each. All are collective over world and throw AgreedError on every rank alike.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "core/error.hpp"
#include "mpi/communicator.hpp"

namespace sheaf {

/// `words`: what follows the command's name.
struct CommandCall {
  std::vector<std::string> words;
  std::string command_line;  ///< the whole of it, for the provenance
};

/// sheaf run STUDY.cfg [--resume [--force]] [--key=value ...]: trains the study, or the rest of it.
ExitCode run_command(const CommandCall& call, const Communicator& world);

/// sheaf resume RUN_DIR [--force] [--key=value ...]: trains what a run has left.
ExitCode resume_command(const CommandCall& call, const Communicator& world);

/// sheaf plan STUDY.cfg [--key=value ...]: what would be run; trains and writes nothing.
void plan_command(const CommandCall& call, const Communicator& world);

/// sheaf evaluate MODEL --data.file=F.h5 [--key=value ...]: loss, score and predictions of a trained model.
void evaluate_command(const CommandCall& call, const Communicator& world);

/// sheaf import FILE... OUT.h5 [--key=value ...]: makes a data file of CSV, NumPy or image files. Rank 0 works.
void import_command(const CommandCall& call, const Communicator& world);

/// sheaf preprocess IN.h5 OUT.h5 [--key=value ...]: a data file with its features resized, scaled, cast. All ranks
/// work.
void preprocess_command(const CommandCall& call, const Communicator& world);

/// sheaf info: ranks, hosts, devices, libraries and their rough speed.
void info_command(const CommandCall& call, const Communicator& world);

}  // namespace sheaf

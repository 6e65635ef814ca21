// The command that submits a study to Slurm with a script of jobs/.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "commands/train/job_shape.hpp"
#include "study/parse_study.hpp"

namespace sheaf {

/// The path of a script of jobs/: of the repository or the installation to which the program file `program` belongs.
/// Only its name if it is in neither. Local.
std::string job_script(const std::string& name, const std::string& program);

/// A study on the command line: its file, the keys that the command line sets, and run.output of the study, if set.
struct SubmittedStudy {
  std::string file;
  std::vector<Assignment> keys;
  std::string output;
};

/// "STUDY=my.cfg sbatch --nodes=1 --ntasks-per-node=2 --cpus-per-task=8 --time=00:10:00 jobs/cpu.sbatch". The scripts
/// read run.output and run.device from OUTPUT and DEVICE. `seconds`: the time limit; nullopt: that of the script. Pure.
std::string submit_line(const SubmittedStudy& study, const JobShape& shape, std::optional<std::int64_t> seconds,
                        const std::string& script);

}  // namespace sheaf

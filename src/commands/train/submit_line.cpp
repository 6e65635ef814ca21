// SPDX-License-Identifier: MIT
#include "commands/train/submit_line.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "core/escaped.hpp"

namespace sheaf {

std::string job_script(const std::string& name, const std::string& program) {
  const auto folder = std::filesystem::path(program).parent_path();
  for (const char* jobs : {"../share/sheaf/jobs", "../../jobs"}) {
    std::error_code failed;
    const auto path = (folder / jobs / name).lexically_normal();
    if (std::filesystem::exists(path, failed)) return path.string();
  }
  return name;
}

std::string submit_line(const SubmittedStudy& study, const JobShape& shape, std::optional<std::int64_t> seconds,
                        const std::string& script) {
  std::string variables = "STUDY=" + shell_word(study.file) + " OUTPUT=" + shell_word(study.output), keys;
  for (const auto& [key, text] : study.keys) {
    if (key == "run.output") continue;
    if (key == "run.device" && shape.gpus_per_node > 0)
      variables += " DEVICE=" + shell_word(text);
    else
      keys += " " + shell_word(fmt::format("--{}={}", key, text));
  }
  std::string line = fmt::format("{} sbatch --nodes={} --ntasks-per-node={} --cpus-per-task={}", variables, shape.nodes,
                                 shape.tasks_per_node, shape.cpus_per_task);
  if (shape.gpus_per_node > 0) line += fmt::format(" --gpus-per-node={}", shape.gpus_per_node);
  if (seconds) line += fmt::format(" --time={}", slurm_time(*seconds));
  return line + " " + shell_word(script) + keys;
}

}  // namespace sheaf

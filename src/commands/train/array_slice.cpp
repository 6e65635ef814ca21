// SPDX-License-Identifier: MIT
#include "commands/train/array_slice.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>

#include "core/error.hpp"

namespace sheaf {
namespace {

// The text as a 32-bit integer; -1 if it is not one.
std::int64_t number_of(const std::string& text) {
  std::int32_t value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && stop == text.data() + text.size() ? value : -1;
}

}  // namespace

SlurmArray slurm_array() {
  const auto value = [](const char* name) {
    const char* text = std::getenv(name);
    return std::string(text ? text : "");
  };
  return {value("SLURM_ARRAY_TASK_ID"), value("SLURM_ARRAY_TASK_MIN"), value("SLURM_ARRAY_TASK_MAX"),
          value("SLURM_ARRAY_TASK_COUNT"), value("SLURM_ARRAY_TASK_STEP")};
}

ArraySlice choose_slice(const ArrayTask& option, const SlurmArray& slurm) {
  if (option.kind == ArrayTask::Kind::fixed) return {option.task, option.tasks};
  if (option.kind == ArrayTask::Kind::none || slurm.id.empty()) return {};
  const std::int64_t id = number_of(slurm.id), min = number_of(slurm.min), max = number_of(slurm.max);
  const std::int64_t count = number_of(slurm.count), step = slurm.step.empty() ? 1 : number_of(slurm.step);
  const bool even = min >= 0 && count > 0 && step > 0 && max == min + (count - 1) * step;
  if (!even || id < min || id > max || (id - min) % step != 0)
    throw UsageError(
        fmt::format("the tasks of this Slurm array are not numbered evenly (SLURM_ARRAY_TASK_ID = {}, _MIN = {}, "
                    "_MAX = {}, _COUNT = {}, _STEP = {}). Submit a range such as --array=0-9, or set run.array = K/N.",
                    slurm.id, slurm.min, slurm.max, slurm.count, slurm.step));
  return {(id - min) / step, count};
}

}  // namespace sheaf

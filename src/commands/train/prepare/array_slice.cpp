// SPDX-License-Identifier: MIT
#include "commands/train/prepare/array_slice.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <sstream>
#include <utility>

#include "core/error.hpp"

namespace sheaf {
namespace {

// The text as a 32-bit integer; -1 if it is not one.
std::int64_t number_of(const std::string& text) {
  std::int32_t value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && stop == text.data() + text.size() ? value : -1;
}

// Whether the array has a task with this id.
bool has_task(const ArrayNumbering& array, std::int64_t id) {
  const std::int64_t distance = id - array.first_id;
  return distance >= 0 && distance % array.step == 0 && distance / array.step < array.tasks;
}

ArraySlice slice_with(std::int64_t id, const ArrayNumbering& array) {
  return {(id - array.first_id) / array.step, array.tasks, array.first_id, array.step};
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

std::string numbering_text(const ArrayNumbering& numbering) {
  return fmt::format("first = {}\nstep = {}\ntasks = {}\n", numbering.first_id, numbering.step, numbering.tasks);
}

std::optional<ArrayNumbering> parse_numbering(const std::string& text) {
  ArrayNumbering numbering;
  std::istringstream lines(text);
  for (auto [name, value] :
       {std::pair("first", &numbering.first_id), {"step", &numbering.step}, {"tasks", &numbering.tasks}}) {
    std::string found, equals;
    if (!(lines >> found >> equals >> *value) || found != name || equals != "=") return std::nullopt;
  }
  const bool is_valid = numbering.first_id >= 0 && numbering.step > 0 && numbering.tasks > 0;
  return is_valid ? std::optional(numbering) : std::nullopt;
}

ArraySlice choose_slice(const ArrayTask& option, const SlurmArray& slurm, const std::optional<ArrayNumbering>& stored) {
  if (option.kind == ArrayTask::Kind::fixed) return {option.task, option.tasks};
  if (option.kind == ArrayTask::Kind::none || slurm.id.empty()) return {};
  const std::int64_t id = number_of(slurm.id), min = number_of(slurm.min), max = number_of(slurm.max);
  if (stored && has_task(*stored, id) && has_task(*stored, min) && has_task(*stored, max))
    return slice_with(id, *stored);
  const std::int64_t count = number_of(slurm.count), step = slurm.step.empty() ? 1 : number_of(slurm.step);
  const bool even = min >= 0 && count > 0 && step > 0 && max == min + (count - 1) * step;
  const ArrayNumbering numbering{min, step, count};
  if (!even || !has_task(numbering, id))
    throw UsageError(
        fmt::format("the tasks of this Slurm array are not numbered evenly (SLURM_ARRAY_TASK_ID = {}, _MIN = {}, "
                    "_MAX = {}, _COUNT = {}, _STEP = {}). Submit a range such as --array=0-9, or set run.array = K/N.",
                    slurm.id, slurm.min, slurm.max, slurm.count, slurm.step));
  return slice_with(id, numbering);
}

}  // namespace sheaf

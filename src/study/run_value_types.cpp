// SPDX-License-Identifier: MIT
#include "study/run_value_types.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "study/value_parsing.hpp"

namespace sheaf {
namespace {

constexpr std::int64_t max_tasks = 1000000;
constexpr std::int64_t max_stack_mib = std::int64_t{1} << 40;

constexpr std::pair<char, std::int64_t> time_units[] = {{'d', 86400}, {'h', 3600}, {'m', 60}, {'s', 1}};
constexpr std::int64_t longest_time = 10LL * 365 * 86400;

// Adds `count` units to `seconds`. Returns false if the sum would exceed the longest time.
bool add_time(std::int64_t& seconds, std::int64_t count, std::int64_t unit) {
  if (count > (longest_time - seconds) / unit) return false;
  seconds += count * unit;
  return true;
}

// Parses a time as in Slurm: [[days-]hours:]minutes:seconds, days-hours or days-hours:minutes. As in Slurm, the numbers
// have no upper limit: 90:00 is an hour and a half.
std::optional<std::int64_t> read_slurm_time(const std::string& text) {
  const std::size_t dash = text.find('-');
  const bool has_days = dash != text.npos;
  std::vector<std::string> fields(1);
  for (const char letter : has_days ? text.substr(dash + 1) : text) {
    if (letter == ':')
      fields.emplace_back();
    else
      fields.back() += letter;
  }
  if (fields.size() > 3) return std::nullopt;
  const std::int64_t units[] = {3600, 60, 1};
  const std::size_t first_unit = has_days ? 0 : 3 - fields.size();
  std::int64_t seconds = 0;
  if (has_days) {
    const auto days = integer_between(text.substr(0, dash), 0, longest_time);
    if (!days || !add_time(seconds, *days, 86400)) return std::nullopt;
  }
  for (std::size_t field = 0; field < fields.size(); ++field) {
    const auto count = integer_between(fields[field], 0, longest_time);
    if (!count || !add_time(seconds, *count, units[first_unit + field])) return std::nullopt;
  }
  return seconds > 0 ? std::optional(seconds) : std::nullopt;
}

// Parses a time: as in Slurm, or such as "1h30m": numbers with units in descending order. The unit "s" of the last
// number is optional.
std::optional<std::int64_t> read_seconds(const std::string& any_case) {
  const std::string text = lower_case(any_case);
  if (text.find_first_of(":-") != text.npos) return read_slurm_time(text);
  std::int64_t seconds = 0;
  std::int64_t last_unit = longest_time;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find_first_not_of("0123456789", begin), text.size());
    const auto value = integer_between(text.substr(begin, end - begin), 0, longest_time);
    const char letter = end < text.size() ? text[end] : 's';
    const auto* unit = std::find_if(std::begin(time_units), std::end(time_units),
                                    [letter](const auto& entry) { return entry.first == letter; });
    if (!value || unit == std::end(time_units) || unit->second >= last_unit) return std::nullopt;
    last_unit = unit->second;
    if (!add_time(seconds, *value, last_unit)) return std::nullopt;
    begin = end + 1;
  }
  return seconds > 0 ? std::optional(seconds) : std::nullopt;
}

std::optional<TimeLimit> read_time_limit(const std::string& text) {
  if (is_keyword(text, "auto")) return TimeLimit{};
  if (is_keyword(text, "none")) return TimeLimit{TimeLimit::Kind::none, 0};
  const auto seconds = read_seconds(text);
  return seconds ? std::optional(TimeLimit{TimeLimit::Kind::seconds, *seconds}) : std::nullopt;
}

template <class Number>
ValueType<Number> with_times(ValueType<Number> type) {
  type.values += ", or a time such as 90s or 1:30:00";
  type.allowed += ", or a time such as 90s, 45m, 1h30m or 1:30:00";
  type.read = [read = type.read](const std::string& text) {
    const auto value = read(text);
    const auto seconds = value ? std::nullopt : read_seconds(text);
    return seconds ? read(fmt::format("{}", *seconds)) : value;
  };
  return type;
}

std::string time_limit_text(const TimeLimit& limit) {
  if (limit.kind == TimeLimit::Kind::by_slurm) return "auto";
  return limit.kind == TimeLimit::Kind::none ? "none" : fmt::format("{}s", limit.seconds);
}

std::optional<ArrayTask> read_array_task(const std::string& text) {
  if (is_keyword(text, "auto")) return ArrayTask{ArrayTask::Kind::by_slurm, 0, 1};
  if (is_keyword(text, "none")) return ArrayTask{};
  const std::size_t slash = std::min(text.find('/'), text.size());
  const auto task = integer_between(text.substr(0, slash), 0, max_tasks - 1);
  const auto tasks = slash < text.size() ? integer_between(text.substr(slash + 1), 1, max_tasks) : std::nullopt;
  if (!task || !tasks || *task >= *tasks) return std::nullopt;
  return ArrayTask{ArrayTask::Kind::fixed, *task, *tasks};
}

std::optional<StackSize> read_stack_size(const std::string& text) {
  const std::string separator = " in ", unit = " MiB";
  const std::size_t end = text.find(separator);
  StackSize size;
  const auto most = integer_between(text.substr(0, end), 1, max_stack);
  if (!most) return std::nullopt;
  size.most = *most;
  if (end == std::string::npos) return size;
  const std::string memory = text.substr(end + separator.size());
  if (memory.size() <= unit.size() || memory.substr(memory.size() - unit.size()) != unit) return std::nullopt;
  const auto mib = integer_between(memory.substr(0, memory.size() - unit.size()), 1, max_stack_mib);
  if (!mib) return std::nullopt;
  size.memory_mib = *mib;
  return size;
}

std::string stack_size_text(const StackSize& size) {
  return size.memory_mib > 0 ? fmt::format("{} in {} MiB", size.most, size.memory_mib) : fmt::format("{}", size.most);
}

std::string array_task_text(const ArrayTask& array) {
  if (array.kind == ArrayTask::Kind::by_slurm) return "auto";
  return array.kind == ArrayTask::Kind::none ? "none" : fmt::format("{}/{}", array.task, array.tasks);
}

}  // namespace

ValueType<TimeLimit> time_limit() {
  ValueType<TimeLimit> type;
  type.values = "time, auto or none";
  type.allowed =
      "auto, none, or a time such as 90s, 45m, 1h30m, 1:30:00 or 2-12:00 (days-hours:minutes); a number alone is "
      "seconds";
  type.read = read_time_limit;
  type.write = time_limit_text;
  return type;
}

ValueType<std::int64_t> or_time(ValueType<std::int64_t> type) {
  return with_times(std::move(type));
}

ValueType<double> or_time(ValueType<double> type) {
  return with_times(std::move(type));
}

ValueType<StackSize> stack_size() {
  ValueType<StackSize> type;
  type.values = fmt::format("integer from 1 to {}", max_stack);
  type.allowed = type.values;
  type.read = read_stack_size;
  type.write = stack_size_text;
  return type;
}

ValueType<ArrayTask> array_task() {
  ValueType<ArrayTask> type;
  type.values = "K/N, auto or none";
  type.allowed = "none, auto, or K/N for task K of 0..N-1, such as 0/3, 1/3, 2/3";
  type.read = read_array_task;
  type.write = array_task_text;
  return type;
}

}  // namespace sheaf

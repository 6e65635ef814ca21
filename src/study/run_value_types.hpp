// The types of times, tasks of an array and sizes of stacks as setting values. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "study/run_options.hpp"
#include "study/value_types.hpp"

namespace sheaf {

/// A time (see below), `auto` or `none`.
ValueType<TimeLimit> time_limit();

/// `type`, a number of seconds, that also accepts a time: with units such as "90s", "45m", "2h", "1d" or "1h30m", or as
/// in Slurm, "minutes:seconds", "hours:minutes:seconds", "days-hours", "days-hours:minutes" or
/// "days-hours:minutes:seconds". A number alone has the unit seconds.
ValueType<std::int64_t> or_time(ValueType<std::int64_t> type);
ValueType<double> or_time(ValueType<double> type);

/// "N", the models that a lane trains together, or "N in M MiB": at most N, planned for this memory.
ValueType<StackSize> stack_size();

/// "K/N" for task K of 0..N-1; or `auto`; or `none`.
ValueType<ArrayTask> array_task();

}  // namespace sheaf

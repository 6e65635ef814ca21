// SPDX-License-Identifier: MIT
#include "report/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/text.hpp"

namespace sheaf {
namespace {

using Json = nlohmann::ordered_json;  // keeps the order of the members

std::int64_t microseconds(double seconds) {
  return std::llround(1e6 * seconds);
}

Json name_event(const char* what, std::int64_t process, std::int64_t thread, const std::string& name) {
  return {{"name", what}, {"ph", "M"}, {"pid", process}, {"tid", thread}, {"args", {{"name", name}}}};
}

// The threads of the parts of a lane have numbers of their own.
std::int64_t thread_of(const TimelineRow& row) {
  constexpr std::int64_t parts = 1000000;
  return row.part * parts + row.lane;
}

std::string row_name(const TimelineRow& row) {
  return row.part == 0 ? fmt::format("lane {}", row.lane) : fmt::format("lane {}, model {}", row.lane, row.part);
}

std::string text_of(const Json& event) {
  constexpr int one_line = -1;
  return event.dump(one_line, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string trace_json(const RunReport& report) {
  const Timeline& timeline = report.timeline;
  const Plan& plan = report.run.plan;
  std::string text = "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n";
  bool is_first = true;
  const auto add = [&](const Json& event) {
    text += (is_first ? "" : ",\n") + text_of(event);
    is_first = false;
  };
  std::int64_t ranks = 0;
  for (const TimelineRow& row : timeline.rows) ranks = std::max<std::int64_t>(ranks, row.rank + 1);
  for (std::size_t at = 0; at < timeline.rows.size(); ++at) {
    const TimelineRow& row = timeline.rows[at];
    if (at == 0 || timeline.rows[at - 1].rank != row.rank) {
      const auto rank = static_cast<std::size_t>(row.rank);
      const bool has_host = rank < report.stored.ranks.size();
      add(name_event("process_name", row.rank, 0,
                     has_host ? fmt::format("rank {} on {}", row.rank, printable(report.stored.ranks[rank].host))
                              : fmt::format("rank {}", row.rank)));
      add({{"name", "process_sort_index"},
           {"ph", "M"},
           {"pid", row.rank},
           {"tid", 0},
           {"args", {{"sort_index", row.rank}}}});
    }
    add(name_event("thread_name", row.rank, thread_of(row), row_name(row)));
  }
  add(name_event("process_name", ranks, 0, "jobs"));
  for (std::size_t job = 0; job < timeline.jobs.size(); ++job) {
    const TimelineJob& found = timeline.jobs[job];
    if (found.lanes == 0) continue;
    add({{"name", fmt::format("job {}", job + 1)},
         {"cat", "job"},
         {"ph", "X"},
         {"ts", microseconds(found.begin)},
         {"dur", microseconds(found.end) - microseconds(found.begin)},
         {"pid", ranks},
         {"tid", 0},
         {"args", {{"directory", report.run.attempts[job]}, {"lanes", found.lanes}}}});
  }
  for (const TrainedSpan& span : timeline.spans) {
    const TimelineRow& row = timeline.rows[span.row];
    const Iteration iteration = plan.iteration(span.iteration);
    // Both ends are rounded, so that spans of a lane do not overlap.
    const bool is_refit = plan.refit_iterations().has(span.iteration);
    add({{"name",
          is_refit ? fmt::format("refit of trial {}", iteration.trial) : fmt::format("iteration {}", span.iteration)},
         {"cat", status_name(span.status)},
         {"ph", "X"},
         {"ts", microseconds(span.begin)},
         {"dur", microseconds(span.end) - microseconds(span.begin)},
         {"pid", row.rank},
         {"tid", thread_of(row)},
         {"args",
          {{"iteration", span.iteration},
           {"refit", is_refit},
           {"stage", iteration.stage},
           {"trial", iteration.trial},
           {"repeat", iteration.repeat},
           {"fold", iteration.fold},
           {"member", iteration.member},
           {"data_seconds", span.data},
           {"validation_seconds", span.validation},
           {"wait_seconds", span.wait}}}});
  }
  return text + "\n]}\n";
}

}  // namespace sheaf

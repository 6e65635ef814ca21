// When the lanes of a run worked, from its results. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "training/iteration_result.hpp"

namespace sheaf {

/// A result and the job that trained it.
struct TimedResult {
  std::size_t job = 0;  ///< counts from 0
  IterationResult result;
};

/// A training in a row of the timeline.
struct TrainedSpan {
  std::size_t row = 0;
  std::int64_t iteration = 0;
  IterationStatus status = IterationStatus::finished;
  double begin = 0, end = 0;                  ///< seconds on the axis of the timeline
  double data = 0, validation = 0, wait = 0;  ///< seconds of the result
};

/// A lane; on streamed data, where a lane trains several models side by side, a part of it.
struct TimelineRow {
  std::int32_t rank = 0, lane = 0;
  std::int64_t part = 0;  ///< counts from 0
};

/// A job on the axis of the timeline: from its beginning to its end, if it has recorded how long it trained; otherwise
/// from its first training to the end of its last one.
struct TimelineJob {
  double begin = 0, end = 0;
  std::int64_t lanes = 0;  ///< that have trained
};

/// All jobs one after another, with gaps between them: how long the pauses were is not recorded. The jobs of an array,
/// which may have run at the same time, also follow each other.
struct Timeline {
  std::vector<TimelineRow> rows;   ///< by rank, lane and part
  std::vector<TrainedSpan> spans;  ///< by row, then begin; those of a row do not overlap
  std::vector<TimelineJob> jobs;   ///< some may have no results
  std::vector<double> ends;  ///< by result: the end of its training on the axis; without one, the begin of its job
  double seconds = 0;        ///< of all jobs, without the gaps
  double lane_seconds = 0;   ///< of all lanes of all jobs
  double idle_seconds = 0;   ///< of them, without a training

  double end() const { return jobs.empty() ? 0 : jobs.back().end; }
};

/// `job_seconds`: for each job, also those without results, how long it has recorded to have trained; nothing if it was
/// killed. Results that no lane has trained, such as pruned iterations, have no span.
Timeline timeline_of(const std::vector<TimedResult>& results, const std::vector<std::optional<double>>& job_seconds);

}  // namespace sheaf

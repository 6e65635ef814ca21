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

/// How a job ended. recorded: it has recorded its end; killed: it has not; none: it is at work.
enum class JobEnd { recorded, killed, none };

/// What is known of a job besides its results.
struct JobRecord {
  std::optional<double>
      seconds{};  ///< how long it has recorded to have trained, perhaps some time before it was killed
  JobEnd end = JobEnd::killed;
  std::int64_t lanes = 0;                    ///< 0: not known, those that have results
  std::optional<double> expected_seconds{};  ///< that it was expected to need for the whole run
};

/// A job on the axis of the timeline: from its beginning to its end, if it has recorded how long it trained; otherwise
/// from its first training to the end of its last one.
struct TimelineJob {
  double begin = 0, end = 0;
  std::int64_t lanes = 0;   ///< 0: it has not trained
  double tail_seconds = 0;  ///< lane-seconds after the end of the last training with a result in each lane
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

/// `jobs`: also those without results. Results that no lane has trained, such as pruned iterations, have no span.
Timeline timeline_of(const std::vector<TimedResult>& results, const std::vector<JobRecord>& jobs);

}  // namespace sheaf

// SPDX-License-Identifier: MIT
#include "report/timeline.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

namespace sheaf {
namespace {

constexpr double gap_share = 0.02;  // of the time of all jobs

bool has_span(const IterationResult& result) {
  return result.lane >= 0 && result.rank >= 0 && result.status != IterationStatus::pruned;
}

// The time of a job on its own clock.
struct Period {
  double begin = std::numeric_limits<double>::infinity(), end = 0;
  std::map<std::pair<std::int32_t, std::int32_t>, double> lanes;  // that have results, with the end of the last one
  std::int64_t lane_count = 0;  // also of those without results; 0: it has not trained

  double seconds() const { return lane_count == 0 ? 0 : end - begin; }
  double tail_seconds() const {
    double tail = static_cast<double>(lane_count - static_cast<std::int64_t>(lanes.size())) * seconds();
    for (const auto& [lane, last] : lanes) tail += end - last;
    return tail;
  }
};

// The periods of all jobs. A job that has recorded its time begins at 0.
std::vector<Period> periods_of(const std::vector<TimedResult>& results, const std::vector<JobRecord>& jobs) {
  std::vector<Period> periods(jobs.size());
  for (const auto& [job, result] : results) {
    if (!has_span(result)) continue;
    Period& period = periods[job];
    period.begin = std::min(period.begin, result.start_seconds);
    period.end = std::max(period.end, result.end_seconds());
    double& last = period.lanes[{result.rank, result.lane}];
    last = std::max(last, result.end_seconds());
  }
  for (std::size_t job = 0; job < jobs.size(); ++job) {
    Period& period = periods[job];
    const auto used = static_cast<std::int64_t>(period.lanes.size());
    if (used == 0 && !jobs[job].seconds) continue;
    period.lane_count = std::max(used, jobs[job].lanes);
    if (jobs[job].seconds) period.begin = 0;
    period.end = std::max(period.end, jobs[job].seconds.value_or(0));
  }
  return periods;
}

// A training on the axis, before it has a row.
struct Training {
  std::int32_t rank, lane;
  double begin, end;
  std::size_t result;

  bool operator<(const Training& other) const {
    return std::tie(rank, lane, begin, end, result) <
           std::tie(other.rank, other.lane, other.begin, other.end, other.result);
  }
};

// The trainings of one lane: [first, last).
using LaneOfTrainings = std::pair<std::size_t, std::size_t>;

std::vector<LaneOfTrainings> lanes_of(const std::vector<Training>& trainings) {
  std::vector<LaneOfTrainings> lanes;
  for (std::size_t begin = 0, end = 0; begin < trainings.size(); begin = end) {
    while (end < trainings.size() && trainings[end].rank == trainings[begin].rank &&
           trainings[end].lane == trainings[begin].lane)
      ++end;
    lanes.emplace_back(begin, end);
  }
  return lanes;
}

// Whether most trainings of a lane overlap: it trains several models side by side. Others may overlap a little, by the
// differences of clocks.
bool is_shared(const std::vector<Training>& trainings, const LaneOfTrainings& lane) {
  std::size_t overlaps = 0;
  for (std::size_t at = lane.first + 1; at < lane.second; ++at)
    if (trainings[at].begin < trainings[at - 1].end - 0.5 * (trainings[at].end - trainings[at].begin)) ++overlaps;
  return 2 * overlaps > lane.second - lane.first - 1;
}

// The time in which the lane trained. Models that are trained together have their shares of the lane's time.
double busy_seconds(const std::vector<Training>& trainings, const LaneOfTrainings& lane) {
  const bool shared = is_shared(trainings, lane);
  double busy = 0, until = -std::numeric_limits<double>::infinity();
  for (std::size_t at = lane.first; at < lane.second; ++at) {
    const double begin = shared ? trainings[at].begin : std::max(until, trainings[at].begin);
    busy += std::max(0.0, trainings[at].end - begin);
    until = std::max(until, trainings[at].end);
  }
  return busy;
}

void add_rows(const std::vector<TimedResult>& results, const std::vector<Training>& trainings,
              const LaneOfTrainings& lane, Timeline& timeline) {
  const bool shared = is_shared(trainings, lane);
  std::vector<std::vector<TrainedSpan>> parts(1);
  for (std::size_t at = lane.first; at < lane.second; ++at) {
    const Training& training = trainings[at];
    const IterationResult& result = results[training.result].result;
    TrainedSpan span{0,
                     result.iteration,
                     result.status,
                     training.begin,
                     training.end,
                     result.data_seconds,
                     result.validation_seconds,
                     result.wait_seconds};
    auto part = parts.begin();
    if (shared) {
      part = std::find_if(parts.begin(), parts.end(), [&](const std::vector<TrainedSpan>& spans) {
        return spans.empty() || spans.back().end <= span.begin;
      });
      if (part == parts.end()) part = parts.insert(part, {{}});
    } else if (!part->empty()) {
      span.begin = std::max(span.begin, part->back().end);
      span.end = std::max(span.begin, span.end);
    }
    part->push_back(span);
  }
  for (std::size_t part = 0; part < parts.size(); ++part) {
    for (TrainedSpan& span : parts[part]) {
      span.row = timeline.rows.size();
      timeline.spans.push_back(span);
    }
    timeline.rows.push_back({trainings[lane.first].rank, trainings[lane.first].lane, static_cast<std::int64_t>(part)});
  }
}

}  // namespace

Timeline timeline_of(const std::vector<TimedResult>& results, const std::vector<JobRecord>& jobs) {
  Timeline timeline;
  const std::vector<Period> periods = periods_of(results, jobs);
  for (const Period& period : periods) timeline.seconds += period.seconds();
  const double gap = gap_share * timeline.seconds;
  double next = 0;
  std::vector<double> shifts;  // by job: from its clock to the axis
  for (const Period& period : periods) {
    const bool has_trained = period.lane_count > 0;
    timeline.jobs.push_back({next, next + period.seconds(), period.lane_count, period.tail_seconds()});
    timeline.lane_seconds += period.seconds() * static_cast<double>(period.lane_count);
    shifts.push_back(has_trained ? next - period.begin : next);
    if (has_trained) next += period.seconds() + gap;
  }
  std::vector<Training> trainings;
  for (std::size_t at = 0; at < results.size(); ++at) {
    const auto& [job, result] = results[at];
    const double end = has_span(result) ? result.end_seconds() + shifts[job] : timeline.jobs[job].begin;
    timeline.ends.push_back(end);
    if (has_span(result)) trainings.push_back({result.rank, result.lane, result.start_seconds + shifts[job], end, at});
  }
  std::sort(trainings.begin(), trainings.end());
  timeline.idle_seconds = timeline.lane_seconds;
  for (const LaneOfTrainings& lane : lanes_of(trainings)) {
    timeline.idle_seconds -= busy_seconds(trainings, lane);
    add_rows(results, trainings, lane, timeline);
  }
  timeline.idle_seconds = std::max(0.0, timeline.idle_seconds);
  return timeline;
}

}  // namespace sheaf

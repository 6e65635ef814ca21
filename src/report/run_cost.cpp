// SPDX-License-Identifier: MIT
#include "report/run_cost.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/text.hpp"

namespace sheaf {
namespace {

// The lane-seconds that killed jobs have spent on trainings without a result, and no later job has continued.
// `continued`: lane-seconds of earlier jobs in results of later ones. Those that fit into jobs that ended by
// themselves, which have saved all of their trainings, are not of killed jobs.
double unfinished_seconds(const Timeline& timeline, const std::vector<JobRecord>& records, double continued) {
  double killed = 0, stopped = 0;
  for (std::size_t job = 0; job < records.size(); ++job) {
    if (records[job].end == JobEnd::killed) killed += timeline.jobs[job].tail_seconds;
    if (records[job].end == JobEnd::recorded) stopped += timeline.jobs[job].tail_seconds;
  }
  return std::max(0.0, killed - std::max(0.0, continued - stopped));
}

// The lanes of the last job with an expectation, divided by those that the jobs had on average.
std::optional<double> expected_seconds(const RunCost& cost, const Timeline& timeline,
                                       const std::vector<JobRecord>& records) {
  for (std::size_t job = records.size(); job-- > 0;)
    if (records[job].expected_seconds && cost.lane_seconds > 0)
      return *records[job].expected_seconds * static_cast<double>(timeline.jobs[job].lanes) * cost.seconds /
             cost.lane_seconds;
  return std::nullopt;
}

}  // namespace

double TimeShares::total() const {
  double sum = 0;
  for (const TimePart& part : time_parts) sum += this->*part.seconds;
  return sum;
}

RunCost cost_of(const std::vector<TimedResult>& results, const Timeline& timeline, const CostFacts& facts) {
  RunCost cost;
  cost.threads = facts.threads;
  cost.seconds = timeline.seconds;
  cost.lane_seconds = timeline.lane_seconds;
  for (const TimelineJob& job : timeline.jobs) {
    cost.lanes = std::max(cost.lanes, job.lanes);
    cost.jobs += job.lanes > 0 ? 1 : 0;
  }
  TimeShares& shares = cost.shares;
  double continued = 0;  // in jobs that ended before the training did, where no result has it
  for (const auto& [job, result] : results) {
    continued += result.earlier_seconds;
    shares.training += result.training_seconds();
    shares.data += result.data_seconds;
    shares.validation += result.validation_seconds;
    shares.waiting += result.wait_seconds;
  }
  shares.other = std::max(0.0, timeline.idle_seconds - shares.waiting - continued);
  const auto take = [&](double seconds) {
    const double taken = std::min(shares.other, seconds);
    shares.other -= taken;
    return taken;
  };
  shares.unfinished = take(unfinished_seconds(timeline, facts.jobs, continued));
  shares.repeated = take(facts.repeated_seconds);
  if (facts.idle_share && cost.jobs == 1) shares.idle = take(*facts.idle_share * timeline.lane_seconds);
  cost.expected_seconds = expected_seconds(cost, timeline, facts.jobs);
  return cost;
}

std::string cost_text(const RunCost& cost) {
  std::string text =
      fmt::format("{:.2f} core-seconds: {} x {} for {} in {}", cost.core_seconds(), counted(cost.lanes, "lane"),
                  counted(cost.threads, "thread"), human_seconds(cost.seconds), counted(cost.jobs, "job"));
  if (const double lost = cost.core_seconds(cost.shares.lost()); lost > 0)
    text += fmt::format("; {:.2f} of them ({:.1f} %) are lost work", lost, 100 * lost / cost.core_seconds());
  return text;
}

std::optional<std::string> expectation_text(const RunCost& cost, bool is_complete) {
  if (!cost.expected_seconds || cost.jobs == 0) return std::nullopt;
  const std::string expected = human_seconds(*cost.expected_seconds), took = human_seconds(cost.seconds);
  if (!is_complete) return fmt::format("Expected {} by the arithmetic for the whole run; {} so far.", expected, took);
  return fmt::format("Expected {} by the arithmetic, took {}: {:.2g} times as long.", expected, took,
                     cost.seconds / *cost.expected_seconds);
}

std::vector<std::vector<std::string>> time_rows(const TimeShares& shares) {
  std::vector<std::vector<std::string>> rows;
  for (const TimePart& part : time_parts)
    if (const double seconds = shares.*part.seconds; seconds > 0)
      rows.push_back(
          {part.name, fmt::format("{:.4f}", seconds), fmt::format("{:.1f}", 100 * seconds / shares.total())});
  return rows;
}

}  // namespace sheaf

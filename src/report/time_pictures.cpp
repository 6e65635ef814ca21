// SPDX-License-Identifier: MIT
#include "report/time_pictures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/text.hpp"
#include "report/picture_parts.hpp"
#include "report/plot/timeline.hpp"

namespace sheaf {
namespace {

std::string status_class(IterationStatus status) {
  switch (status) {
    case IterationStatus::finished:
    case IterationStatus::cut:
      return "s0";
    case IterationStatus::diverged:
      return "s1";
    case IterationStatus::failed:
      return "s3";
    default:
      return "faint";
  }
}

// The rows of the picture: lanes or, if there are many, groups of ranks or of lanes.
struct ShownRows {
  std::vector<std::string> names;
  std::vector<std::size_t> row_of;  // by row of the timeline
  std::vector<double> lanes;        // rows of the timeline in each

  void add(const std::string& name) {
    names.push_back(name);
    lanes.push_back(0);
  }
  void put_into_last() {
    row_of.push_back(names.size() - 1);
    ++lanes.back();
  }
};

std::string lane_name(const TimelineRow& row, bool has_ranks) {
  if (row.part > 0) return fmt::format("model {}", row.part);
  return has_ranks ? fmt::format("rank {} lane {}", row.rank, row.lane) : fmt::format("lane {}", row.lane);
}

ShownRows shown_rows(const Timeline& timeline) {
  constexpr std::size_t most = 48;
  const std::vector<TimelineRow>& rows = timeline.rows;
  const std::size_t ranks = rows.empty() ? 0 : static_cast<std::size_t>(rows.back().rank) + 1;
  const bool by_lane = rows.size() <= most, by_rank = !by_lane && ranks > 1;
  const std::size_t parts = by_lane ? most : by_rank ? ranks : rows.size();
  const std::size_t per_group = (parts + most - 1) / most;
  ShownRows shown;
  for (std::size_t at = 0, last = 0; at < rows.size(); ++at) {
    const std::size_t group = (by_rank ? static_cast<std::size_t>(rows[at].rank) : at) / per_group;
    if (shown.names.empty() || group != last)
      shown.add(by_rank && per_group == 1 ? fmt::format("rank {}", rows[at].rank)
                : by_rank                 ? fmt::format("ranks {}...", rows[at].rank)
                : per_group == 1          ? lane_name(rows[at], ranks > 1)
                                          : fmt::format("lanes {}...", rows[at].lane));
    last = group;
    shown.put_into_last();
  }
  return shown;
}

// Bins with the share of their time in which the lanes of a row worked.
std::vector<TimeSpan> binned_spans(const Timeline& timeline, const ShownRows& shown) {
  const std::size_t bins = std::clamp<std::size_t>(max_marks / std::max<std::size_t>(1, shown.names.size()), 40, 400);
  const double end = timeline.end(), width = end / static_cast<double>(bins);
  std::vector<double> busy(shown.names.size() * bins);
  for (const TrainedSpan& span : timeline.spans) {
    const std::size_t row = shown.row_of[span.row];
    for (auto bin = static_cast<std::size_t>(span.begin / width); bin < bins; ++bin) {
      const double begin = std::max(span.begin, static_cast<double>(bin) * width);
      const double until = std::min(span.end, static_cast<double>(bin + 1) * width);
      if (until <= begin) break;
      busy[row * bins + bin] += until - begin;
    }
  }
  std::vector<TimeSpan> spans;
  for (std::size_t row = 0; row < shown.names.size(); ++row)
    for (std::size_t bin = 0; bin < bins; ++bin) {
      const double share = busy[row * bins + bin] / (width * shown.lanes[row]);
      const auto level = static_cast<int>(std::ceil(10 * std::min(1.0, share) - 1e-9));
      if (level > 0)
        spans.push_back({row, static_cast<double>(bin) * width, static_cast<double>(bin + 1) * width,
                         fmt::format("s0 busy{}", level), fmt::format("busy for {:.0f} % of the time", 100 * share)});
    }
  return spans;
}

Picture timeline(const RunReport& report) {
  const Timeline& all = report.timeline;
  const std::string name = "timeline", title = "Timeline of the lanes";
  if (all.spans.empty()) return without(name, title, "No training has ended yet.");
  const ShownRows shown = shown_rows(all);
  std::vector<TimeMark> marks;
  std::size_t trained_jobs = 0;
  for (std::size_t job = 0; job < all.jobs.size(); ++job) {
    if (all.jobs[job].lanes == 0) continue;
    if (++trained_jobs > 1) marks.push_back({all.jobs[job].begin, fmt::format("job {}", job + 1)});
  }
  const bool is_binned = all.spans.size() > max_marks || shown.names.size() < all.rows.size();
  std::vector<TimeSpan> spans;
  std::vector<LegendEntry> legend;
  if (is_binned) {
    spans = binned_spans(all, shown);
    legend = {{"trains (paler: only a part of the time)", "s0"}, {"no training", "lane"}};
  } else {
    std::map<std::string, std::string> classes;  // by kind, as in the legend
    for (const TrainedSpan& span : all.spans) {
      const Iteration iteration = report.run.plan.iteration(span.iteration);
      const bool is_refit = report.run.plan.refit_iterations().has(span.iteration);
      const bool is_good_refit = is_refit && span.status == IterationStatus::finished;
      const std::string kind = is_good_refit ? "refit" : status_name(span.status);
      classes[kind] = is_good_refit ? "s2" : status_class(span.status);
      spans.push_back({span.row, span.begin, span.end, classes[kind],
                       fmt::format("{}iteration {} (trial {}): {}, {}", is_refit ? "refit, " : "", span.iteration,
                                   iteration.trial, status_name(span.status), human_seconds(span.end - span.begin))});
    }
    for (const auto& [kind, its_classes] : classes) legend.push_back({kind, its_classes});
    legend.push_back({"no training", "lane"});
  }
  std::string note =
      fmt::format("{} in {} of training.", counted(static_cast<std::int64_t>(all.spans.size()), "training"),
                  human_seconds(all.seconds));
  if (is_binned) note += " There are too many to show each: a bin is the paler the longer its lanes had no work.";
  if (trained_jobs > 1) note += " Jobs follow each other with gaps, whose length is not recorded.";
  return drawn(name, title, "When each lane trained, over the seconds of the jobs.", wide_width,
               draw_timeline(shown.names, spans, marks, all.end(), legend, wide_width), note);
}

Picture time_shares(const RunReport& report) {
  const TimeShares& shares = report.cost.shares;
  const double total = shares.total();
  if (!(total > 0)) return without("time", "Where the time went", "No training has ended yet.");
  std::vector<Bar> parts;
  for (const TimePart& part : time_parts)
    if (const double seconds = shares.*part.seconds; seconds > 0)
      parts.push_back(
          {part.name, seconds, fmt::format("{:.1f} % ({})", 100 * seconds / total, human_seconds(seconds)), part.mark});
  return drawn("time", "Where the time went", "The parts of the time of all lanes.", wide_width,
               draw_parts(parts, wide_width),
               "Of the time of all lanes, from the beginning of the training of each job to its end. Outside "
               "trainings, lanes prepare models and data and pass results on; if it is not known how long they waited "
               "for work, that is part of it.");
}

}  // namespace

std::vector<Picture> time_pictures(const RunReport& report) {
  return {time_shares(report), timeline(report)};
}

}  // namespace sheaf

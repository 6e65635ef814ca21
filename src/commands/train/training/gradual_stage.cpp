// SPDX-License-Identifier: MIT
#include "commands/train/training/gradual_stage.hpp"

#include <utility>

namespace sheaf {
namespace {

// The work that lanes have in advance, as multiples of what they train at the same time. It covers the time in which
// rank 0 hears results and answers.
constexpr std::int64_t reserve_per_lane = 2;
constexpr double reserve_seconds = 0.05;

}  // namespace

GradualStage::GradualStage(Plan& plan, GradualTrials* trials, Release release, std::int64_t together,
                           std::function<std::int64_t()> record_pruned, std::function<TimeLeft()> time_left,
                           RunningTrainings& running, const Communicator& channel)
    : plan_(plan),
      trials_(trials),
      release_(release),
      together_(together),
      record_pruned_(std::move(record_pruned)),
      time_left_(std::move(time_left)),
      running_(running),
      draws_(release == Release::at_once && plan.draws_from_results()),
      results_(channel),
      values_(plan, channel) {}

// Lanes soon wait for results of other lanes to be heard.
double GradualStage::max_pause_seconds() const {
  constexpr double short_pause = 2e-3;
  return release_ == Release::at_once ? short_pause : StageObserver::max_pause_seconds();
}

void GradualStage::end_lanes() {
  results_.end();
  values_.end();
}

void GradualStage::service(WorkSource& source) {
  const std::vector<EarlyResult> arrived = results_.service();
  if (trials_ != nullptr) {
    for (const EarlyResult& early : arrived) {
      trials_->add(early.iteration, early.result);
      running_.ended(early.rank, early.lane, early.end_seconds);
    }
    heard_ += static_cast<std::int64_t>(arrived.size());
    trials_->go_on();
    left_out_ += record_pruned_();
    running_.set_left(added_ - heard_);
    const TimeLeft left = time_left_();
    if (left == TimeLeft::none) source.end_search();
    if (release_ == Release::at_once && !source.is_stopped() && !is_closed_) add_work(source, left);
  }
  values_.service();
}

void GradualStage::add_work(WorkSource& source, TimeLeft left) {
  const double rate = static_cast<double>(heard_) / seconds_since(start_);
  const std::int64_t reserve =
      reserve_per_lane * together_ * source.lane_count() + static_cast<std::int64_t>(rate * reserve_seconds);
  const std::vector<IndexRange> released = trials_->release(reserve - (added_ - heard_), left != TimeLeft::some);
  if (draws_)
    for (; sent_ < trials_->begun(); ++sent_) values_.send(sent_);
  for (const IndexRange& iterations : released) {
    source.add(iterations);
    added_ += iterations.count();
  }
  if (!trials_->is_over()) return;
  source.close();
  is_closed_ = true;
}

bool GradualStage::await_values(const std::vector<IndexRange>& iterations, const std::function<bool()>& is_stopping) {
  if (!draws_) return true;
  for (const IndexRange& range : iterations)
    for (std::int64_t iteration = range.begin; iteration < range.end; ++iteration)
      if (!values_.await(plan_.iteration(iteration).trial, is_stopping)) return false;
  return true;
}

}  // namespace sheaf

// SPDX-License-Identifier: MIT
#include "commands/train/training/gradual_stage.hpp"

#include <algorithm>
#include <utility>

namespace sheaf {
namespace {

// The work that lanes have in advance. It covers the time in which rank 0 hears results and answers.
constexpr std::int64_t reserve_per_lane = 2;
constexpr double reserve_seconds = 0.05;

}  // namespace

GradualStage::GradualStage(Plan& plan, GradualTrials* trials, Release release, OnPruned on_pruned,
                           std::function<bool()> is_time_up, const Communicator& channel)
    : plan_(plan),
      trials_(trials),
      release_(release),
      on_pruned_(std::move(on_pruned)),
      is_time_up_(std::move(is_time_up)),
      draws_(release == Release::at_once && plan.draws_from_results()),
      results_(channel),
      values_(plan, channel) {}

void GradualStage::end_lanes() {
  results_.end();
  values_.end();
}

void GradualStage::service(WorkSource& source) {
  const std::vector<EarlyResult> arrived = results_.service();
  if (trials_ != nullptr) {
    for (const EarlyResult& early : arrived) trials_->add(early.iteration, early.result);
    heard_ += static_cast<std::int64_t>(arrived.size());
    trials_->go_on();
    for (const IndexRange& pruned : trials_->take_pruned()) {
      left_out_ += pruned.count();
      for (std::int64_t iteration = pruned.begin; iteration < pruned.end; ++iteration) on_pruned_(iteration);
    }
    if (release_ == Release::at_once && !source.is_stopped() && !is_closed_) add_work(source);
  }
  values_.service();
}

void GradualStage::add_work(WorkSource& source) {
  if (draws_)
    for (; sent_ < trials_->begun(); ++sent_) values_.send(sent_);
  for (const IndexRange& iterations : trials_->take_released()) waiting_.emplace(iterations.begin, iterations.end);
  const double rate = static_cast<double>(heard_) / seconds_since(start_);
  const std::int64_t reserve =
      reserve_per_lane * source.lane_count() + static_cast<std::int64_t>(rate * reserve_seconds);
  const bool is_time_up = is_time_up_();
  while (!waiting_.empty() && added_ - heard_ < reserve) {
    const auto [begin, end] = *waiting_.begin();
    if (is_time_up && plan_.iteration(begin).trial != trials_->first_open()) break;
    const IndexRange piece{begin, std::min(end, begin + reserve - (added_ - heard_))};
    source.add(piece);
    added_ += piece.count();
    waiting_.erase(waiting_.begin());
    if (piece.end < end) waiting_.emplace(piece.end, end);
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

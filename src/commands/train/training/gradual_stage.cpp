// SPDX-License-Identifier: MIT
#include "commands/train/training/gradual_stage.hpp"

#include <utility>

namespace sheaf {

GradualStage::GradualStage(Plan& plan, GradualTrials* trials, Release release, OnPruned on_pruned,
                           const Communicator& channel)
    : plan_(plan),
      trials_(trials),
      release_(release),
      on_pruned_(std::move(on_pruned)),
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
    trials_->go_on();
    for (const IndexRange& pruned : trials_->take_pruned())
      for (std::int64_t iteration = pruned.begin; iteration < pruned.end; ++iteration) on_pruned_(iteration);
    if (release_ == Release::at_once && !source.is_stopped() && !is_closed_) add_work(source);
  }
  values_.service();
}

void GradualStage::add_work(WorkSource& source) {
  if (draws_)
    for (; sent_ < trials_->begun(); ++sent_) values_.send(sent_);
  for (const IndexRange& iterations : trials_->take_released()) source.add(iterations);
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

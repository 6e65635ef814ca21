// SPDX-License-Identifier: MIT
#include "search/ensemble_candidates.hpp"

#include <algorithm>
#include <cassert>
#include <memory>
#include <utility>

namespace sheaf {

std::vector<TrialSummary> ensemble_candidates(const Plan& plan, const std::vector<TrialSummary>& trials,
                                              const std::function<bool(IndexRange iterations)>& is_usable) {
  const std::int64_t per_trial = plan.repeats() * plan.folds() * plan.members();
  std::vector<TrialSummary> candidates;
  for (const TrialSummary& trial : trials) {
    if (candidates.size() == max_ensemble_candidates) break;
    if (plan.stage(trial.stage).pauses() || trial.finished != per_trial || trial.iterations != per_trial) continue;
    const std::vector<IndexRange> fits = plan.fits_of_trial(trial.stage, trial.trial);
    if (std::all_of(fits.begin(), fits.end(), is_usable)) candidates.push_back(trial);
  }
  return candidates;
}

HeldOutRows::HeldOutRows(const std::vector<RowSet>& splits, std::int64_t data_rows)
    : data_rows_(data_rows), positions_(static_cast<std::size_t>(data_rows), -1) {
  for (const RowSet& split : splits)
    split.for_each([&](std::int64_t row) { positions_[static_cast<std::size_t>(row)] = 0; });
  for (std::int64_t row = 0; row < data_rows; ++row) {
    std::int64_t& position = positions_[static_cast<std::size_t>(row)];
    if (position < 0) continue;
    position = count();
    numbers_.push_back(row);
  }
}

RowSet HeldOutRows::set() const {
  auto marks = std::make_shared<std::vector<std::uint8_t>>(static_cast<std::size_t>(data_rows_));
  for (const std::int64_t row : numbers_) (*marks)[static_cast<std::size_t>(row)] = 1;
  return RowSet::marked(std::move(marks), 1);
}

HeldOutRows::Mean::Mean(const HeldOutRows& rows, std::int64_t width)
    : rows_(rows),
      width_(width),
      sums_(static_cast<std::size_t>(rows.count() * width)),
      counts_(rows.numbers_.size()) {}

void HeldOutRows::Mean::add(const RowSet& split, const float* values) {
  split.for_each([&](std::int64_t row) {
    const std::int64_t position = rows_.positions_[static_cast<std::size_t>(row)];
    assert(position >= 0);
    ++counts_[static_cast<std::size_t>(position)];
    double* const sums = sums_.data() + position * width_;
    for (std::int64_t output = 0; output < width_; ++output) sums[output] += double{*values++};
  });
}

std::vector<float> HeldOutRows::Mean::values() const {
  std::vector<float> means(sums_.size());
  for (std::size_t index = 0; index < means.size(); ++index) {
    const std::int64_t count = counts_[index / static_cast<std::size_t>(width_)];
    means[index] = static_cast<float>(sums_[index] / static_cast<double>(count));
  }
  return means;
}

}  // namespace sheaf

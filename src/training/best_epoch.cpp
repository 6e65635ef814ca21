// SPDX-License-Identifier: MIT
#include "training/best_epoch.hpp"

#include <cmath>

#include "core/error.hpp"
#include "study/metrics.hpp"

namespace sheaf {

BestEpoch::BestEpoch(const TrainOptions& train)
    : patience_(train.patience.value_or(0)),
      min_change_(train.min_change),
      larger_is_better_(train.stop_on && train.stop_on->metric().larger_is_better()),
      keeps_best_(train.best_weights.value_or(false)) {}

bool BestEpoch::add(std::int64_t epoch, double value) {
  const double cost = larger_is_better_ ? -value : value;
  if (std::isfinite(cost) && cost < best_ - min_change_) {
    epoch_ = epoch;
    best_ = cost;
    waited_ = 0;
    return true;
  }
  ++waited_;
  return false;
}

void BestEpoch::save(ByteWriter& state) const {
  state.put(epoch_);
  state.put(best_);
  state.put(waited_);
}

void BestEpoch::restore(ByteReader& state, std::int64_t epochs) {
  const auto epoch = state.get<std::int64_t>();
  const auto best = state.get<double>();
  const auto waited = state.get<std::int64_t>();
  require(epoch >= -1 && epoch < epochs && (epoch < 0 || std::isfinite(best)) && !std::isnan(best) && waited >= 0 &&
              waited <= epochs,
          "its best epoch does not match this training");
  epoch_ = epoch;
  best_ = best;
  waited_ = waited;
}

}  // namespace sheaf

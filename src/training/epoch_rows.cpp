// SPDX-License-Identifier: MIT
#include "training/epoch_rows.hpp"

#include "data/row_draws.hpp"
#include "training/batches.hpp"

namespace sheaf {

EpochRows::EpochRows(const RowSet& rows, const TrainOptions& train, const ModelOptions& model,
                     std::uint64_t iteration_seed)
    : rows_(rows),
      seed_(iteration_seed),
      is_one_batch_(is_one_batch(train, rows.count())),
      is_fixed_(!train.shuffle || (is_one_batch_ && model.dropout == 0)),
      order_(static_cast<std::size_t>(rows.count())) {}

const std::int64_t* EpochRows::of(std::int64_t epoch) {
  if (epoch_ != epoch && (epoch_ < 0 || !is_fixed_)) epoch_order(rows_, !is_fixed_, seed_, epoch, order_.data());
  epoch_ = epoch;
  return order_.data();
}

}  // namespace sheaf

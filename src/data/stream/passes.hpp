// The passes over streamed data in a round: one per epoch, and one over the validation rows after each epoch with a
// validation. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "study/validation_epochs.hpp"

namespace sheaf {

/// One pass over the file, for training or for validation.
struct Pass {
  bool training = true;    ///< otherwise validation
  std::int64_t epoch = 0;  ///< the epoch that is trained, or after which the models are validated

  bool operator==(const Pass& other) const { return training == other.training && epoch == other.epoch; }
  bool operator!=(const Pass& other) const { return !(*this == other); }
};

/// The number of passes in a round, whose models train together for up to `epochs` epochs; and pass `number` of these.
std::int64_t pass_count(std::int64_t epochs, ValidationEpochs validation);
Pass pass_at(std::int64_t number, std::int64_t epochs, ValidationEpochs validation);

/// The number of the pass that a model needs after `done` epochs: the next training pass or, if the model
/// `awaits_validation`, the next validation pass. If the round ends before that pass, its last pass validates.
std::int64_t next_pass(std::int64_t done, bool awaits_validation, ValidationEpochs validation);

}  // namespace sheaf

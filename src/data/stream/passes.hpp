// The passes over streamed data that a round of models needs: one for each epoch, and one over the validation rows
// after the epochs that are validated. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "study/validation_epochs.hpp"

namespace sheaf {

/// One reading of the file.
struct Pass {
  bool training = true;
  std::int64_t epoch = 0;  ///< trained in it, or validated after it

  bool operator==(const Pass& other) const { return training == other.training && epoch == other.epoch; }
  bool operator!=(const Pass& other) const { return !(*this == other); }
};

/// Passes of a round: models that train side by side for up to `epochs` epochs.
std::int64_t pass_count(std::int64_t epochs, ValidationEpochs validation);
Pass pass_at(std::int64_t number, std::int64_t epochs, ValidationEpochs validation);

/// The number of the pass that a model needs next after `done` epochs: the one that trains the next epoch or, if the
/// model `awaits_validation`, the one that validates. The round may end before that pass; then its last pass validates.
std::int64_t next_pass(std::int64_t done, bool awaits_validation, ValidationEpochs validation);

}  // namespace sheaf

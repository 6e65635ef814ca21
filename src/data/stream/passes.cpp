// SPDX-License-Identifier: MIT
#include "data/stream/passes.hpp"

#include <cassert>
#include <limits>

namespace sheaf {
namespace {

// The number of validation passes among the first `epochs` epochs, if the round continues after them.
std::int64_t validations_before(std::int64_t epochs, ValidationEpochs validation) {
  return validation.any() ? epochs / validation.every : 0;
}

}  // namespace

std::int64_t pass_count(std::int64_t epochs, ValidationEpochs validation) {
  if (epochs == 0) return 0;
  const bool last_is_extra = validation.any() && epochs % validation.every != 0;
  return epochs + validations_before(epochs, validation) + std::int64_t{last_is_extra};
}

Pass pass_at(std::int64_t number, std::int64_t epochs, ValidationEpochs validation) {
  assert(number >= 0 && number < pass_count(epochs, validation));
  if (!validation.any()) return {true, number};
  const Pass last{false, epochs - 1};
  if (validation.every >= epochs) return number < epochs ? Pass{true, number} : last;
  const std::int64_t group = number / (validation.every + 1), index = number % (validation.every + 1);
  const std::int64_t epoch = group * validation.every + index;
  if (index == validation.every) return {false, epoch - 1};
  return epoch < epochs ? Pass{true, epoch} : last;
}

std::int64_t next_pass(std::int64_t done, bool awaits_validation, ValidationEpochs validation) {
  const std::int64_t passes = done + validations_before(done, validation);
  if (!awaits_validation) return passes;
  if (done % validation.every == 0) return passes - 1;
  if (validation.every == ValidationEpochs::last) return std::numeric_limits<std::int32_t>::max();
  return passes + validation.every - done % validation.every;
}

}  // namespace sheaf

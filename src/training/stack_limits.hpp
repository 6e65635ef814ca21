// The sizes of what a stack has in the memory of its device, for those that allocate it and for those that plan it.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace sheaf {

/// Every matrix and list of parameters in a slot begins at a multiple of this number of values.
constexpr std::int64_t stack_alignment = 64;

/// The largest number of batches, and of bytes, in a block that is copied to the device. One batch may be larger.
constexpr std::int64_t most_batches_at_once = 8, most_block_bytes = std::int64_t{64} << 20;

/// The largest number of rows of one model that are evaluated at once.
constexpr std::int64_t most_evaluated_rows = 1024;

/// The most values of a layer that a stack on a GPU computes together in an evaluation, unless the rows of one model
/// have more.
constexpr std::int64_t evaluated_values_on_gpu = std::int64_t{1} << 23;

/// The largest number of values of StackNumber.
constexpr std::int64_t most_step_numbers = 32;

}  // namespace sheaf

// How many models a stack trains together: as many as use a GPU well, and as its memory allows. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "study/run_options.hpp"
#include "study/study.hpp"
#include "training/stack_shape.hpp"

namespace sheaf {

/// The memory of a stack on its device without the data set: an upper bound of what its tensors need, without
/// the second copy of some that CUDA graphs keep.
struct StackMemory {
  double fixed_bytes = 0;  ///< for every width
  double model_bytes = 0;  ///< for each slot

  double bytes(std::int64_t width) const { return fixed_bytes + static_cast<double>(width) * model_bytes; }
};

/// The memory of stacks of this shape, which stack_refusal() accepts. Does not depend on the scaling of the features.
StackMemory stack_memory(const StackShape& shape);

/// The largest number of models of this shape that fits into `bytes`, at most `most`; 0: not even one fits.
std::int64_t most_that_fit(const StackShape& shape, std::int64_t most, double bytes);

/// The slots of the stacks of this shape, from 1 to size.most. If size.memory_mib is 0, size.most. Otherwise the
/// smallest power of two, but at least 16, with which the models fill the second-level cache of a GPU; halved (rounded
/// up) until the stack fits into size.memory_mib.
std::int64_t stack_width(const StackShape& shape, const StackSize& size);

/// run.stack of a study in which it is settled, but not more slots than planned_iterations(). At least two if it is a
/// stack, because a model that is trained without a stack is rounded in another way.
StackSize stack_size_of(const Study& study);

/// The smallest power of two that is at least `count`, which is at least 1.
std::int64_t next_power_of_two(std::int64_t count);

}  // namespace sheaf

// Data drawn instead of read: the classic benchmark, and searches without a file.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "data/dataset.hpp"
#include "study/study.hpp"

namespace sheaf {

/// Draws `data.rows` x `data.columns` features (normal: mean 0, standard deviation 1; uniform: [0, 1)) and targets.
/// independent: targets of the same distribution (labels uniform over the classes), unrelated to the features.
/// linear: a hidden normal matrix A [columns, outputs] / sqrt(columns), targets = features A + noise; the label is
/// the largest of them. A pure function of (options, seed). Local.
DataSet draw_synthetic(const DataOptions& options, std::uint64_t seed);

}  // namespace sheaf

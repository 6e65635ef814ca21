// Synthetic data sets, drawn from the study's seed: for benchmarks and searches without a data file.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "data/dataset.hpp"
#include "study/data_options.hpp"

namespace sheaf {

/// Draws `data.rows` x `data.columns` features (normal: mean 0, standard deviation 1; uniform: [0, 1)) and targets.
/// independent: targets of the same distribution (labels uniform over the classes), unrelated to the features.
/// linear: targets = features A + noise, with a hidden normal matrix A [columns, outputs] / sqrt(columns); a label is
/// the index of the largest target. A pure function of (options, seed). Local.
DataSet draw_synthetic(const DataOptions& options, std::uint64_t seed);

}  // namespace sheaf

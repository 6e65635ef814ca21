// The numbers of rows that a study's files have, and the places of these rows in memory.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "core/index_range.hpp"

namespace sheaf {

/// In memory, the rows of data.file (or of synthetic data) come first, then those of data.validation_file, then those
/// of data.test_file. Pure.
struct RowCounts {
  std::int64_t own = 0;  ///< of data.file: the rows that folds, data.validation and data.test divide
  std::int64_t validation_file = 0;
  std::int64_t test_file = 0;

  std::int64_t all() const { return own + validation_file + test_file; }
  bool are_all_own() const { return own == all(); }
  IndexRange own_rows() const { return {0, own}; }
  IndexRange validation_rows() const { return {own, own + validation_file}; }
  IndexRange test_rows() const { return {own + validation_file, all()}; }
};

}  // namespace sheaf

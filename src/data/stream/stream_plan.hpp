// How a data set that is larger than memory is cut, and in which order it passes. Pure.
//
// A pass reads every block (whole chunks) once. For training the blocks come in random order, the same for all models
// of an epoch, so that one reading serves them all; windows of consecutive blocks are shuffled row by row, for each
// model anew.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/index_range.hpp"
#include "data/stream/passes.hpp"
#include "study/study.hpp"
#include "study/validation_epochs.hpp"

namespace sheaf {

/// Depends on the file and the study alone: losses must not depend on ranks or lanes.
struct StreamPlan {
  std::int64_t rows = 0;
  std::int64_t block_rows = 0;     ///< of all blocks but the last
  std::int64_t window_blocks = 1;  ///< of all windows but a pass's last
  std::int64_t slots = 2;          ///< windows in memory at once
  std::int64_t kept_blocks = 0;    ///< that stay in memory beside them, and are read once; all: without windows' memory

  std::int64_t blocks() const { return (rows + block_rows - 1) / block_rows; }
  bool keeps_all() const { return kept_blocks == blocks(); }
  std::int64_t windows() const { return (blocks() + window_blocks - 1) / window_blocks; }
  std::int64_t window_rows() const { return window_blocks * block_rows; }
  /// Rows of the file.
  IndexRange rows_of(std::int64_t block) const;
  /// Places in the pass's order of blocks.
  IndexRange blocks_of(std::int64_t window) const;
  /// Where a block is kept, of kept_blocks places, if it is; those that are lie evenly among the others.
  std::optional<std::int64_t> kept_place(std::int64_t block) const;
  /// "40 windows of 1000 rows, 2 in memory; 25 % of the file is kept there" for users.
  std::string text() const;
};

/// `block_rows`: that are read at one go, of which a block is a multiple; `row_bytes`: of a row in memory, targets
/// included. Throws RunError when data.memory does not take one block and
/// those read ahead, or data.window asks for more than it takes.
StreamPlan plan_stream(const DataOptions& options, std::int64_t rows, std::int64_t block_rows, std::int64_t row_bytes);

/// Whether data of `bytes` in memory are streamed, on nodes that have `node_bytes` of it. Synthetic data never are.
bool is_streamed(const DataOptions& options, std::int64_t bytes, std::int64_t node_bytes);

/// Numbers of the blocks in the order of a pass.
std::vector<std::int64_t> block_order(std::int64_t blocks, bool shuffled, std::uint64_t seed, std::int64_t epoch);

/// What all ranks know of a stream.
struct StreamOptions {
  StreamPlan plan;
  std::uint64_t seed = 0;  ///< of the orders of blocks
  bool shuffled = true;
  ValidationEpochs validation{};
  std::int64_t lanes = 1;    ///< of this rank
  std::int64_t threads = 1;  ///< that read, of this rank

  /// Numbers of the blocks in the order of a pass.
  std::vector<std::int64_t> block_order(const Pass& pass) const;
};

/// Shuffles a window's rows for one model.
void shuffle_window(std::int64_t* rows, std::int64_t count, std::uint64_t iteration_seed, std::int64_t epoch,
                    std::int64_t window);

}  // namespace sheaf

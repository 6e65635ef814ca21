// Divides a data set that is larger than memory into blocks and windows, and orders them. Pure.
//
// A pass reads every block (whole chunks of the file) once. For training, the blocks are in random order. The order is
// the same for all models in an epoch, so that they share the reading. Consecutive blocks form a window, whose rows are
// shuffled separately for each model.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/index_range.hpp"
#include "data/stream/passes.hpp"
#include "study/data_options.hpp"
#include "study/validation_epochs.hpp"

namespace sheaf {

/// The sizes of blocks and windows. Depends on the file and the study only, because losses must not depend on ranks or
/// lanes.
struct StreamPlan {
  std::int64_t rows = 0;
  std::int64_t block_rows = 0;     ///< rows per block; the last block may have fewer
  std::int64_t window_blocks = 1;  ///< blocks per window; the last window of a pass may have fewer
  std::int64_t slots = 2;          ///< windows in memory at the same time
  /// Blocks that stay in memory in addition to the windows, and are read once. If all blocks stay, windows need no
  /// memory.
  std::int64_t kept_blocks = 0;

  std::int64_t blocks() const { return (rows + block_rows - 1) / block_rows; }
  bool keeps_all() const { return kept_blocks == blocks(); }
  std::int64_t windows() const { return (blocks() + window_blocks - 1) / window_blocks; }
  std::int64_t window_rows() const { return window_blocks * block_rows; }
  /// Rows of the file.
  IndexRange rows_of(std::int64_t block) const;
  /// The blocks of a window, as positions in the pass's order of blocks.
  IndexRange blocks_of(std::int64_t window) const;
  /// The index of a block among the kept blocks, or nullopt if it is not kept. Kept blocks are spread evenly over the
  /// file.
  std::optional<std::int64_t> kept_index(std::int64_t block) const;
  /// A summary for logs: "40 windows of 1000 rows, 2 in memory; 25 % of the file is kept in memory".
  std::string text() const;
};

/// Plans the blocks and windows of a file. A block has a multiple of `block_rows` rows, the number that is read
/// efficiently with one call. `row_bytes` is the size of a row in memory, with its targets. Throws RunError if
/// data.memory is too small for windows of one block, or for data.window.
StreamPlan plan_stream(const DataOptions& options, std::int64_t rows, std::int64_t block_rows, std::int64_t row_bytes);

/// Whether to stream a data set that takes `bytes` in memory, on nodes with `node_bytes` of memory. Always false for
/// synthetic data.
bool is_streamed(const DataOptions& options, std::int64_t bytes, std::int64_t node_bytes);

/// The block numbers in the order of an epoch.
std::vector<std::int64_t> block_order(std::int64_t blocks, bool shuffled, std::uint64_t seed, std::int64_t epoch);

/// The options of a stream.
struct StreamOptions {
  StreamPlan plan;
  std::uint64_t seed = 0;  ///< seed of the block orders
  bool shuffled = true;
  ValidationEpochs validation{};
  std::int64_t lanes = 1;    ///< lanes of this rank
  std::int64_t threads = 1;  ///< reading threads of this rank

  /// The block numbers in the order of a pass.
  std::vector<std::int64_t> block_order(const Pass& pass) const;
};

/// Shuffles the rows of a window for one model.
void shuffle_window(std::int64_t* rows, std::int64_t count, std::uint64_t iteration_seed, std::int64_t epoch,
                    std::int64_t window);

}  // namespace sheaf

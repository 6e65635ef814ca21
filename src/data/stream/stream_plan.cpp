// SPDX-License-Identifier: MIT
#include "data/stream/stream_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <limits>
#include <numeric>

#include "core/error.hpp"
#include "core/random/random_stream.hpp"
#include "core/text.hpp"

namespace sheaf {
namespace {

constexpr std::int64_t mebibyte = std::int64_t{1} << 20;
constexpr std::int64_t streaming_mebibytes = 384;

// Small blocks of a file are combined up to this size, because larger blocks are copied faster; but a window must have
// at least `mixing_blocks` blocks, so that its rows represent the whole file.
constexpr std::int64_t quick_block_bytes = std::int64_t{512} << 10;
constexpr std::int64_t mixing_blocks = 128;

// The maximum memory of all windows. More would hardly improve the mixing of rows; the rest of the memory keeps blocks,
// so that they are read only once.
constexpr std::int64_t windows_mebibytes = 128;

// Blocks are kept only if the memory can keep at least 1 / min_kept of the file.
constexpr std::int64_t min_kept = 8;

std::int64_t enlarged(std::int64_t block_rows, std::int64_t row_bytes, std::int64_t window_bytes) {
  const std::int64_t wanted = std::min(quick_block_bytes, window_bytes / mixing_blocks);
  return block_rows * std::max<std::int64_t>(1, wanted / (block_rows * row_bytes));
}

}  // namespace

IndexRange StreamPlan::rows_of(std::int64_t block) const {
  return {block * block_rows, std::min((block + 1) * block_rows, rows)};
}

IndexRange StreamPlan::blocks_of(std::int64_t window) const {
  return {window * window_blocks, std::min((window + 1) * window_blocks, blocks())};
}

std::optional<std::int64_t> StreamPlan::kept_index(std::int64_t block) const {
  const std::int64_t index = block * kept_blocks / blocks();
  return (block + 1) * kept_blocks / blocks() > index ? std::optional(index) : std::nullopt;
}

std::string StreamPlan::text() const {
  const std::string text =
      fmt::format("{} of {}", counted(windows(), "window"), counted(std::min(window_rows(), rows), "row"));
  if (keeps_all()) return text + "; the whole file is kept in memory";
  const std::string some =
      kept_blocks > 0 ? fmt::format("; {} % of the file is kept in memory", 100 * kept_blocks / blocks()) : "";
  return fmt::format("{}, {} in memory{}", text, slots, some);
}

StreamPlan plan_stream(const DataOptions& options, std::int64_t rows, std::int64_t block_rows, std::int64_t row_bytes) {
  StreamPlan plan;
  plan.rows = rows;
  plan.slots = options.read_ahead + 1;
  const std::int64_t mebibytes = options.memory_mib > 0 ? options.memory_mib : streaming_mebibytes;
  const std::int64_t slot_bytes = mebibytes * mebibyte / plan.slots;
  block_rows = enlarged(block_rows, row_bytes,
                        options.window > 0 ? std::min(options.window * row_bytes, slot_bytes) : slot_bytes);
  plan.block_rows = block_rows;
  const std::int64_t max_blocks = slot_bytes / (block_rows * row_bytes);
  const auto refuse = [&](std::int64_t window_blocks, const std::string& problem, const std::string& advice) {
    const std::int64_t needed = plan.slots * window_blocks * block_rows * row_bytes;
    throw RunError(fmt::format("{} ({} windows need {} MiB, but data.memory is {}). Set data.memory = {}{}.", problem,
                               plan.slots, needed / mebibyte + 1, mebibytes, needed / mebibyte + 1, advice));
  };
  if (max_blocks < 1)
    refuse(1, fmt::format("The chunks of '{}' are too large for streaming", options.file),
           " or more, or rewrite the file with smaller chunks");
  if (options.window > 0) {
    plan.window_blocks = std::min((options.window + block_rows - 1) / block_rows, plan.blocks());
    if (plan.window_blocks > max_blocks)
      refuse(plan.window_blocks, fmt::format("data.window = {} does not fit into memory", options.window),
             " or more, or reduce data.window");
  } else {
    const std::int64_t wanted = windows_mebibytes * mebibyte / plan.slots / (block_rows * row_bytes);
    plan.window_blocks = std::min({std::max(wanted, mixing_blocks), max_blocks, plan.blocks()});
  }
  const std::int64_t free_blocks = (max_blocks - plan.window_blocks) * plan.slots;
  if (plan.blocks() <= mebibytes * mebibyte / (block_rows * row_bytes))
    plan.kept_blocks = plan.blocks();
  else if (free_blocks >= plan.blocks() / min_kept)
    plan.kept_blocks = free_blocks;
  return plan;
}

bool is_streamed(const DataOptions& options, std::int64_t bytes, std::int64_t node_bytes) {
  if (options.source != DataSource::file) return false;
  if (options.mode != automatic) return options.mode == DataMode::streamed;
  return bytes > (options.memory_mib > 0 ? options.memory_mib * mebibyte : node_bytes / 2);
}

std::vector<std::int64_t> block_order(std::int64_t blocks, bool shuffled, std::uint64_t seed, std::int64_t epoch) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(blocks));
  std::iota(order.begin(), order.end(), 0);
  if (!shuffled) return order;
  RandomStream stream(seed, Purpose::block_order, static_cast<std::uint64_t>(epoch));
  shuffle(order.data(), blocks, stream);
  return order;
}

std::vector<std::int64_t> StreamOptions::block_order(const Pass& pass) const {
  return sheaf::block_order(plan.blocks(), pass.training && shuffled, seed, pass.epoch);
}

void shuffle_window(std::int64_t* rows, std::int64_t count, std::uint64_t iteration_seed, std::int64_t epoch,
                    std::int64_t window) {
  const std::uint64_t index = static_cast<std::uint64_t>(epoch) << 32 | static_cast<std::uint64_t>(window);
  RandomStream stream(iteration_seed, Purpose::window_order, index);
  shuffle(rows, count, stream);
}

}  // namespace sheaf

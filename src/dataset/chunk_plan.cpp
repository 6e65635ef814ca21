// SPDX-License-Identifier: MIT
#include "dataset/chunk_plan.hpp"

#include <algorithm>
#include <cassert>

namespace sheaf {
namespace {

std::int64_t divide_up(std::int64_t value, std::int64_t by) {
  return (value + by - 1) / by;
}

}  // namespace

std::vector<IndexRange> plan_reads(const ReadShape& shape, std::int64_t readers, std::int64_t reader,
                                   std::int64_t block_bytes) {
  assert(shape.rows >= 0 && shape.chunk_rows > 0 && shape.row_bytes > 0);
  const std::int64_t chunks = divide_up(shape.rows, shape.chunk_rows);
  const std::int64_t block_chunks = std::max<std::int64_t>(1, block_bytes / (shape.chunk_rows * shape.row_bytes));
  const std::int64_t reads = divide_up(divide_up(chunks, readers), block_chunks);
  const IndexRange share = split_evenly(chunks, readers, reader);

  std::vector<IndexRange> blocks;
  blocks.reserve(static_cast<std::size_t>(reads));
  for (std::int64_t read = 0; read < reads; ++read) {
    const std::int64_t begin = std::min(share.begin + read * block_chunks, share.end);
    const std::int64_t end = std::min(begin + block_chunks, share.end);
    blocks.push_back({std::min(begin * shape.chunk_rows, shape.rows), std::min(end * shape.chunk_rows, shape.rows)});
  }
  return blocks;
}

}  // namespace sheaf

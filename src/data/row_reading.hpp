// Reads all rows of a data set once per node: each rank of a node reads a part of its blocks.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "core/index_range.hpp"
#include "core/interruption.hpp"
#include "data/bad_row.hpp"
#include "files/hdf5/stored_rows.hpp"
#include "parallel/mpi/agreement.hpp"
#include "parallel/mpi/communicator.hpp"

namespace sheaf {

/// Calls read() with this rank's part of `blocks` blocks. Throws the error of the lowest bad row of all ranks, so that
/// the message does not depend on the number of ranks. Collective over `world`.
template <class Read>
void read_part(std::int64_t blocks, const Communicator& world, const Communicator& node, Read read) {
  std::optional<BadRow> bad;
  agree(world, [&] {
    try {
      read(split_evenly(blocks, node.size(), node.rank()));
    } catch (const BadRow& found) {
      bad = found;
    }
  });
  const std::int64_t row = world.minimum(bad ? bad->row() : std::numeric_limits<std::int64_t>::max());
  agree(world, [&] {
    if (bad && bad->row() == row) throw *bad;
  });
}

/// Reads this rank's part of the rows as T, block by block, and calls visit(values, row) for each row. Throws as
/// read_part(). Collective over `world`.
template <class T, class Visit>
void read_rows(const StoredRows& stored, const Communicator& world, const Communicator& node, Visit visit) {
  read_part(stored.block_count(), world, node, [&](IndexRange blocks) {
    RowBuffers buffers;
    std::vector<T> values(static_cast<std::size_t>(stored.max_block_elements()));
    for (std::int64_t number = blocks.begin; number < blocks.end; ++number) {
      leave_if_interrupted();
      const IndexRange rows = stored.block(number);
      stored.read(rows, values.data(), buffers);
      for (std::int64_t row = rows.begin; row < rows.end; ++row)
        visit(values.data() + (row - rows.begin) * stored.info().row_elements(), row);
    }
  });
}

}  // namespace sheaf

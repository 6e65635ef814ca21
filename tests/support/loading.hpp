// A data file in memory, where its schema is of no interest.
// SPDX-License-Identifier: MIT
#pragma once

#include "data/node_data.hpp"

namespace sheaf::test {

/// load_to_node_memory() with the schema that all ranks agree on and one thread.
inline DataSet load_to_memory(const DataOptions& options, const Communicator& world, const Communicator& node) {
  return load_to_node_memory(options, agree_on_file(options, world), 1, world, node);
}

}  // namespace sheaf::test

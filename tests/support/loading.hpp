// Loads a data file into memory, for tests that do not need its schema.
// SPDX-License-Identifier: MIT
#pragma once

#include "data/node_data.hpp"

namespace sheaf::test {

/// Calls load_to_node_memory() with the file's schema and one thread. Collective over world.
inline DataSet load_to_memory(const DataOptions& options, const Communicator& world, const Communicator& node) {
  return load_to_node_memory(options, agree_on_file(options, world), 1, world, node);
}

}  // namespace sheaf::test

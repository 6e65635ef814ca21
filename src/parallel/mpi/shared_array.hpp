// Memory that all ranks of a node see.
// SPDX-License-Identifier: MIT
#pragma once

#include <mpi.h>

#include <cstddef>

#include "parallel/mpi/communicator.hpp"

namespace sheaf {

/// `bytes` of memory, zeroed and 64-byte aligned, the same for all ranks of `node` (MPI_Win_allocate_shared; all of it
/// belongs to the node's rank 0). Each rank zeroes an equal part, in order: on a machine with several memories a part
/// lies near the cores of its rank. Made and destroyed collectively over `node`. Throws AgreedError when there is not
/// that much shared memory. `node` must outlive it.
class SharedArray {
 public:
  SharedArray(const Communicator& node, std::size_t bytes);
  ~SharedArray();
  SharedArray(const SharedArray&) = delete;
  SharedArray& operator=(const SharedArray&) = delete;

  std::byte* data() const { return data_; }
  std::size_t size() const { return bytes_; }
  /// After it, all ranks see what any of them wrote before it. Collective over the node.
  void synchronise();

 private:
  void zero_own_part(const Communicator& node);

  const MPI_Comm node_;
  MPI_Win window_ = MPI_WIN_NULL;
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// A shared array with a communicator of its own, since the caller's may go first.
struct NodeMemory {
  NodeMemory(const Communicator& ranks, std::size_t bytes) : node(ranks.split(0)), array(node, bytes) {}
  Communicator node;
  SharedArray array;
};

}  // namespace sheaf

// Memory that all ranks of a node share.
// SPDX-License-Identifier: MIT
#pragma once

#include <mpi.h>

#include <cstddef>

#include "parallel/mpi/communicator.hpp"

namespace sheaf {

/// `bytes` of zeroed memory, aligned to 64 bytes and shared by all ranks of `node` (MPI_Win_allocate_shared; rank 0 of
/// the node owns all of it). Each rank zeroes an equal range, in rank order, so on a NUMA machine a range is near the
/// cores of its rank. Construction and destruction are collective over `node`, which must outlive this object. Throws
/// AgreedError if there is not enough shared memory.
class SharedArray {
 public:
  SharedArray(const Communicator& node, std::size_t bytes);
  ~SharedArray();
  SharedArray(const SharedArray&) = delete;
  SharedArray& operator=(const SharedArray&) = delete;

  std::byte* data() const { return data_; }
  std::size_t size() const { return bytes_; }
  /// Makes all earlier writes of any rank visible to all ranks. Collective over the node.
  void synchronize();

 private:
  void zero_own_part(const Communicator& node);

  const MPI_Comm node_;
  MPI_Win window_ = MPI_WIN_NULL;
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// A shared array with its own communicator, because the caller's may be destroyed first.
struct NodeMemory {
  NodeMemory(const Communicator& ranks, std::size_t bytes) : node(ranks.split(0)), array(node, bytes) {}
  Communicator node;
  SharedArray array;
};

}  // namespace sheaf

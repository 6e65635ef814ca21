// Messages that are sent and received while the rank does something else.
// SPDX-License-Identifier: MIT
#pragma once

#include <mpi.h>

#include <cstddef>

#include "parallel/mpi/communicator.hpp"

namespace sheaf {

/// One message on its way. Its buffer stays untouched until it is done. Move-only; one that goes before it is done must
/// not be waited for by anybody. Local.
class Message {
 public:
  static constexpr int any_source = -1;

  /// Nothing on its way: done.
  Message() = default;
  /// Starts to send `size` bytes to rank `destination`.
  static Message send(const Communicator& comm, int destination, int tag, const void* data, std::size_t size);
  /// Starts to receive a message of `size` bytes from rank `source` (or any_source).
  static Message receive(const Communicator& comm, int source, int tag, void* data, std::size_t size);

  Message(Message&& other) noexcept;
  Message& operator=(Message&& other) noexcept;

  /// Whether it has been sent or received by now. Never blocks.
  bool is_done();
  /// Blocks until it is done.
  void wait();
  /// Something is on its way that is_done() has not yet seen arrive.
  bool is_pending() const { return request_ != MPI_REQUEST_NULL; }
  /// Where a received message came from; once it is done.
  int source() const { return source_; }

 private:
  MPI_Request request_ = MPI_REQUEST_NULL;
  int source_ = any_source;
};

}  // namespace sheaf

// Nonblocking point-to-point messages.
// SPDX-License-Identifier: MIT
#pragma once

#include <mpi.h>

#include <cstddef>

#include "parallel/mpi/communicator.hpp"

namespace sheaf {

/// A nonblocking send or receive. The caller must not touch the buffer until it is done. Move-only. An object may be
/// destroyed before it is done only if no rank waits for the message. Local.
class Message {
 public:
  static constexpr int any_source = -1;

  /// No operation; is_done() is true.
  Message() = default;
  /// Starts to send `size` bytes to rank `destination`.
  static Message send(const Communicator& comm, int destination, int tag, const void* data, std::size_t size);
  /// Starts to receive a message of `size` bytes from rank `source` (or any_source).
  static Message receive(const Communicator& comm, int source, int tag, void* data, std::size_t size);

  Message(Message&& other) noexcept;
  Message& operator=(Message&& other) noexcept;

  /// Returns whether the operation is complete. Never blocks.
  bool is_done();
  /// Blocks until the operation is complete.
  void wait();
  /// Returns whether an operation was started that is_done() or wait() has not yet found complete.
  bool is_pending() const { return request_ != MPI_REQUEST_NULL; }
  /// Returns the rank that sent a received message. Valid once is_done().
  int source() const { return source_; }

 private:
  MPI_Request request_ = MPI_REQUEST_NULL;
  int source_ = any_source;
};

}  // namespace sheaf

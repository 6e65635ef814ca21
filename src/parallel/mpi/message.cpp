// SPDX-License-Identifier: MIT
#include "parallel/mpi/message.hpp"

#include <utility>

namespace sheaf {

Message Message::send(const Communicator& comm, int destination, int tag, const void* data, std::size_t size) {
  Message message;
  check_mpi(MPI_Isend(data, static_cast<int>(size), MPI_BYTE, destination, tag, comm.handle(), &message.request_),
            "MPI_Isend");
  return message;
}

Message Message::receive(const Communicator& comm, int source, int tag, void* data, std::size_t size) {
  Message message;
  check_mpi(MPI_Irecv(data, static_cast<int>(size), MPI_BYTE, source == any_source ? MPI_ANY_SOURCE : source, tag,
                      comm.handle(), &message.request_),
            "MPI_Irecv");
  return message;
}

Message::Message(Message&& other) noexcept
    : request_(std::exchange(other.request_, MPI_REQUEST_NULL)), source_(other.source_) {}

Message& Message::operator=(Message&& other) noexcept {
  std::swap(request_, other.request_);
  std::swap(source_, other.source_);
  return *this;
}

bool Message::is_done() {
  if (!is_pending()) return true;
  int done = 0;
  MPI_Status status{};
  check_mpi(MPI_Test(&request_, &done, &status), "MPI_Test");
  if (done) source_ = status.MPI_SOURCE;
  return done != 0;
}

void Message::wait() {
  if (!is_pending()) return;
  MPI_Status status{};
  check_mpi(MPI_Wait(&request_, &status), "MPI_Wait");
  source_ = status.MPI_SOURCE;
}

}  // namespace sheaf

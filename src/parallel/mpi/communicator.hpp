// A group of ranks that talk to each other.
// SPDX-License-Identifier: MIT
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include "parallel/mpi/patience.hpp"

namespace sheaf {

/// Throws RunError naming the call and MPI's own text unless `code` is MPI_SUCCESS.
void check_mpi(int code, const char* call);

/// Owns a duplicated or split MPI communicator. Move-only. All collectives below are collective over it, and all
/// ranks must come to them in the same order.
class Communicator {
 public:
  /// A duplicate of MPI_COMM_WORLD, with errors returned. Collective over the world.
  static Communicator world();
  /// This rank alone.
  static Communicator self();

  Communicator(Communicator&& other) noexcept;
  Communicator& operator=(Communicator&& other) noexcept;
  ~Communicator();

  int rank() const { return rank_; }
  int size() const { return size_; }
  bool is_root() const { return rank_ == 0; }
  MPI_Comm handle() const { return handle_; }

  /// The ranks that share memory with this one, in their order here. Collective.
  Communicator split_by_node() const;
  /// The ranks that give the same colour (>= 0), in their order here; a negative colour gives a group of this rank
  /// alone. Collective.
  Communicator split(int colour) const;

  void barrier() const;
  /// As barrier, and as maximum, for ranks whose cores others still need: they wait as wait_patiently does.
  void patient_barrier(const WhileWaiting& while_waiting) const;
  std::int64_t patient_maximum(std::int64_t value, const WhileWaiting& while_waiting) const;

  /// The sum of each of `values` over the ranks, on all of them. Waits as patient_barrier. Collective.
  std::vector<std::int64_t> patient_sum(const std::vector<std::int64_t>& values,
                                        const WhileWaiting& while_waiting) const;
  /// Every rank's bytes, one after the other in rank order, on rank 0; empty elsewhere. Waits as patient_barrier.
  /// Collective.
  std::vector<std::byte> patient_gather(std::vector<std::byte> own, const WhileWaiting& while_waiting) const;

  std::int64_t sum(std::int64_t value) const;
  std::int64_t maximum(std::int64_t value) const;
  std::int64_t minimum(std::int64_t value) const;
  double maximum(double value) const;

  /// `text` of `root` on every rank. Collective.
  std::string broadcast(const std::string& text, int root) const;
  /// Every rank's text, in rank order, on every rank. Collective.
  std::vector<std::string> all_gather(const std::string& text) const;

  /// Every rank's values, concatenated in rank order, on rank 0; empty elsewhere. More than 2^31 bytes are fine, as
  /// long as each rank has fewer than 2^31 values. Collective.
  template <class T>
  std::vector<T> gather(const std::vector<T>& values) const {
    static_assert(std::is_trivially_copyable_v<T>);
    std::vector<T> all;
    gather_bytes(values.data(), values.size(), sizeof(T), [&all](std::size_t count) {
      all.resize(count);
      return static_cast<void*>(all.data());
    });
    return all;
  }

  /// As gather, and everywhere. Collective.
  template <class T>
  std::vector<T> all_gather(const std::vector<T>& values) const {
    std::vector<T> all = gather(values);
    broadcast_vector(all);
    return all;
  }

  /// `values` of rank 0 on every rank. Collective.
  template <class T>
  void broadcast_vector(std::vector<T>& values) const {
    static_assert(std::is_trivially_copyable_v<T>);
    values.resize(static_cast<std::size_t>(broadcast_count(static_cast<std::int64_t>(values.size()))));
    broadcast_bytes(values.data(), values.size() * sizeof(T));
  }

 private:
  explicit Communicator(MPI_Comm handle);
  std::vector<std::int64_t> patient_reduction(const std::vector<std::int64_t>& values, MPI_Op operation,
                                              const WhileWaiting& while_waiting) const;
  void gather_bytes(const void* values, std::size_t count, std::size_t size,
                    const std::function<void*(std::size_t)>& allocate) const;
  std::int64_t broadcast_count(std::int64_t count, int root = 0) const;
  void broadcast_bytes(void* data, std::size_t size, int root = 0) const;

  MPI_Comm handle_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 1;
};

}  // namespace sheaf

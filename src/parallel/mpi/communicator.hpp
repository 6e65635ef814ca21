// A C++ wrapper of MPI communicators.
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

/// Throws RunError with the name of the call and the message of MPI unless `code` is MPI_SUCCESS.
void check_mpi(int code, const char* call);

/// Owns a duplicated or split MPI communicator. Move-only. All ranks of the communicator must make its collective calls
/// in the same order.
class Communicator {
 public:
  /// Duplicates MPI_COMM_WORLD. MPI errors are returned, not fatal. Collective over the world.
  static Communicator world();
  /// Returns a communicator with this rank only.
  static Communicator self();

  Communicator(Communicator&& other) noexcept;
  Communicator& operator=(Communicator&& other) noexcept;
  ~Communicator();

  int rank() const { return rank_; }
  int size() const { return size_; }
  bool is_root() const { return rank_ == 0; }
  MPI_Comm handle() const { return handle_; }

  /// Returns the ranks that share memory with this one, in the same order. Collective.
  Communicator split_by_node() const;
  /// Returns the ranks that pass the same color (>= 0), in the same order. With a negative color, returns a
  /// communicator with this rank only. Collective.
  Communicator split(int color) const;

  void barrier() const;
  /// Like barrier and maximum, but waiting ranks sleep as in wait_patiently, to leave their cores to other ranks.
  void patient_barrier(const WhileWaiting& while_waiting) const;
  std::int64_t patient_maximum(std::int64_t value, const WhileWaiting& while_waiting) const;

  /// Returns the sum of each of `values` over the ranks, on every rank. Waits like patient_barrier. Collective.
  std::vector<std::int64_t> patient_sum(const std::vector<std::int64_t>& values,
                                        const WhileWaiting& while_waiting) const;
  /// Concatenates the bytes of all ranks in rank order on rank 0; returns no bytes on other ranks. Waits like
  /// patient_barrier. Collective.
  std::vector<std::byte> patient_gather(std::vector<std::byte> own, const WhileWaiting& while_waiting) const;

  std::int64_t sum(std::int64_t value) const;
  std::vector<std::int64_t> sum(std::vector<std::int64_t> values) const;
  std::int64_t maximum(std::int64_t value) const;
  std::int64_t minimum(std::int64_t value) const;
  double maximum(double value) const;

  /// Returns the `text` of rank `root` on every rank. Collective.
  std::string broadcast(const std::string& text, int root) const;
  /// Returns the texts of all ranks in rank order on rank 0; returns no texts on other ranks. Collective.
  std::vector<std::string> gather(const std::string& text) const;

  /// Concatenates the values of all ranks in rank order on rank 0; returns no values on other ranks. The total may
  /// exceed 2^31 bytes, but each rank must have fewer than 2^31 values. Collective.
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

  /// Like gather, but returns the values on every rank. Collective.
  template <class T>
  std::vector<T> all_gather(const std::vector<T>& values) const {
    std::vector<T> all = gather(values);
    broadcast_vector(all);
    return all;
  }

  /// Copies `values` of rank 0 to every rank. Collective.
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

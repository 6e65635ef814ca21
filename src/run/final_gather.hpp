// The records of all ranks, gathered on rank 0 at the end of a run, window by window in the order of the iterations.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <vector>

#include "core/index_range.hpp"
#include "journal/record_store.hpp"
#include "mpi/communicator.hpp"

namespace sheaf {

/// How much rank 0 holds at a time.
struct WindowLimits {
  std::int64_t iterations = 16384;
  std::int64_t bytes = std::int64_t{8} << 20;  ///< of their records; a single record may have more
};

/// Cuts the iterations 0..total-1 into windows within limits, while the size of a window is only known once it is
/// proposed. Every rank makes the same ones from the same sizes. Pure.
class WindowPlan {
 public:
  WindowPlan(std::int64_t total, const WindowLimits& limits);

  bool at_end() const { return window_.empty(); }
  /// The window that is proposed.
  IndexRange window() const { return window_; }
  /// `bytes`: size of the proposed window. True: it is within the limits, or has a single iteration; next() follows.
  /// False: a narrower window is proposed.
  bool accept(std::int64_t bytes);
  /// Proposes the window after the one that was accepted.
  void next();

 private:
  const std::int64_t total_;
  const WindowLimits limits_;
  IndexRange window_;
  std::int64_t width_;  // of the next window
};

/// A record of a window and how to find its predictions.
struct GatheredRecord {
  PackedRecord record;
  std::size_t first_file = 0;  ///< JournaledIteration::file counts from this one

  JournaledIteration unpack() const;
};

/// Of each iteration of the window the record that counts, in order; `records` come in the order in which they were
/// written, as far as they are of one iteration. Throws RunError when an iteration has none. Pure.
std::vector<GatheredRecord> merge_window(IndexRange window, const std::vector<GatheredRecord>& records);

/// The way of records to rank 0: ranks, first ranks of nodes, rank 0. Ranks wait as wait_patiently does. Made
/// collectively over world.
class GatherRoute {
 public:
  GatherRoute(const Communicator& world, const Communicator& node, WhileWaiting while_waiting);

  /// Sums over all ranks. Collective.
  std::vector<std::int64_t> sum(const std::vector<std::int64_t>& values) const;
  /// All ranks' bytes on rank 0, by the first rank of each node; empty elsewhere. Collective.
  std::vector<std::byte> gather(std::vector<std::byte> own) const;

  bool is_root() const { return world_.is_root(); }

 private:
  const Communicator& world_;
  const Communicator& node_;
  Communicator leaders_;
  WhileWaiting while_waiting_;
};

/// Takes rank 0 through all iterations: `take` gets each window in order, with one record of each of its iterations.
/// `own`: each rank's records of this attempt, settled. `earlier`: on rank 0, the records of earlier attempts, settled;
/// empty elsewhere. `first_own_file`: index of the journal of rank 0 in this attempt, followed by those of the other
/// ranks. If `take` throws, all ranks return early, and rank 0 returns the exception; null otherwise. Throws what the
/// transport throws, on one rank alone. Waiting ranks sleep. Collective over the route.
[[nodiscard]] std::exception_ptr gather_records(const RecordStore& own, const RecordStore& earlier, std::size_t first_own_file, std::int64_t total,
                    const WindowLimits& limits, const GatherRoute& route,
                    const std::function<void(const std::vector<GatheredRecord>&)>& take);

}  // namespace sheaf

// Gathers the results of all ranks on rank 0 at the end of a run or of a stage, window by window in the order of the
// iterations.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "core/index_range.hpp"
#include "parallel/mpi/communicator.hpp"
#include "runs/journal/result_store.hpp"

namespace sheaf {

/// Limits of the results in the memory of rank 0.
struct WindowLimits {
  std::int64_t iterations = 16384;
  std::int64_t bytes = std::int64_t{8} << 20;  ///< a single larger result is allowed
};

/// Splits iterations into windows within limits. The size in bytes of a window is only known after it is proposed.
/// Ranks that pass the same sizes get the same windows. Pure.
class WindowPlan {
 public:
  WindowPlan(IndexRange iterations, const WindowLimits& limits);

  bool at_end() const { return window_.empty(); }
  /// The proposed window.
  IndexRange window() const { return window_; }
  /// `bytes`: size of the proposed window. Returns true if it is within the limits or has a single iteration; call
  /// next() then. Otherwise returns false and proposes a smaller window.
  bool accept(std::int64_t bytes);
  /// Proposes the window after the accepted one.
  void next();

 private:
  const std::int64_t end_;
  const WindowLimits limits_;
  IndexRange window_;
  std::int64_t width_;  // of the next window
};

/// A result of a window and the offset of its journal.
struct GatheredResult {
  PackedResult result;
  std::size_t first_file = 0;  ///< added to JournaledIteration::file

  JournaledIteration unpack() const;
};

/// The valid result of each iteration of the window, in order. `results` of the same iteration are in the order in
/// which they were written. Throws RunError if an iteration has no result. Pure.
std::vector<GatheredResult> merge_window(IndexRange window, const std::vector<GatheredResult>& results);

/// Sends results from the ranks to the leaders of their nodes, and from leaders to rank 0. All functions are collective
/// over world and wait as wait_patiently does. The communicators outlive it; `leaders`: has the leaders of all nodes.
class GatherRoute {
 public:
  GatherRoute(const Communicator& world, const Communicator& node, const Communicator& leaders,
              WhileWaiting while_waiting);

  /// The sum over all ranks.
  std::int64_t sum(std::int64_t value) const;
  /// The bytes of all ranks on rank 0; empty on other ranks.
  std::vector<std::byte> gather(std::vector<std::byte> own) const;
  /// Runs `action` on rank 0 as agree_in_background does.
  void do_on_root(const std::function<void()>& action) const;

  bool is_root() const { return world_.is_root(); }

 private:
  const Communicator& world_;
  const Communicator& node_;
  const Communicator& leaders_;
  WhileWaiting while_waiting_;
};

/// Calls `take` on rank 0 for each window of `iterations`, in order, with one result per iteration, in a thread that
/// makes no MPI call. `own`: the rank's results of this attempt, settled. `earlier`: on rank 0, the results of earlier
/// attempts, settled; empty on other ranks. `first_own_file`: index of the journal of rank 0 in this attempt, which is
/// followed by those of the other ranks. Throws AgreedError if `take` throws or an iteration has no result. Errors of
/// the transport are thrown on the rank where they occur. Collective over the route.
void gather_results(const ResultStore& own, const ResultStore& earlier, std::size_t first_own_file,
                    IndexRange iterations, const WindowLimits& limits, const GatherRoute& route,
                    const std::function<void(const std::vector<GatheredResult>&)>& take);

}  // namespace sheaf

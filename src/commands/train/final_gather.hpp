// The results of all ranks, gathered on rank 0 at the end of a run or of a stage, window by window in the order of the
// iterations. SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "core/index_range.hpp"
#include "parallel/mpi/communicator.hpp"
#include "runs/journal/result_store.hpp"

namespace sheaf {

/// How much rank 0 holds at a time.
struct WindowLimits {
  std::int64_t iterations = 16384;
  std::int64_t bytes = std::int64_t{8} << 20;  ///< of their results; a single result may have more
};

/// Cuts iterations into windows within limits, while the size of a window is only known once it is
/// proposed. Every rank makes the same ones from the same sizes. Pure.
class WindowPlan {
 public:
  WindowPlan(IndexRange iterations, const WindowLimits& limits);

  bool at_end() const { return window_.empty(); }
  /// The window that is proposed.
  IndexRange window() const { return window_; }
  /// `bytes`: size of the proposed window. True: it is within the limits, or has a single iteration; next() follows.
  /// False: a narrower window is proposed.
  bool accept(std::int64_t bytes);
  /// Proposes the window after the one that was accepted.
  void next();

 private:
  const std::int64_t end_;
  const WindowLimits limits_;
  IndexRange window_;
  std::int64_t width_;  // of the next window
};

/// A result of a window and how to find its predictions.
struct GatheredResult {
  PackedResult result;
  std::size_t first_file = 0;  ///< JournaledIteration::file counts from this one

  JournaledIteration unpack() const;
};

/// Of each iteration of the window the result that counts, in order; `results` come in the order in which they were
/// written, as far as they are of one iteration. Throws RunError when an iteration has none. Pure.
std::vector<GatheredResult> merge_window(IndexRange window, const std::vector<GatheredResult>& results);

/// The way of results to rank 0: ranks, first ranks of nodes, rank 0. All functions are collective over world, and wait
/// as wait_patiently does. The communicators outlive it; `leaders`: of the first ranks of nodes.
class GatherRoute {
 public:
  GatherRoute(const Communicator& world, const Communicator& node, const Communicator& leaders,
              WhileWaiting while_waiting);

  /// The sum over all ranks.
  std::int64_t sum(std::int64_t value) const;
  /// All ranks' bytes on rank 0, by the first rank of each node; empty elsewhere.
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

/// Takes rank 0 through some iterations: `take` gets each window in order, with one result of each of its iterations,
/// in a thread that makes no MPI call. `own`: each rank's results of this attempt, settled. `earlier`: on rank 0, the
/// results of earlier attempts, settled; empty elsewhere. `first_own_file`: index of the journal of rank 0 in this
/// attempt, followed by those of the other ranks. Throws AgreedError on all ranks when `take` throws or an iteration
/// has no result, and what the transport throws on one rank alone. Collective over the route.
void gather_results(const ResultStore& own, const ResultStore& earlier, std::size_t first_own_file,
                    IndexRange iterations, const WindowLimits& limits, const GatherRoute& route,
                    const std::function<void(const std::vector<GatheredResult>&)>& take);

}  // namespace sheaf

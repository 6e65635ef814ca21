// Sends the results of all ranks to rank 0 while their lanes train, for decisions that cannot wait for the end of a
// stage.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "core/clock.hpp"
#include "parallel/mpi/communicator.hpp"
#include "parallel/mpi/message.hpp"
#include "search/searcher.hpp"
#include "training/iteration_result.hpp"

namespace sheaf {

/// An iteration that has ended, perhaps with a failure.
struct EarlyResult {
  std::int64_t iteration = 0;
  KnownResult result;
  std::int32_t rank = -1, lane = -1;
  double end_seconds = 0;  ///< IterationResult::end_seconds()
};

/// The results of one stage, in no order. Lanes add results; all other functions are for the main thread, which calls
/// service() again and again until is_over(). Each rank has at most one batch under way, and all ranks together send
/// about 10,000 per second at most. No rank waits for another one.
class EarlyResults {
 public:
  /// `channel`: a communicator of all ranks that no other code uses. It outlives the object. Local.
  explicit EarlyResults(const Communicator& channel);
  EarlyResults(const EarlyResults&) = delete;
  EarlyResults& operator=(const EarlyResults&) = delete;

  /// Adds a result of this rank. Thread-safe.
  void add(const IterationResult& result);
  /// Declares that this rank will add no more results.
  void end();

  /// Sends and receives. Returns the results that have reached rank 0 since the last call; none on other ranks. Local,
  /// never blocks.
  std::vector<EarlyResult> service();

  /// Whether all results of this rank have been sent, and on rank 0 whether service() has returned those of all ranks.
  bool is_over();

 private:
  // Announces a batch to rank 0.
  struct Head {
    std::int64_t count = 0;
    bool is_last = false;
  };

  std::vector<EarlyResult> take_own();
  void send();
  void receive(std::vector<EarlyResult>& arrived);

  const Communicator& channel_;
  std::mutex mutex_;
  std::vector<EarlyResult> own_;  // not sent yet
  bool has_ended_ = false;

  // Of ranks other than 0: the batch under way.
  Head head_;
  std::vector<EarlyResult> batch_;
  Message sending_head_, sending_batch_;
  Clock::time_point sent_at_ = Clock::now();

  // Of rank 0: the batch that is being received.
  int ranks_left_;  // ranks whose last batch has not been announced yet
  Head received_head_;
  std::vector<EarlyResult> received_batch_;
  Message receiving_head_, receiving_batch_;
};

}  // namespace sheaf

// Sends the values of drawn trials from rank 0 to all ranks while lanes train.
// SPDX-License-Identifier: MIT
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "parallel/mpi/communicator.hpp"
#include "parallel/mpi/message.hpp"
#include "study/plan.hpp"

namespace sheaf {

/// The values of trials as bytes, and back. Pure.
std::string packed_values(const Plan& plan, const std::vector<std::int64_t>& trials);
/// Gives the values to trials that do not have any yet.
void give_packed_values(Plan& plan, const std::string& bytes);

/// Each rank passes the values on to up to four others, so rank 0 sends few messages however many ranks there are.
/// Lanes call await(); all other functions are for the main thread, which calls service() again and again until
/// is_over().
class TrialValues {
 public:
  /// `channel`: a communicator of all ranks on which no other code uses the same tags. Referenced objects outlive this
  /// one. Local.
  TrialValues(Plan& plan, const Communicator& channel);
  TrialValues(const TrialValues&) = delete;
  TrialValues& operator=(const TrialValues&) = delete;

  /// Sends the values that the plan has of a trial. For rank 0.
  void send(std::int64_t trial) { waiting_.push_back(trial); }
  /// Declares that no more values follow. For rank 0.
  void end() { has_ended_ = true; }

  /// Sends and receives. Local, never blocks.
  void service();
  /// Whether this rank has nothing more to send or receive.
  bool is_over();

  /// Waits until the plan has the values of a trial, at most until `is_stopping` returns true. Returns whether it has
  /// them. Called by lanes. Local.
  bool await(std::int64_t trial, const std::function<bool()>& is_stopping);

 private:
  // Announces a batch.
  struct Head {
    std::int64_t bytes = 0;
    bool is_last = false;
  };
  // A batch on its way to the rank `to`.
  struct Child {
    int to;
    Message head{}, batch{};
  };

  void receive();
  void pass_on();
  bool is_sending();

  Plan& plan_;
  const Communicator& channel_;
  std::vector<std::int64_t> waiting_;  // of rank 0: trials that are not sent yet
  bool has_ended_ = false;

  // Of other ranks: the batch that is being received.
  Head received_head_;
  std::string received_batch_;
  Message receiving_head_, receiving_batch_;
  std::optional<Head> arrived_;  // with received_batch_: not passed on yet

  // The batch that is being sent.
  Head head_;
  std::string batch_;
  std::vector<Child> children_;

  std::mutex mutex_;
  std::condition_variable changed_;
};

}  // namespace sheaf

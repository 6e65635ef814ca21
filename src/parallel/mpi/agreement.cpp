// SPDX-License-Identifier: MIT
#include "parallel/mpi/agreement.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <exception>
#include <future>
#include <limits>
#include <string>

#include "core/error.hpp"

namespace sheaf {
namespace {

// A vote encodes the rank and its exit code, so the minimum of all votes is the lowest rank that failed, with its code.
constexpr std::int64_t codes = 256, undecided = -1, no_failure = std::numeric_limits<std::int64_t>::max();

struct Outcome {
  std::int64_t vote = undecided;
  std::string message = {};
};

Outcome outcome_of(const std::function<void()>& action, int rank) {
  const auto failed = [rank](ExitCode code, const std::exception& error) {
    return Outcome{codes * rank + static_cast<std::int64_t>(code), message_of(error)};
  };
  try {
    action();
    return {no_failure};
  } catch (const AgreedError& error) {  // thrown by agree() over a smaller group
    return failed(error.code(), error);
  } catch (const UsageError& error) {
    return failed(ExitCode::usage, error);
  } catch (const Interrupted& error) {
    return failed(ExitCode::stopped, error);
  } catch (const std::exception& error) {
    return failed(ExitCode::failed, error);
  }
}

void conclude(const Communicator& comm, std::int64_t verdict, const std::string& own_message) {
  if (verdict == no_failure) return;
  const std::string message = comm.broadcast(own_message, static_cast<int>(verdict / codes));
  throw AgreedError(static_cast<ExitCode>(verdict % codes), message);
}

}  // namespace

void agree(const Communicator& comm, const std::function<void()>& action) {
  const Outcome own = outcome_of(action, comm.rank());
  conclude(comm, comm.minimum(own.vote), own.message);
}

void require_same_as_root(const Communicator& comm, const std::string& text,
                          const std::function<void(const std::string& of_root)>& refuse) {
  const std::string of_root = comm.broadcast(text, 0);
  agree(comm, [&] {
    if (text != of_root) refuse(of_root);
  });
}

void agree_in_background(const Communicator& comm, const std::function<void()>& action,
                         const WhileWaiting& while_waiting) {
  // A waiting rank hears from this one several times within its limit.
  const std::chrono::duration<double> period(std::min(1.0, while_waiting(0) / 4));
  // The default launch policy: if no thread can be started, get() runs the action.
  auto working = std::async([&] { return outcome_of(action, comm.rank()); });
  Outcome own;
  std::int64_t verdict = undecided;
  while (verdict == undecided) {
    if (own.vote == undecided && working.wait_for(period) != std::future_status::timeout) own = working.get();
    verdict = -comm.patient_maximum(-own.vote, while_waiting);
  }
  conclude(comm, verdict, own.message);
}

}  // namespace sheaf

// The kinds of error that reach a user, and the exit codes they end in. Messages read
// "<problem> (<why>). <what to do>." and carry the values.
// SPDX-License-Identifier: MIT
#pragma once

#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace sheaf {

/// Exit codes of every command.
enum class ExitCode : int {
  done = 0,
  failed = 1,    ///< the run failed: data, files, devices, out of memory
  usage = 2,     ///< the command line or the study file is wrong
  stopped = 75,  ///< the run was stopped before its end, on request or by a network failure, and can be resumed
};

/// The command line or the study file is wrong. Ends in exit code 2.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Data, files, devices or the machine are wrong. Ends in exit code 1.
class RunError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The device is wrong, and with it every iteration that would be trained on it.
class DeviceError : public RunError {
 public:
  using RunError::RunError;
};

/// Somebody has asked the job to end. Ends in exit code 75.
class Interrupted : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Other hosts of the job do not answer any more. Where it trains, that ends it with exit code 75
/// (commands/train/cut_off.hpp).
class ConnectionLost : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What agree() (parallel/mpi/agreement.hpp) throws on every rank when one failed: all ranks know, so the job can end
/// in order.
class AgreedError : public std::runtime_error {
 public:
  AgreedError(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

/// Throws RunError(message) unless `condition` holds. For what users, files and machines can get wrong; what
/// only a programmer can get wrong is an assert.
void require(bool condition, const std::string& message);
inline void require(bool condition, const char* message) {
  if (!condition) require(false, std::string(message));
}

/// The same where a message that is made each time would cost: in loops over rows, lines or chunks. `message()` is
/// called only to throw.
template <class Message, class = std::enable_if_t<std::is_invocable_r_v<std::string, const Message&>>>
void require(bool condition, const Message& message) {
  if (!condition) require(false, std::string(message()));
}

/// Whether an allocation failed.
bool is_out_of_memory(const std::exception& error) noexcept;

/// The message of `error` for the user: its own, or one about memory where an allocation failed. Allocates
/// nothing; valid as long as `error` is.
const char* message_of(const std::exception& error) noexcept;

/// message_of the exception that a thread has caught; none: it caught none.
std::optional<std::string> failure_message(const std::exception_ptr& caught);

}  // namespace sheaf

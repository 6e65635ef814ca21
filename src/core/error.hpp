// The errors that users see, and the exit code of each. Messages have the form "<problem> (<why>). <what to do>." and
// contain the values that are wrong.
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

/// The command line or the study file is wrong. Exit code 2.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A problem of data, files, devices or the machine. Exit code 1.
class RunError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The device does not work, so no iteration can be trained on it.
class DeviceError : public RunError {
 public:
  using RunError::RunError;
};

/// The memory of a device or of the machine is too small for what was attempted. With less of it, it may succeed.
class MemoryError : public RunError {
 public:
  using RunError::RunError;
};

/// The job received a signal to stop. Exit code 75.
class Interrupted : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Other hosts of the job no longer answer. During training the exit code is 75 (commands/train/training/cut_off.hpp).
class ConnectionLost : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Thrown by agree() (parallel/mpi/agreement.hpp) on every rank when one of them failed. All ranks know of the failure,
/// so the job can end without MPI_Abort.
class AgreedError : public std::runtime_error {
 public:
  AgreedError(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

/// Throws RunError(message) unless `condition` is true. For errors of users, files and machines; use assert for errors
/// of the programmer.
void require(bool condition, const std::string& message);
inline void require(bool condition, const char* message) {
  if (!condition) require(false, std::string(message));
}

/// The same with a message that is built only on failure, by calling `message()`: for loops over rows, lines or chunks.
template <class Message, class = std::enable_if_t<std::is_invocable_r_v<std::string, const Message&>>>
void require(bool condition, const Message& message) {
  if (!condition) require(false, std::string(message()));
}

/// Returns whether `error` is a failed allocation.
bool is_out_of_memory(const std::exception& error) noexcept;

/// Returns the message of `error` for the user: what() or, for a failed allocation, advice on memory. Does not
/// allocate. The message is valid as long as `error`.
const char* message_of(const std::exception& error) noexcept;

/// Returns message_of() of an exception that a thread has caught, or nullopt if `caught` is null.
std::optional<std::string> failure_message(const std::exception_ptr& caught);

}  // namespace sheaf

// SPDX-License-Identifier: MIT
#include "mpi/agreement.hpp"

#include <cstdint>
#include <exception>
#include <limits>
#include <string>

#include "core/error.hpp"

namespace sheaf {

void agree(const Communicator& comm, const std::function<void()>& action, const WhileWaiting& while_waiting) {
  // A vote is the rank with its exit code, so that their minimum names the lowest rank that failed and its kind.
  constexpr std::int64_t codes = 256, nobody = std::numeric_limits<std::int64_t>::max();
  std::int64_t vote = nobody;
  std::string message;
  const auto fail = [&](ExitCode code, const std::exception& error) {
    vote = codes * comm.rank() + static_cast<std::int64_t>(code);
    message = message_of(error);
  };
  try {
    action();
  } catch (const ConnectionLost&) {  // the others cannot be asked
    throw;
  } catch (const AgreedError& error) {  // of a smaller group
    fail(error.code(), error);
  } catch (const UsageError& error) {
    fail(ExitCode::usage, error);
  } catch (const Interrupted& error) {
    fail(ExitCode::stopped, error);
  } catch (const std::exception& error) {
    fail(ExitCode::failed, error);
  }
  const std::int64_t verdict = while_waiting ? -comm.patient_maximum(-vote, while_waiting) : comm.minimum(vote);
  if (verdict == nobody) return;
  message = comm.broadcast(message, static_cast<int>(verdict / codes));
  throw AgreedError(static_cast<ExitCode>(verdict % codes), message);
}

}  // namespace sheaf

// SPDX-License-Identifier: MIT
#include "mpi/agreement.hpp"

#include <cstdint>
#include <exception>
#include <limits>
#include <string>

#include "core/error.hpp"

namespace sheaf {

void agree(const Communicator& comm, const std::function<void()>& action) {
  // A vote is 2 * rank + (1 for a UsageError), so that their minimum names the lowest rank that failed and its kind.
  constexpr std::int64_t nobody = std::numeric_limits<std::int64_t>::max();
  std::int64_t vote = nobody;
  std::string message;
  try {
    action();
  } catch (const AgreedError& error) {  // of a smaller group
    vote = 2 * std::int64_t{comm.rank()} + (error.code() == ExitCode::usage ? 1 : 0);
    message = error.what();
  } catch (const UsageError& error) {
    vote = 2 * std::int64_t{comm.rank()} + 1;
    message = error.what();
  } catch (const std::exception& error) {
    vote = 2 * std::int64_t{comm.rank()};
    message = error.what();
  }
  const std::int64_t verdict = comm.minimum(vote);
  if (verdict == nobody) return;
  message = comm.broadcast(message, static_cast<int>(verdict / 2));
  throw AgreedError(verdict % 2 == 1 ? ExitCode::usage : ExitCode::failed, message);
}

}  // namespace sheaf

// SPDX-License-Identifier: MIT
#include "parallel/mpi/session.hpp"

#include <fmt/format.h>
#include <mpi.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>
#include <utility>

#include "core/error.hpp"
#include "core/log.hpp"
#include "parallel/mpi/communicator.hpp"
#include "parallel/mpi/launcher.hpp"

namespace sheaf {
namespace {

// A single process needs neither networks nor a daemon that could start others. Open MPI spends most of its start-up
// time on them. Without the daemon, all such processes would use the same session directory and remove it from each
// other, so no directory is created. Does not change variables that the user has set.
void start_without_launcher() {
  for (const auto& [name, value] :
       {std::pair("ess_singleton_isolated", "1"), std::pair("orte_create_session_dirs", "0"), std::pair("pml", "ob1"),
        std::pair("btl", "self"), std::pair("osc", "^ucx")})
    setenv((std::string("OMPI_MCA_") + name).c_str(), value, 0);
}

}  // namespace

MpiSession::MpiSession(int& argc, char**& argv) {
  if (!launched_rank()) start_without_launcher();
  const int code = MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided_);
  require(code == MPI_SUCCESS,  // MPI_Error_string may be called only after initialization
          fmt::format("MPI cannot be started (MPI_Init_thread returned error code {}). See the messages of the "
                      "launcher and the MPI library above, and check that both belong to the same MPI installation.",
                      code));
  for (const MPI_Comm predefined : {MPI_COMM_WORLD, MPI_COMM_SELF})
    check_mpi(MPI_Comm_set_errhandler(predefined, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  int rank = 0, size = 1;
  check_mpi(MPI_Comm_rank(MPI_COMM_WORLD, &rank), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(MPI_COMM_WORLD, &size), "MPI_Comm_size");
  set_log_rank(rank, size);
}

void MpiSession::require_threads() const {
  if (provided_ >= MPI_THREAD_FUNNELED) return;
  throw AgreedError(ExitCode::failed,
                    "The MPI library does not support threads (it provides MPI_THREAD_SINGLE; MPI_THREAD_FUNNELED is "
                    "needed). Use an MPI library that was built with thread support.");
}

MpiSession::~MpiSession() {
  if (std::uncaught_exceptions() == 0) MPI_Finalize();
}

std::string MpiSession::library_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  check_mpi(MPI_Get_library_version(text.data(), &length), "MPI_Get_library_version");
  const std::string version(text.data(), static_cast<std::size_t>(length));
  return version.substr(0, version.find_first_of(",\n"));
}

std::string MpiSession::host_name() {
  std::array<char, MPI_MAX_PROCESSOR_NAME> text{};
  int length = 0;
  check_mpi(MPI_Get_processor_name(text.data(), &length), "MPI_Get_processor_name");
  return {text.data(), static_cast<std::size_t>(length)};
}

void MpiSession::abort(int code) {
  std::cout.flush();
  std::fflush(stdout);
  std::fflush(stderr);
  int begun = 0, ended = 0;
  MPI_Initialized(&begun);
  MPI_Finalized(&ended);
  if (begun && !ended) MPI_Abort(MPI_COMM_WORLD, code);
  std::_Exit(code);  // MPI_Abort may return if the launcher has ended
}

}  // namespace sheaf

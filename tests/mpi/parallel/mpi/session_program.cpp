// Tests how an MpiSession ends. The argument selects the case:
//   done    no error; MPI is finalized
//   agreed  all ranks throw the same error; MPI is finalized
//   error   only the last rank throws, and the others wait in a barrier; the job must end with code 3, not hang
// SPDX-License-Identifier: MIT
#include "parallel/mpi/session.hpp"

#include <mpi.h>

#include <cstdio>
#include <string>

#include "core/error.hpp"
#include "parallel/mpi/agreement.hpp"
#include "parallel/mpi/communicator.hpp"
#include "parallel/mpi/shared_array.hpp"

using namespace sheaf;

namespace {

void use_mpi(const std::string& ending) {
  const Communicator world = Communicator::world();
  const Communicator node = world.split_by_node();
  const SharedArray array(node, 1024);
  const auto fail_on_last = [&] {
    require(world.rank() + 1 < world.size(), "The last rank failed, as the test requested.");
  };
  if (ending == "error") fail_on_last();
  if (ending == "agreed") agree(world, fail_on_last);
  world.barrier();
}

int finalized() {
  int flag = 0;
  MPI_Finalized(&flag);
  return flag;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string ending = argc > 1 ? argv[1] : "";
  bool agreed = false;
  try {
    {
      const MpiSession session(argc, argv);
      if (MpiSession::library_version().empty() || MpiSession::host_name().empty()) return 4;
      try {
        use_mpi(ending);
      } catch (const AgreedError&) {
        agreed = true;
      }
    }
    return finalized() && agreed == (ending == "agreed") ? 0 : 5;
  } catch (const RunError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    if (finalized()) return 6;
    MpiSession::abort(3);
  }
}

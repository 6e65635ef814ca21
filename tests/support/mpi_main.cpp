// The main program of tests under mpiexec. Every rank runs the same tests in the order of their declaration. Rank 0
// prints; other ranks print only when they fail. All ranks return the same code. Fails if the number of ranks differs
// from SHEAF_TEST_RANKS, or if no test ran.
// SPDX-License-Identifier: MIT
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <sstream>

#include "support/run_catch.hpp"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const char* expected = std::getenv("SHEAF_TEST_RANKS");
  int failed = 0;
  if (expected && std::atoi(expected) != size) {
    std::fprintf(stderr, "this job has %d ranks instead of %s\n", size, expected);
    failed = 1;
  }
  std::ostringstream muted;
  std::streambuf* console = std::cout.rdbuf();
  if (rank != 0) std::cout.rdbuf(muted.rdbuf());
  const int result = sheaf::run_catch(argc, argv, true);
  std::cout.rdbuf(console);
  if (rank != 0 && result != 0) std::cout << "[rank " << rank << "]\n" << muted.str() << std::flush;
  failed |= result != 0;
  MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return failed;
}

// SPDX-License-Identifier: MIT
#include "commands/info/launcher_findings.hpp"

#include "support/catch.hpp"

using namespace sheaf;

TEST_CASE("the loaded components of Open MPI name its transports") {
  CHECK(transports_in("7f00-7f01 r-xp 00 08:01 7 /usr/lib/openmpi/lib/openmpi3/mca_btl_vader.so\n"
                      "7f01-7f02 r-xp 00 08:01 6 /usr/lib/openmpi/lib/openmpi3/mca_btl_sm.so\n"
                      "7f01-7f02 r-xp 00 08:01 8 /usr/lib/openmpi/lib/openmpi3/mca_btl_tcp.so\n"
                      "7f02-7f03 r-xp 00 08:01 9 /usr/lib/openmpi/lib/openmpi3/mca_btl_self.so\n") ==
        std::vector<std::string>{"shared memory", "TCP"});
  CHECK(transports_in("/opt/openmpi/mca_pml_ucx.so\n") == std::vector<std::string>{"UCX"});
  CHECK(transports_in("/usr/lib/libmpich.so.12\n").empty());
}

TEST_CASE("a launcher of another MPI starts jobs of one rank each") {
  const Finding finding = mpi_finding({"Open MPI v4.1.4", 1, 1, 4, {}});
  CHECK_FALSE(finding.is_fine);
  CHECK(finding.text ==
        "the launcher started 4 processes, but MPI connects only 1, so each trains the whole study. Use the mpirun of "
        "Open MPI v4.1.4, or srun --mpi=pmix.");
  CHECK(mpi_finding({"Open MPI v4.1.4", 4, 2, 4, {"TCP"}}).text == "4 ranks on 2 hosts; loaded transports: TCP");
  CHECK(mpi_finding({"Open MPI v4.1.4", 4, 2, std::nullopt, {}}).is_fine);
  CHECK(mpi_finding({"Open MPI v4.1.4", 6, 2, 4, {}}).is_fine);  // two steps of a heterogeneous job
  CHECK(mpi_finding({"Open MPI v4.1.4", 1, 1, std::nullopt, {"TCP"}}).text == "1 rank on 1 host");
}

TEST_CASE("each launcher has a signal that stops a run") {
  for (const Launcher launcher : {Launcher::none, Launcher::open_mpi, Launcher::slurm, Launcher::other}) {
    const Finding finding = signal_finding({launcher, false});
    CHECK(finding.is_fine);
    CHECK(finding.text.find("stops a run, which saves its state") != std::string::npos);
    CHECK(signal_finding({launcher, true}).is_fine == (launcher != Launcher::open_mpi));
  }
  CHECK(signal_finding({Launcher::open_mpi, true}).text.find("HWLOC_COMPONENTS=-opencl mpirun") != std::string::npos);
}

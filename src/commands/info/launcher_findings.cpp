// SPDX-License-Identifier: MIT
#include "commands/info/launcher_findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/text.hpp"

namespace sheaf {

std::vector<std::string> transports_in(const std::string& maps) {
  std::vector<std::string> found;
  for (const auto& [component, transport] :
       {std::pair("mca_btl_vader.", "shared memory"), std::pair("mca_btl_sm.", "shared memory"),
        std::pair("mca_btl_tcp.", "TCP"), std::pair("mca_pml_ucx.", "UCX"), std::pair("mca_mtl_ofi.", "libfabric"),
        std::pair("mca_mtl_psm2.", "Omni-Path"), std::pair("mca_btl_openib.", "InfiniBand")})
    if (maps.find(component) != std::string::npos && std::count(found.begin(), found.end(), transport) == 0)
      found.emplace_back(transport);
  return found;
}

Finding mpi_finding(const MpiFacts& facts) {
  const char* const name = "MPI";
  if (facts.launched && *facts.launched > facts.ranks)
    return advice(name, fmt::format("the launcher started {} processes, but MPI connects only {}, so each trains the "
                                    "whole study. Use the mpirun of {}, or srun --mpi=pmix.",
                                    *facts.launched, facts.ranks, facts.version));
  std::string text = fmt::format("{} on {}", counted(facts.ranks, "rank"), counted(facts.hosts, "host"));
  if (facts.ranks > 1 && !facts.transports.empty()) text += "; loaded transports: " + listed(facts.transports);
  return fine(name, text);
}

Finding signal_finding(const SignalFacts& facts) {
  const char* const name = "signals";
  switch (facts.launcher) {
    case Launcher::open_mpi:
      if (facts.opencl_may_replace_handlers)
        return advice(
            name,
            "mpirun may ignore SIGUSR1, because an OpenCL runtime replaces its signal handlers. Stop runs with "
            "SIGUSR2, or start them as HWLOC_COMPONENTS=-opencl mpirun.");
      return fine(
          name, "SIGUSR1 or SIGUSR2 to mpirun stops a run, which saves its state (SIGTERM may leave it only a second)");
    case Launcher::slurm:
      return fine(name,
                  "SIGUSR1 to srun stops a run, which saves its state; the scripts in jobs send it before the time "
                  "limit");
    case Launcher::other:
      return fine(name, "SIGUSR2 to a rank stops a run, which saves its state");
    case Launcher::none:
      break;
  }
  return fine(name, "SIGTERM or SIGINT stops a run, which saves its state");
}

}  // namespace sheaf

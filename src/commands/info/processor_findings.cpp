// SPDX-License-Identifier: MIT
#include "commands/info/processor_findings.hpp"

#include <fmt/format.h>

#include "core/text.hpp"

namespace sheaf {

Finding binding_finding(const BindingFacts& facts) {
  const char* const name = "binding";
  const std::string ranks = counted(facts.ranks, "rank"), of_host = facts.ranks == 1 ? "has" : "of a host have";
  if (facts.ranks > facts.used_cores)
    return advice(
        name, fmt::format("{} share {}. Start at most one rank per core.", ranks, counted(facts.used_cores, "core")));
  if (facts.used_cores == facts.machine_cores)
    return fine(name, fmt::format("{} {} {}", ranks, of_host, counted(facts.machine_cores, "core")));
  const std::string used = fmt::format("{} {} {} of {} cores", ranks, of_host, facts.used_cores, facts.machine_cores);
  if (!facts.launched)
    return advice(
        name, fmt::format("{} (the shell or a batch system is bound to them). Request more cores to use them.", used));
  return advice(
      name,
      fmt::format("{}. To use the others, pass --bind-to none to mpirun, or more --cpus-per-task to srun.", used));
}

Finding thread_finding(const ThreadFacts& facts) {
  const char* const name = "threads";
  if (facts.user_limit && *facts.user_limit < facts.needed)
    return advice(name,
                  fmt::format("a user may have {} processes and threads (ulimit -u), and the ranks of a host start "
                              "about {}. Raise the limit, or start fewer ranks.",
                              *facts.user_limit, facts.needed));
  if (facts.omp_limit && *facts.omp_limit < facts.cores)
    return advice(name, fmt::format("OMP_THREAD_LIMIT = {} also limits run.threads, and the rank has {}. Unset it.",
                                    *facts.omp_limit, counted(facts.cores, "core")));
  std::string text = "run.lanes and run.threads decide their number";
  if (!facts.ignored.empty())
    text += fmt::format("; {} {} no effect", listed(facts.ignored), facts.ignored.size() == 1 ? "has" : "have");
  return fine(name, text);
}

Finding gpu_finding(const GpuFacts& facts) {
  const char* const name = "GPU";
  if (facts.usable > 0) {
    const std::string text = fmt::format("{} for {}", counted(facts.usable, "GPU"), counted(facts.ranks, "rank"));
    return facts.ranks < facts.usable ? advice(name, text + " of a host. Start one rank per GPU.") : fine(name, text);
  }
  if (!facts.machine_has_gpu) return fine(name, "none; models train on cores");
  return advice(name, fmt::format("the GPU of the host is not used ({}). Build Sheaf with a CUDA build of LibTorch, "
                                  "install a driver that is new enough, and check CUDA_VISIBLE_DEVICES.",
                                  facts.none_reason));
}

Finding library_finding(const LibraryFacts& facts) {
  if (facts.problem) return advice(facts.name, *facts.problem);
  return fine(facts.name, facts.version.value_or("not installed; linear models and MLPs train without it"));
}

Finding blas_finding(const ProductSpeed& speed) {
  if (const auto slow = slow_products(speed)) return advice("BLAS", *slow);
  return fine("BLAS", speed.owner + " matrix products are fast");
}

}  // namespace sheaf

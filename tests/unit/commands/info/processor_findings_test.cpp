// SPDX-License-Identifier: MIT
#include "commands/info/processor_findings.hpp"

#include "support/catch.hpp"

using namespace sheaf;

TEST_CASE("ranks should have all cores of the host, and a core each") {
  CHECK(binding_finding({1, 16, 16, false}).text == "1 rank has 16 cores");
  CHECK(binding_finding({2, 16, 16, true}).text == "2 ranks of a host have 16 cores");
  CHECK(binding_finding({2, 16, 16, true}).is_fine);
  const Finding launched = binding_finding({2, 2, 16, true});
  CHECK_FALSE(launched.is_fine);
  CHECK(launched.text ==
        "2 ranks of a host have 2 of 16 cores. To use the others, pass --bind-to none to mpirun, or more "
        "--cpus-per-task to srun.");
  const Finding bound = binding_finding({1, 1, 16, false});
  CHECK_FALSE(bound.is_fine);
  CHECK(bound.text.find("mpirun") == std::string::npos);
  const Finding crowded = binding_finding({4, 2, 16, true});
  CHECK_FALSE(crowded.is_fine);
  CHECK(crowded.text == "4 ranks share 2 cores. Start at most one rank per core.");
}

TEST_CASE("limits on threads below the cores or the need give advice; other variables have no effect") {
  ThreadFacts facts{8, 24, {}, std::nullopt, std::nullopt};
  CHECK(thread_finding(facts).text == "run.lanes and run.threads decide their number");
  facts.ignored = {"MKL_NUM_THREADS"};
  CHECK(thread_finding(facts).text == "run.lanes and run.threads decide their number; MKL_NUM_THREADS has no effect");
  facts.ignored = {"MKL_NUM_THREADS", "OMP_NUM_THREADS"};
  CHECK(thread_finding(facts).text ==
        "run.lanes and run.threads decide their number; MKL_NUM_THREADS and OMP_NUM_THREADS have no effect");
  facts.omp_limit = 8;
  facts.user_limit = 24;
  CHECK(thread_finding(facts).is_fine);
  facts.omp_limit = 7;
  CHECK_FALSE(thread_finding(facts).is_fine);
  CHECK(thread_finding(facts).text.find("OMP_THREAD_LIMIT = 7") == 0);
  facts.user_limit = 23;
  CHECK(thread_finding(facts).text.find("(ulimit -u)") != std::string::npos);
}

TEST_CASE("a GPU should be usable, and have a rank") {
  CHECK(gpu_finding({2, 0, "CUDA found no GPU", false}).text == "none; models train on cores");
  CHECK(gpu_finding({2, 0, "CUDA found no GPU", false}).is_fine);
  const Finding unused = gpu_finding({2, 0, "LibTorch was built without CUDA", true});
  CHECK_FALSE(unused.is_fine);
  CHECK(unused.text.find("the GPU of the host is not used (LibTorch was built without CUDA). Build ") == 0);
  CHECK(gpu_finding({4, 4, "", true}).text == "4 GPUs for 4 ranks");
  CHECK(gpu_finding({8, 4, "", true}).is_fine);  // the other ranks train on cores
  CHECK(gpu_finding({1, 4, "", true}).text == "4 GPUs for 1 rank of a host. Start one rank per GPU.");
  CHECK_FALSE(gpu_finding({1, 4, "", true}).is_fine);
}

TEST_CASE("slow products give the advice of a run; a library may be missing") {
  CHECK(blas_finding({"LibTorch's", 100e9}).is_fine);
  const Finding slow = blas_finding({"LibTorch's", 5e9});
  CHECK_FALSE(slow.is_fine);
  CHECK(
      slow.text ==
      "LibTorch's matrix products run at only 5.0 GFLOP/s (the BLAS library is slow, or the core is busy). Install the "
      "OpenMP build of OpenBLAS (libopenblas0-openmp on Debian).");
  const Finding found = library_finding({"LibTorch", "1.13.0", std::nullopt});
  CHECK(found.name == "LibTorch");
  CHECK(found.text == "1.13.0");
  CHECK(found.is_fine);
  const Finding missing = library_finding({"LibTorch", std::nullopt, std::nullopt});
  CHECK(missing.text == "not installed; linear models and MLPs train without it");
  CHECK(missing.is_fine);
  const Finding damaged = library_finding({"LibTorch", "1.13.0", "It is damaged. Install it again."});
  CHECK(damaged.text == "It is damaged. Install it again.");
  CHECK_FALSE(damaged.is_fine);
}

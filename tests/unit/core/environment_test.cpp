// SPDX-License-Identifier: MIT
#include "core/environment.hpp"

#include "support/catch.hpp"

using namespace sheaf;

namespace {

// The environment of the libraries.
Environment prepared(Environment environment) {
  for (const auto& [name, value] : environment_changes(environment)) {
    if (value)
      environment[name] = *value;
    else
      environment.erase(name);
  }
  return environment;
}

const Environment usual = {{"OMP_NUM_THREADS", "1"},
                           {"OMP_WAIT_POLICY", "passive"},
                           {"GOMP_SPINCOUNT", "1000"},
                           {"HWLOC_COMPONENTS", "-opencl"},
                           {"CUBLAS_WORKSPACE_CONFIG", ":4096:8"}};

}  // namespace

TEST_CASE("the variables that decide about threads do not reach the libraries") {
  CHECK(prepared({}) == usual);
  for (const char* count : {"1", "2", "300", "2000", "1000000", "4,2", "abc", "0", "-1", "", "99999999999999999999"})
    CHECK(prepared({{"OMP_NUM_THREADS", count}, {"MKL_NUM_THREADS", count}, {"BLIS_NUM_THREADS", count}}) == usual);
  for (const char* name : {"OMP_DYNAMIC", "OMP_NESTED", "OMP_MAX_ACTIVE_LEVELS", "OMP_PROC_BIND", "OMP_PLACES",
                           "OMP_STACKSIZE", "OMP_SCHEDULE", "GOMP_CPU_AFFINITY", "GOMP_STACKSIZE", "KMP_AFFINITY",
                           "KMP_STACKSIZE", "KMP_HW_SUBSET", "KMP_LIBRARY", "MKL_DOMAIN_NUM_THREADS", "MKL_DYNAMIC"})
    CHECK(prepared({{name, "true"}}) == usual);
}

TEST_CASE("variables that do not decide about threads are unchanged") {
  for (const char* name : {"OMPI_MCA_pml", "OMP_DISPLAY_ENV", "KMP_BLOCKTIME", "KMP_DUPLICATE_LIB_OK", "MKL_CBWR",
                           "OPENBLAS_CORETYPE", "PATH"})
    CHECK(prepared({{name, "value"}}).at(name) == "value");
}

TEST_CASE("threads without work sleep, unless the user has chosen something else") {
  CHECK(prepared({{"OMP_WAIT_POLICY", "ACTIVE"}}).at("OMP_WAIT_POLICY") == "ACTIVE");
  CHECK(prepared({{"OMP_WAIT_POLICY", "ACTIVE"}}).count("GOMP_SPINCOUNT") == 0);
  CHECK(prepared({{"OMP_WAIT_POLICY", "passive"}}).count("GOMP_SPINCOUNT") == 0);
  CHECK(prepared({{"GOMP_SPINCOUNT", "50000"}}).at("GOMP_SPINCOUNT") == "50000");
  CHECK(prepared({{"GOMP_SPINCOUNT", "50000"}}).count("OMP_WAIT_POLICY") == 0);
  CHECK(prepared({{"OMP_WAIT_POLICY", "often"}}) == usual);
  CHECK(prepared({{"GOMP_SPINCOUNT", "many"}}) == usual);
}

TEST_CASE("a limit on threads remains if it is a number") {
  CHECK(prepared({{"OMP_THREAD_LIMIT", "2"}}).at("OMP_THREAD_LIMIT") == "2");
  for (const char* limit : {"0", "abc", "", "-1"}) CHECK(prepared({{"OMP_THREAD_LIMIT", limit}}) == usual);
}

TEST_CASE("hwloc does not search for OpenCL devices, unless the user names them") {
  CHECK(prepared({{"HWLOC_COMPONENTS", "linux,x86"}}).at("HWLOC_COMPONENTS") == "linux,x86,-opencl");
  CHECK(prepared({{"HWLOC_COMPONENTS", "opencl,linux"}}).at("HWLOC_COMPONENTS") == "opencl,linux");
  CHECK(prepared({{"HWLOC_COMPONENTS", ""}}) == usual);
}

TEST_CASE("cuBLAS has a fixed workspace, unless the user has chosen one") {
  CHECK(prepared({}).at("CUBLAS_WORKSPACE_CONFIG") == ":4096:8");
  CHECK(prepared({{"CUBLAS_WORKSPACE_CONFIG", ":16:8"}}).at("CUBLAS_WORKSPACE_CONFIG") == ":16:8");
}

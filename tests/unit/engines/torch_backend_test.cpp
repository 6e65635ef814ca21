// SPDX-License-Identifier: MIT
#include "engines/torch_backend.hpp"

#include "support/catch.hpp"

using namespace sheaf;

TEST_CASE("the advice fits the reason why LibTorch cannot be loaded") {
  const std::string keep =
      "Install the package sheaf-torch, or put the libsheaf_libtorch.so from the program's build next to the program.";
  const std::string memory = "Raise the memory limit (ulimit -v) if there is one.";
  const std::string install =
      "Install the LibTorch that the program was built with, or add the folder of its libraries to LD_LIBRARY_PATH.";
  const std::string no_other =
      "Install the LibTorch that the program was built with, and remove any other one from LD_LIBRARY_PATH.";
  const std::string missing = "cannot open shared object file: No such file or directory";

  CHECK(advice_for_loading("libsheaf_libtorch.so: " + missing) == keep);
  CHECK(advice_for_loading("/a: b/libsheaf_libtorch.so is truncated: it has 4096 of 5000 bytes") == keep);
  CHECK(advice_for_loading("/a/libsheaf_libtorch.so is a pipe (FIFO)") == keep);
  CHECK(advice_for_loading("/a/libsheaf_libtorch.so: invalid ELF header") == keep);
  CHECK(advice_for_loading("/a/libsheaf_libtorch.so: undefined symbol: _ZN5sheaf8build_idEv") == keep);

  CHECK(advice_for_loading("libtorch_cpu.so.1.13: failed to map segment from shared object") == memory);
  CHECK(advice_for_loading("libtorch_cpu.so: cannot allocate memory in static TLS block") == no_other);
  CHECK(advice_for_loading("/a/libsheaf_libtorch.so: cannot create cache for search path: Cannot allocate memory") ==
        memory);

  CHECK(advice_for_loading("libtorch_cpu.so.1.13: " + missing) == install);
  CHECK(advice_for_loading("/a/libsheaf_libtorch.so: undefined symbol: _ZN3c104impl26device_guard_impl_registryE") ==
        no_other);
  CHECK(advice_for_loading("/lib/libtorch_cpu.so.1.13: undefined symbol: _ZTIN3c1010TensorImplE") == no_other);
  CHECK(advice_for_loading("/lib/libc10.so: version `V2' not found (required by /a/libsheaf_libtorch.so)") == no_other);
  CHECK(advice_for_loading("this operator is already registered") == no_other);
}

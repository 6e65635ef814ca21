// SPDX-License-Identifier: MIT
#include "engines/torch_backend.hpp"

#include "support/catch.hpp"

using namespace sheaf;

TEST_CASE("the cure fits why LibTorch cannot be loaded") {
  const std::string keep = "Keep the libsheaf_libtorch.so of the same build beside the program.";
  const std::string memory = "Raise the limit of memory (ulimit -v) if there is one.";
  const std::string install =
      "Install the LibTorch that the program was built with, or name the folder of its libraries in LD_LIBRARY_PATH.";
  const std::string no_other =
      "Install the LibTorch that the program was built with, and have no other one in LD_LIBRARY_PATH.";
  const std::string missing = "cannot open shared object file: No such file or directory";

  CHECK(cure_of_loading("libsheaf_libtorch.so: " + missing) == keep);
  CHECK(cure_of_loading("/a: b/libsheaf_libtorch.so was cut off: it has 4096 of 5000 bytes") == keep);
  CHECK(cure_of_loading("/a/libsheaf_libtorch.so is a pipe (FIFO)") == keep);
  CHECK(cure_of_loading("/a/libsheaf_libtorch.so: invalid ELF header") == keep);
  CHECK(cure_of_loading("/a/libsheaf_libtorch.so: undefined symbol: _ZN5sheaf8build_idEv") == keep);

  CHECK(cure_of_loading("libtorch_cpu.so.1.13: failed to map segment from shared object") == memory);
  CHECK(cure_of_loading("libtorch_cpu.so: cannot allocate memory in static TLS block") == no_other);
  CHECK(cure_of_loading("/a/libsheaf_libtorch.so: cannot create cache for search path: Cannot allocate memory") ==
        memory);

  CHECK(cure_of_loading("libtorch_cpu.so.1.13: " + missing) == install);
  CHECK(cure_of_loading("/a/libsheaf_libtorch.so: undefined symbol: _ZN3c104impl26device_guard_impl_registryE") ==
        no_other);
  CHECK(cure_of_loading("/lib/libtorch_cpu.so.1.13: undefined symbol: _ZTIN3c1010TensorImplE") == no_other);
  CHECK(cure_of_loading("/lib/libc10.so: version `V2' not found (required by /a/libsheaf_libtorch.so)") == no_other);
  CHECK(cure_of_loading("this operator is already registered") == no_other);
}

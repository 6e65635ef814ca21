// SPDX-License-Identifier: MIT
#include "mpi/shared_array.hpp"

#include <algorithm>
#include <cstdint>
#include <string>

#include "core/error.hpp"

#include "support/catch.hpp"

using namespace sheaf;

TEST_CASE("a shared array is zeroed, aligned, and the same memory for all ranks") {
  const Communicator world = Communicator::world();
  const Communicator node = world.split_by_node();
  for (const std::size_t bytes : {std::size_t{8}, std::size_t{4096}, std::size_t{1000003}}) {
    SharedArray array(node, bytes);
    CHECK(array.size() == bytes);
    CHECK(reinterpret_cast<std::uintptr_t>(array.data()) % 64 == 0);
    CHECK(std::all_of(array.data(), array.data() + bytes, [](std::byte b) { return b == std::byte{0}; }));
    array.synchronise();
    if (node.rank() == node.size() - 1) std::fill_n(array.data(), bytes, std::byte{7});
    array.synchronise();
    CHECK(std::all_of(array.data(), array.data() + bytes, [](std::byte b) { return b == std::byte{7}; }));
  }
}

TEST_CASE("too much shared memory is refused on every rank, with the sizes") {
  const Communicator world = Communicator::world();
  const Communicator node = world.split_by_node();
  try {
    const SharedArray array(node, std::size_t{1} << 50);
    CHECK(false);
  } catch (const AgreedError& error) {
    CHECK_THAT(error.what(), ContainsSubstring("too little shared memory") && ContainsSubstring("1.0 PiB are needed"));
  }
}

// SPDX-License-Identifier: MIT
#include "parallel/mpi/shared_array.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "core/error.hpp"
#include "core/index_range.hpp"

#include "support/catch.hpp"

using namespace sheaf;

namespace {

// Bytes that this process has touched in the mapping that contains `address`.
std::int64_t touched_bytes(const void* address) {
  const auto target = reinterpret_cast<std::uintptr_t>(address);
  std::ifstream smaps("/proc/self/smaps");
  bool inside = false;
  for (std::string line; std::getline(smaps, line);) {
    std::istringstream fields(line);
    std::string range, second;
    fields >> range >> second;
    const auto dash = range.find('-');
    if (dash != std::string::npos && range.find(':') == std::string::npos) {
      const auto begin = std::strtoull(range.c_str(), nullptr, 16);
      inside = begin <= target && target < std::strtoull(range.c_str() + dash + 1, nullptr, 16);
    } else if (inside && range == "Rss:") {
      return std::atoll(second.c_str()) * 1024;
    }
  }
  return -1;
}

}  // namespace

TEST_CASE("a shared array is zeroed, aligned, and shared by all ranks") {
  const Communicator world = Communicator::world();
  const Communicator node = world.split_by_node();
  for (const std::size_t bytes : {std::size_t{8}, std::size_t{4096}, std::size_t{1000003}}) {
    SharedArray array(node, bytes);
    CHECK(array.size() == bytes);
    CHECK(reinterpret_cast<std::uintptr_t>(array.data()) % 64 == 0);
    CHECK(std::all_of(array.data(), array.data() + bytes, [](std::byte b) { return b == std::byte{0}; }));
    array.synchronize();
    if (node.rank() == node.size() - 1) std::fill_n(array.data(), bytes, std::byte{7});
    array.synchronize();
    CHECK(std::all_of(array.data(), array.data() + bytes, [](std::byte b) { return b == std::byte{7}; }));
  }
}

TEST_CASE("each rank of a node is the first to touch its part of a shared array") {
  const Communicator world = Communicator::world();
  const Communicator node = world.split_by_node();
  constexpr std::int64_t bytes = 64 << 20, largest_page = 2 << 20;
  const SharedArray array(node, bytes);
  const std::int64_t touched = touched_bytes(array.data() + bytes / 2);
  const std::int64_t expected = split_evenly(bytes, node.size(), node.rank()).count();
  CHECK(touched > expected - largest_page);
  CHECK(touched < expected + 2 * largest_page);
}

TEST_CASE("a shared array larger than the memory is refused on every rank, with the sizes") {
  const Communicator world = Communicator::world();
  const Communicator node = world.split_by_node();
  try {
    const SharedArray array(node, std::size_t{1} << 50);
    CHECK(false);
  } catch (const AgreedError& error) {
    CHECK_THAT(error.what(), ContainsSubstring("too little shared memory") && ContainsSubstring("1.0 PiB are needed"));
  }
}

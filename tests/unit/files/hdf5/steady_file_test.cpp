// SPDX-License-Identifier: MIT
#include "files/hdf5/steady_file.hpp"

#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "support/catch.hpp"

using namespace sheaf;

namespace {

constexpr std::int64_t page = 1 << 16;  // a multiple of the page size of any machine
constexpr std::int64_t bytes = 8 * page;
const std::string path = "steady.bin";

// A new file of dots, opened for reading.
struct Dots {
  Dots() {
    std::ofstream(path, std::ios::trunc) << std::string(bytes, '.');
    descriptor = ::open(path.c_str(), O_RDONLY);
    REQUIRE(descriptor >= 0);
  }
  ~Dots() { ::close(descriptor); }

  int descriptor = -1;
};

}  // namespace

TEST_CASE("a file that was shortened while it was read is an error") {
  const Dots dots;
  const SteadyFile file(path, dots.descriptor);
  std::vector<std::byte> found(bytes);
  CHECK_NOTHROW(file.read(found.data(), bytes, 0));
  std::filesystem::resize_file(path, page);
  CHECK_THROWS_WITH(file.read(found.data(), bytes, 0), "the file ends too early");
  CHECK_THROWS_WITH(file.require_unchanged(),
                    "File 'steady.bin' was changed while it was read. Start again when it is complete.");
}

TEST_CASE("pages that the storage cannot provide are an error, although the file has not changed") {
  const Dots dots;
  const SteadyFile file(path, dots.descriptor);
  const auto time = std::filesystem::last_write_time(path);
  const std::byte* view = file.view(0, bytes);
  REQUIRE(view != nullptr);
  CHECK(view[0] == std::byte{'.'});
  // Pages beyond the end fail like pages of a faulty disk. Then the file looks like before.
  std::filesystem::resize_file(path, page);
  CHECK(view[bytes - page] == std::byte{0});
  std::filesystem::resize_file(path, bytes);
  std::filesystem::last_write_time(path, time);
  CHECK_THROWS_WITH(file.require_unchanged(),
                    "File 'steady.bin' cannot be read completely (its storage fails). Copy or recreate it.");

  std::vector<std::byte> found(bytes);
  CHECK_NOTHROW(file.read(found.data(), bytes, 0));  // also brings the pages into memory
  char byte = 0;
  const struct iovec to { &byte, 1 };
  const bool is_mapped = ::preadv2(dots.descriptor, &to, 1, bytes - 1, RWF_NOWAIT) == 1;  // not on all file systems
  if (is_mapped) CHECK_THROWS_WITH(file.read(found.data(), bytes, 0, NextUse::late), "its storage fails");
}

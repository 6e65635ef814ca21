// SPDX-License-Identifier: MIT
#include "files/write_at.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <iterator>
#include <string>

#include "support/catch.hpp"

using namespace sheaf;

TEST_CASE("bytes are written at their offsets in any order") {
  const std::string path = "written-at.bin";
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0666);
  REQUIRE(descriptor >= 0);
  CHECK(write_at(descriptor, "world", 5, 6));
  CHECK(write_at(descriptor, "hello ", 6, 0));
  CHECK(write_at(descriptor, nullptr, 0, 100));
  ::close(descriptor);
  std::ifstream file(path);
  CHECK(std::string(std::istreambuf_iterator<char>(file), {}) == "hello world");
}

TEST_CASE("a failed write sets errno to the reason") {
  const int full = ::open("/dev/full", O_WRONLY);
  REQUIRE(full >= 0);
  CHECK_FALSE(write_at(full, "bytes", 5, 0));
  CHECK(errno == ENOSPC);
  ::close(full);
  CHECK_FALSE(write_at(-1, "bytes", 5, 0));
  CHECK(errno == EBADF);
}

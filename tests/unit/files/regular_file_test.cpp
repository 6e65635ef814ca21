// SPDX-License-Identifier: MIT
#include "files/regular_file.hpp"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "core/error.hpp"
#include "support/catch.hpp"

using namespace sheaf;
namespace fs = std::filesystem;

namespace {

struct Scratch {
  Scratch() {
    fs::remove_all("regular_file_test");
    fs::create_directories("regular_file_test");
    fs::current_path("regular_file_test");
  }
  ~Scratch() {
    fs::current_path("..");
    fs::remove_all("regular_file_test");
  }
};

}  // namespace

TEST_CASE("first_content returns the content of the first call, even if the file changes or is removed") {
  const Scratch scratch;
  const std::string text(3 << 20, 'x');
  std::ofstream("first") << text;
  CHECK((first_content("first") == text));
  std::ofstream("first") << "another";
  CHECK((first_content("first") == text));
  fs::remove("first");
  CHECK((first_content("first") == text));
  CHECK_THROWS_WITH(first_content("absent"),
                    "File 'absent' cannot be read (No such file or directory). Check its name and permissions.");
}

TEST_CASE("regular files are read, also through symbolic links") {
  const Scratch scratch;
  const std::string text(3 << 20, 'x');
  std::ofstream("file") << text << "end";
  std::ofstream("empty") << "";
  fs::create_symlink("file", "link");
  CHECK(RegularFile("file").read_all() == text + "end");
  CHECK(RegularFile("link").read_all() == text + "end");
  CHECK(RegularFile("empty").read_all().empty());
  CHECK(RegularFile("file").read(5) == "xxxxx");
  CHECK(RegularFile("file").read(0).empty());
}

TEST_CASE("other kinds of files are refused immediately with their kind") {
  const Scratch scratch;
  REQUIRE(::mkfifo("pipe", 0666) == 0);
  fs::create_symlink("pipe", "link");
  fs::create_symlink("absent", "dangling");
  const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
  const sockaddr_un address{AF_UNIX, "socket"};
  REQUIRE(::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  const auto check = [](const std::string& path, const std::string& problem, bool there) {
    CHECK_THROWS_WITH(RegularFile(path), ContainsSubstring("'" + path + "' " + problem));
    CHECK_THROWS_WITH(require_regular_file(path), ContainsSubstring("'" + path + "' " + problem));
    if (there)
      CHECK_THROWS_WITH(refuse_special_file(path), ContainsSubstring("'" + path + "' " + problem));
    else
      CHECK_NOTHROW(refuse_special_file(path));
  };
  check("pipe", "is a pipe (FIFO), not a regular file", true);
  check("link", "is a pipe (FIFO), not a regular file", true);
  check(".", "is a directory, not a regular file", true);
  check("socket", "is a socket, not a regular file", true);
  check("/dev/zero", "is a device, not a regular file", true);
  check("absent", "cannot be read (No such file or directory)", false);
  check("dangling", "cannot be read (No such file or directory)", false);
  ::close(socket);
}

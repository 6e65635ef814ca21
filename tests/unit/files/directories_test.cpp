// SPDX-License-Identifier: MIT
#include "files/directories.hpp"

#include <filesystem>
#include <fstream>

#include "core/error.hpp"
#include "support/catch.hpp"

using namespace sheaf;
namespace fs = std::filesystem;

namespace {

struct Scratch {
  Scratch() {
    fs::remove_all("directories_test");
    fs::create_directories("directories_test");
    fs::current_path("directories_test");
  }
  ~Scratch() {
    fs::current_path("..");
    fs::remove_all("directories_test");
  }
};

using Paths = std::vector<std::string>;

}  // namespace

TEST_CASE("directories are created with their parents, and the created ones can be removed") {
  const Scratch scratch;
  const Paths created = make_directories("a/b/c");
  CHECK(created == Paths{"a", "a/b", "a/b/c"});
  CHECK(make_directories("a/b/d") == Paths{"a/b/d"});
  CHECK(make_directories("a/b/d").empty());
  CHECK(make_directories(fs::absolute("e").string() + "/").front() == fs::absolute("e").string());
  remove_empty_directories(created);
  CHECK_FALSE(fs::exists("a/b/c"));
  CHECK(fs::exists("a/b/d"));
}

TEST_CASE("a failed creation removes the parents that it created") {
  const Scratch scratch;
  std::ofstream("file") << "x";
  CHECK_THROWS_WITH(make_directories("file"),
                    ContainsSubstring("'file' cannot be created ('file' is not a directory)"));
  CHECK_THROWS_WITH(make_directories("file/a"), ContainsSubstring("'file/a' cannot be created ('file' is not a"));
  CHECK_THROWS_AS(make_directories("new/" + std::string(300, 'x')), RunError);
  CHECK_FALSE(fs::exists("new"));
  CHECK_THROWS_AS(make_directories("/proc/sheaf/run"), RunError);
}

TEST_CASE("symbolic links are accepted as parents, but not in place of a directory to create") {
  const Scratch scratch;
  fs::create_directory("real");
  fs::create_directory_symlink("real", "link");
  fs::create_symlink("absent", "dangling");
  CHECK(make_directories("link/inside") == Paths{"link/inside"});
  CHECK(fs::exists("real/inside"));
  CHECK_THROWS_AS(make_directories("dangling/inside"), RunError);
  for (const std::string name : {"link", "dangling"}) {
    CHECK_THROWS_WITH(make_directory(name), ContainsSubstring("'" + name + "' is a symbolic link, not a directory"));
    CHECK_THROWS_WITH(require_directory_or_nothing(name),
                      "'" + name +
                          "' is a symbolic link, not a directory (files cannot safely be written there). Move it or "
                          "remove it.");
    CHECK_FALSE(make_new_directory(name));
  }
  CHECK_NOTHROW(make_directory("real"));
  CHECK_NOTHROW(require_directory_or_nothing("absent"));
  CHECK(make_new_directory("new"));
  CHECK_FALSE(make_new_directory("new"));
}

// SPDX-License-Identifier: MIT
#include "files/output_file.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/error.hpp"
#include "support/catch.hpp"

using namespace sheaf;

namespace {

std::string text_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

}  // namespace

TEST_CASE("an output file must be new, and its removal is noticed on close") {
  const std::string path = "output_file_test.txt", link = "output_file_test.link";
  for (const auto& name : {path, link}) std::filesystem::remove(name);
  std::ofstream(path) << "older";
  CHECK_THROWS_WITH(OutputFile(path), StartsWith("'output_file_test.txt' cannot be"));
  CHECK_THROWS_WITH(OutputFile(path, "shown"), StartsWith("'shown' cannot be written (File exists)"));
  for (const auto& target : {path, std::string("absent")}) {
    std::filesystem::create_symlink(target, link);
    CHECK_THROWS_AS(OutputFile(link), RunError);
    std::filesystem::remove(link);
  }
  CHECK(text_of(path) == "older");
  CHECK_FALSE(std::filesystem::exists("absent"));
  std::filesystem::remove(path);
  OutputFile file(path);
  file.write("new");
  CHECK_NOTHROW(file.sync());
  CHECK(text_of(path) == "new");
  std::filesystem::remove(path);
  CHECK_THROWS_WITH(file.sync_and_close(), ContainsSubstring("has been removed"));
  CHECK_THROWS_AS(OutputFile("absent/file"), RunError);
  CHECK_NOTHROW(sync_directory("."));
  CHECK_THROWS_AS(sync_directory("absent"), RunError);
}

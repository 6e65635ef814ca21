// SPDX-License-Identifier: MIT
#include "core/output_file.hpp"

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

TEST_CASE("output files replace or refuse what is there, and notice that they were removed") {
  const std::string path = "output_file_test.txt";
  std::ofstream(path) << "older";
  CHECK_THROWS_WITH(OutputFile(path, OutputFile::Existing::refused), StartsWith("'output_file_test.txt' cannot be"));
  CHECK(text_of(path) == "older");
  OutputFile file(path);
  file.write("new");
  CHECK_NOTHROW(file.sync());
  CHECK(text_of(path) == "new");
  std::filesystem::remove(path);
  CHECK_THROWS_WITH(file.sync_and_close(), ContainsSubstring("removed meanwhile"));
  CHECK_THROWS_AS(OutputFile("absent/file"), RunError);
  CHECK_NOTHROW(sync_directory("."));
  CHECK_THROWS_AS(sync_directory("absent"), RunError);
}

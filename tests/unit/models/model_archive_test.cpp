// SPDX-License-Identifier: MIT
#include "models/model_archive.hpp"

#include <string>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "files/checksum.hpp"
#include "support/catch.hpp"

using namespace sheaf;

namespace {

std::string number(std::uint64_t value, int bytes) {
  std::string text;
  for (int byte = 0; byte < bytes; ++byte) text += static_cast<char>(value >> (8 * byte) & 0xff);
  return text;
}

// A stored archive. `declared`: the unpacked size of each member in the directory, if it is not 0.
std::string archive_of(const std::vector<std::pair<std::string, std::string>>& members, std::uint64_t declared = 0) {
  std::string archive, directory;
  for (const auto& [name, content] : members) {
    const std::uint64_t size = declared > 0 ? declared : content.size();
    const std::string fields = number(0, 2) + number(declared > 0 ? 8 : 0, 2) + number(0, 4) +
                               number(checksum(content.data(), content.size()), 4) + number(content.size(), 4) +
                               number(size, 4) + number(name.size(), 2) + number(0, 2);
    directory += "PK\x01\x02" + number(20, 2) + number(20, 2) + fields + number(0, 2) + number(0, 2) + number(0, 2) +
                 number(0, 4) + number(archive.size(), 4) + name;
    archive += "PK\x03\x04" + number(20, 2) + fields + name + content;
  }
  const std::string end = "PK\x05\x06" + number(0, 4) + number(members.size(), 2) + number(members.size(), 2) +
                          number(directory.size(), 4) + number(archive.size(), 4) + number(0, 2);
  return archive + directory + end;
}

std::string problem(const std::string& archive) {
  try {
    verify_model_archive(archive, "m.pt");
  } catch (const RunError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("an undamaged archive is accepted, and every flipped byte of a member is found") {
  const std::string archive =
      archive_of({{"m/code/a.py", "def f(x):\n  return x\n"}, {"m/data/0", "weights"}, {"m/data.pkl", ""}});
  CHECK(problem(archive).empty());
  for (const char* content : {"return x", "weights"}) {
    const std::size_t begin = archive.find(content);
    for (std::size_t index = begin; index < begin + std::string(content).size(); ++index) {
      std::string damaged = archive;
      damaged[index] = static_cast<char>(damaged[index] ^ 1);
      CHECK_THAT(problem(damaged), ContainsSubstring("is not a valid ZIP archive (its checksum is wrong)"));
    }
  }
}

TEST_CASE("files that are not archives are refused") {
  for (const std::string text : {"", "no archive", "PK\x03\x04"})
    CHECK_THAT(problem(text),
               StartsWith("'m.pt' is not a complete TorchScript file (it is not a complete ZIP archive). Use a model"));
}

TEST_CASE("members that unpack to much more than the file are refused before they are unpacked") {
  const std::vector<std::pair<std::string, std::string>> members = {{"m/a", "x"}, {"m/b", "y"}};
  CHECK_THAT(problem(archive_of(members, 12 << 20)), StartsWith("'m.pt' unpacks to more than 16.0 MiB ("));
  CHECK(problem(archive_of(members, 6 << 20)).find("unpacks to more than 1") == std::string::npos);
}

TEST_CASE("deeply nested source code and values are refused") {
  const auto source = [](std::size_t depth) {
    return archive_of({{"m/code/a.py", "x = " + std::string(depth, '(') + std::string(depth, ')')}});
  };
  CHECK(problem(source(400)).empty());
  CHECK_THAT(problem(source(2000)), StartsWith("'m.pt' is nested more than 1000 levels deep ('m/code/a.py'; "));
  CHECK_THAT(problem(archive_of({{"m/data.pkl", std::string(2000, '(') + std::string(2000, 't')}})),
             StartsWith("'m.pt' is nested more than 1000 levels deep ('m/data.pkl'; "));
}

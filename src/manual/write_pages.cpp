// A program of the build: writes the man pages. Usage: sheaf_man_pages FOLDER DATE, where DATE is YYYY-MM-DD.
// SPDX-License-Identifier: MIT
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "manual/man_pages.hpp"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: sheaf_man_pages FOLDER DATE\n");
    return 2;
  }
  for (const sheaf::ManPage& page : sheaf::man_pages(argv[2])) {
    const std::string number = std::to_string(page.section);
    const std::filesystem::path folder = std::filesystem::path(argv[1]) / ("man" + number);
    std::filesystem::create_directories(folder);
    std::ofstream file(folder / (page.name + "." + number));
    file << page.text << std::flush;
    if (!file) {
      std::fprintf(stderr, "error: '%s' cannot be written.\n", (folder / page.name).c_str());
      return 1;
    }
  }
}

// The man pages, from the tables that also print the help. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace sheaf {

struct ManPage {
  std::string name;  ///< "sheaf-run"
  int section = 1;
  std::string text;  ///< in roff, with the macros of man(7)
};

/// sheaf(1), one page per command, and sheaf-study(5) with all keys. `date`: YYYY-MM-DD.
std::vector<ManPage> man_pages(const std::string& date);

}  // namespace sheaf

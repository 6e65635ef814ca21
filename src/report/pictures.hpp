// The pictures of a report. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "report/plot/picture.hpp"
#include "report/run_report.hpp"

namespace sheaf {

struct PictureGroup {
  std::string name;     ///< letters
  std::string heading;  ///< text
  std::vector<Picture> pictures;
};

/// All pictures of a run, in the order of the page. A picture without data has a note that says what would make it.
std::vector<PictureGroup> pictures_of(const RunReport& report);

}  // namespace sheaf

// The table behind settings.hpp: one typed entry a key.
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "options/settings.hpp"
#include "options/study.hpp"

namespace sheaf {

struct Setting {
  SettingInfo info;
  std::string allowed;                                  ///< info.values in full, for messages
  std::vector<std::string> names;                       ///< of a choice, to look for slips; otherwise empty
  std::function<bool(Study&, const std::string&)> set;  ///< false: not allowed, nothing changed
  std::function<std::string(const Study&)> text;        ///< what `set` takes
};

/// Every key, in the order of the sections.
const std::vector<Setting>& settings_table();

}  // namespace sheaf

// The table of all keys: one typed entry for each.
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "study/study.hpp"

namespace sheaf {

/// What is known of one key, for help texts and messages.
struct SettingInfo {
  std::string key;            ///< "section.name"
  std::string values;         ///< what may be written: "mean | sum", "integer >= 1", "number > 0", "text"
  std::string default_value;  ///< as it would be written
  std::string help;           ///< one sentence, with the unit
};

/// Sets one value that has been read from its text.
using SetValue = std::function<void(Study&)>;

/// A key with its functions.
struct Setting {
  SettingInfo info;
  bool decides_results = true;     ///< whether iterations may depend on the key (runs/directory/study_identity.hpp)
  std::string allowed;             ///< info.values in full, for messages
  std::vector<std::string> names;  ///< of a choice, to look for slips; otherwise empty
  std::function<SetValue(const std::string&)> setter;  ///< of the value that a text means; empty: it is not allowed
  std::function<std::string(const Study&)> text;       ///< what `setter` takes
};

/// Every key, in the order of the sections.
const std::vector<Setting>& settings_table();

/// All keys, in the order of the sections. Excludes the searched keys, which are `search.<model or train key>`.
const std::vector<SettingInfo>& all_settings();

/// The keys that can be searched ("model.hidden", ...), in the order of the settings.
const std::vector<std::string>& searchable_keys();

bool is_searchable(const std::string& key);

}  // namespace sheaf

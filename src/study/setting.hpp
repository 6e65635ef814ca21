// A key of a study: its name, help, default, and how its values are read and written.
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace sheaf {

struct Study;

/// Describes one key, for help texts and messages.
struct SettingInfo {
  std::string key;            ///< "section.name"
  std::string values;         ///< allowed values: "mean | sum", "integer >= 1", "number > 0", "text"
  std::string default_value;  ///< as text
  std::string help;           ///< one sentence, with the unit
};

/// Sets a key of a study to a value that was parsed before.
using SetValue = std::function<void(Study&)>;

/// Whether values of a key are paths, and of which files.
enum class PathKind {
  none,
  input,  ///< relative to the folder of the study file
  output  ///< relative to the current directory
};

/// The type of a key's values. text: also choices, lists and all other values without a number or flag of their own.
enum class ValueKind { integer, number, flag, text };

/// A key with the functions that read and write its value.
struct Setting {
  SettingInfo info;
  bool decides_results = true;     ///< whether results may depend on the key (runs/directory/study_identity.hpp)
  PathKind path = PathKind::none;  ///< model.kind: the path follows a colon
  ValueKind kind = ValueKind::text;
  std::string allowed;             ///< info.values with all limits, for messages
  std::vector<std::string> names;  ///< names of a choice, for suggestions after typing errors; otherwise empty
  std::function<SetValue(const std::string&)> setter;  ///< parses a text; returns an empty function if not allowed
  std::function<std::string(const Study&)> text;       ///< the value as text that `setter` accepts
};

}  // namespace sheaf

// A key of a study: its name, help, default, how its values are read and written, and when it has an effect.
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>
#include <utility>
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

/// A condition under which a key has an effect. Whether all conditions of a key hold does not depend on keys without
/// effect. Pure.
struct Condition {
  std::vector<std::string> keys;            ///< the keys that decide it, the first of them foremost
  std::vector<std::string> values;          ///< the values of keys[0] with which it holds; empty: `holds` decides alone
  std::function<bool(const Study&)> holds;  ///< depends on `keys` only
  std::string reason;                       ///< why it does not hold; empty: the value of keys[0]
  std::string advice;                       ///< what to set, such as "model.kind = mlp"; empty: nothing
};

/// A key with the functions that read and write its value.
struct Setting {
  SettingInfo info;
  bool decides_results = true;  ///< whether results may depend on the key (runs/directory/study_identity.hpp)
  bool is_searchable = false;   ///< whether trials may have different values: the key is a part of Trial
  PathKind path = PathKind::none;
  std::function<std::size_t(const std::string&)> path_begin;  ///< ValueType::path_begin
  ValueKind kind = ValueKind::text;
  std::string allowed;             ///< info.values with all limits, for messages
  std::vector<std::string> names;  ///< names of a choice, for suggestions after typing errors; otherwise empty
  std::function<std::string(const std::string&)> advice;  ///< ValueType::advice
  std::function<SetValue(const std::string&)> setter;     ///< parses a text; returns an empty function if not allowed
  std::function<std::string(const Study&)> text;          ///< the value as text that `setter` accepts
  std::vector<std::string> other_names;  ///< the key's names in other tools: lower case, with underscores
  std::vector<std::pair<std::string, std::string>> other_values;  ///< names of values in other tools, and the values
  std::vector<Condition> conditions;  ///< the key has an effect if all hold (study/effect.hpp)
};

}  // namespace sheaf

// Every key of a study: its name, help, default and range; how its text becomes a value and back.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "study/settings_table.hpp"
#include "study/study.hpp"

namespace sheaf {

/// What sets one key to the value that its text means, as often as needed. Throws UsageError with one sentence that
/// names the key, the value, and what is allowed (unknown key: the nearest one). Pure.
SetValue value_setter(const std::string& key, const std::string& text);

/// Sets one key from its text. Throws as value_setter.
void apply_setting(Study& study, const std::string& key, const std::string& text);

/// The value of one key as `apply_setting` takes it. Numbers print with all digits, the shortest form.
std::string setting_text(const Study& study, const std::string& key);

/// Something wrong between keys.
struct StudyProblem {
  std::string sentence;
  std::vector<std::string> keys;  ///< whose values it comes from: with other values of one of them it may be gone
};

/// What is wrong between the keys (each alone was checked when it was set), all of it, in the order of the sections.
/// Includes every searched combination's own problems, once each. Empty: the study is sound.
std::vector<StudyProblem> problems_in(const Study& study);

/// The whole study in the file format: sections, one `key = value` a line, searched keys under [search]; parsing it
/// again gives the same study.
std::string study_file_text(const Study& study);

}  // namespace sheaf

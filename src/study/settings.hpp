// Sets and prints the keys of a study, and checks them against each other.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "study/paths.hpp"
#include "study/search_options.hpp"
#include "study/settings_table.hpp"

namespace sheaf {

struct Study;

/// Returns a function that sets `key` to the value of `text`; it can be called any number of times. Throws UsageError
/// with the key, the value and the allowed values, or for an unknown key with a similar key. Pure.
SetValue value_setter(const std::string& key, const std::string& text);

/// All keys: those of settings_table(), then the searched keys (`search.<key>`).
const std::vector<std::string>& all_keys();

/// The type of the values of a key. Throws as value_setter() for an unknown key.
ValueKind value_kind(const std::string& key);

/// Sets one key from its text. Throws as value_setter().
void apply_setting(Study& study, const std::string& key, const std::string& text);

/// `text`, a value of `key`, with the path that it means if it has one (study/paths.hpp). Throws as value_setter(), and
/// for an undefined variable.
std::string with_read_path(const std::string& key, const std::string& text, const PathOrigin& origin);

/// The study with absolute paths of its data and model files. Relative ones are relative to `folder`; they stay
/// relative if a study file cannot store the absolute path. Pure.
Study with_absolute_inputs(Study study, const std::string& folder);

/// The value of a key as text that apply_setting() accepts. Numbers have the fewest digits that keep their value.
std::string setting_text(const Study& study, const std::string& key);

/// The keys with other values than the defaults, and the searched keys with their candidates: pairs of name and text,
/// in the order of the study file. Pure.
std::vector<std::pair<std::string, std::string>> changed_settings(const Study& study);

/// A problem between keys.
struct StudyProblem {
  std::string sentence;
  std::vector<std::string> keys;  ///< the keys that cause it; another value of one of them may solve it
};

/// All problems between keys, in the order of the sections, including those of single searched combinations, without
/// duplicates. The range of each key was checked when it was set. Empty: the study is valid.
std::vector<StudyProblem> problems_in(const Study& study);

/// The values of a searched key as a study file has them, with quoted paths. Pure.
std::string written_searched_text(SearchedKey searched);

/// The complete study in the file format: sections, one `key = value` per line, searched keys only in [search]. Parsing
/// the text gives the same study if relative paths are relative to the same directory.
std::string study_file_text(const Study& study);

}  // namespace sheaf

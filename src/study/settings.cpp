// SPDX-License-Identifier: MIT
#include "study/settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <filesystem>
#include <utility>

#include "core/error.hpp"
#include "core/quoted.hpp"
#include "study/other_names.hpp"
#include "study/quoted_value.hpp"
#include "study/searched_text.hpp"
#include "study/settings_table.hpp"

namespace sheaf {
namespace {

const Setting& known_setting(const std::string& key) {
  if (const Setting* setting = find_setting(key)) return *setting;
  const std::string hint = unknown_name_hint(key, all_keys(), "");
  throw UsageError(
      fmt::format("unknown key {}.{}", quoted(key), hint.empty() ? " Use --help to list the keys." : hint));
}

std::string section_of(const std::string& key) {
  return key.substr(0, key.find('.'));
}

// Replaces the path in a valid value of a setting, or returns the value unchanged if it has no path.
template <class Replace>
std::string with_path(const Setting& setting, const std::string& text, Replace replace) {
  if (setting.path == PathKind::none) return text;
  const std::size_t begin = setting.path_begin ? setting.path_begin(text) : 0;
  if (begin == text.npos) return text;
  return text.substr(0, begin) + quoted_value(replace(unquoted_value(text.substr(begin)).value_or("")));
}

// The advice for a list or a range of a key that takes one value and can be searched; empty for other texts.
std::string search_hint(const Setting& setting, const std::string& text) {
  if (!is_searchable(setting.info.key)) return "";
  const auto range = split_range(text);
  const std::vector<std::string> values = range ? range->ends : split_at_commas(text);
  const bool is_known = !range || sampling_named(range->name);
  const auto is_valid = [&](const std::string& value) { return !value.empty() && setting.setter(value) != nullptr; };
  if (!is_known || values.size() < 2 || !std::all_of(values.begin(), values.end(), is_valid)) return "";
  return fmt::format(" To compare several values, set search.{}.", setting.info.key);
}

}  // namespace

const std::vector<std::string>& all_keys() {
  static const std::vector<std::string> keys = [] {
    std::vector<std::string> found;
    for (const auto& setting : all_settings()) found.push_back(setting.key);
    for (const auto& searchable : searchable_keys()) found.push_back("search." + searchable);
    return found;
  }();
  return keys;
}

SetValue value_setter(const std::string& key, const std::string& text) {
  const Setting& setting = known_setting(key);
  if (SetValue set = setting.setter(text)) return set;
  const std::string hint = search_hint(setting, text);
  throw UsageError(fmt::format("{} cannot be {}. Allowed: {}.{}", key, text.empty() ? "empty" : quoted(text),
                               setting.allowed, hint.empty() ? unknown_value_hint(key, text, setting.names) : hint));
}

ValueKind value_kind(const std::string& key) {
  return known_setting(key).kind;
}

void apply_setting(Study& study, const std::string& key, const std::string& text) {
  value_setter(key, text)(study);
}

std::string with_read_path(const std::string& key, const std::string& text, const PathOrigin& origin) {
  value_setter(key, text);
  const Setting& setting = *find_setting(key);
  PathOrigin place = origin;
  if (setting.path == PathKind::output) place.folder.clear();
  return with_path(setting, text, [&](const std::string& path) { return read_path(key, path, place); });
}

Study with_absolute_inputs(Study study, const std::string& folder) {
  const auto absolute = [&](const std::string& path) {
    return path.empty() ? path : (std::filesystem::path(folder) / path).lexically_normal().string();
  };
  for (const auto& setting : settings_table())
    if (setting.path == PathKind::input)
      if (const SetValue set = setting.setter(with_path(setting, setting.text(study), absolute))) set(study);
  const auto make_absolute = [&](std::vector<SearchedKey>& keys) {
    for (auto& searched : keys)
      for (auto& candidate : searched.candidates) {
        const std::string replaced = with_path(*find_setting(searched.key), candidate, absolute);
        if (find_setting(searched.key)->setter(replaced)) candidate = replaced;
      }
  };
  make_absolute(study.search.keys);
  for (EarlierSpace& space : study.search.earlier) make_absolute(space.keys);
  return study;
}

std::string setting_text(const Study& study, const std::string& key) {
  const Setting* setting = find_setting(key);
  assert(setting);
  return setting->text(study);
}

std::vector<std::pair<std::string, std::string>> changed_settings(const Study& study) {
  std::vector<std::pair<std::string, std::string>> changed;
  for (const auto& setting : settings_table())
    if (const std::string text = setting.text(study); text != setting.info.default_value)
      changed.emplace_back(setting.info.key, text);
  for (const auto& searched : study.search.keys)
    changed.emplace_back("search." + searched.key, searched_text(searched));
  return changed;
}

std::string written_searched_text(SearchedKey searched) {
  for (auto& candidate : searched.candidates)
    candidate = with_path(*find_setting(searched.key), candidate, written_path);
  return searched_text(searched);
}

std::string study_file_text(const Study& study) {
  std::string file;
  std::string section;
  const auto write = [&file](const std::string& name, const std::string& text) {
    file += name + (text.empty() ? " =" : " = ") + text + "\n";
  };
  const auto& table = settings_table();
  for (std::size_t i = 0; i < table.size(); ++i) {
    const std::string& key = table[i].info.key;
    if (section_of(key) != section) {
      section = section_of(key);
      file += fmt::format("{}[{}]\n", file.empty() ? "" : "\n", section);
    }
    if (!is_searched(study, key))
      write(key.substr(section.size() + 1), with_path(table[i], table[i].text(study), written_path));
    const bool last_of_section = i + 1 == table.size() || section_of(table[i + 1].info.key) != section;
    if (section == "search" && last_of_section)
      for (const auto& searched : study.search.keys) write(searched.key, written_searched_text(searched));
  }
  return file;
}

}  // namespace sheaf

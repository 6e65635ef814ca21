// SPDX-License-Identifier: MIT
#include "study/settings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cassert>

#include "core/error.hpp"
#include "core/quoted.hpp"
#include "study/other_names.hpp"
#include "study/settings_table.hpp"

namespace sheaf {
namespace {

const Setting* find_setting(const std::string& key) {
  const auto& table = settings_table();
  const auto found = std::find_if(table.begin(), table.end(), [&](const auto& entry) { return entry.info.key == key; });
  return found == table.end() ? nullptr : &*found;
}

std::string section_of(const std::string& key) {
  return key.substr(0, key.find('.'));
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
  const Setting* setting = find_setting(key);
  if (!setting) {
    const std::string hint = unknown_name_hint(key, all_keys(), "");
    throw UsageError(
        fmt::format("unknown key {}.{}", quoted(key), hint.empty() ? " Use --help to list the keys." : hint));
  }
  if (SetValue set = setting->setter(text)) return set;
  throw UsageError(fmt::format("{} cannot be {}. Allowed: {}.{}", key, text.empty() ? "empty" : quoted(text),
                               setting->allowed, unknown_value_hint(key, text, setting->names)));
}

void apply_setting(Study& study, const std::string& key, const std::string& text) {
  value_setter(key, text)(study);
}

std::string setting_text(const Study& study, const std::string& key) {
  const Setting* setting = find_setting(key);
  assert(setting);
  return setting->text(study);
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
    write(key.substr(section.size() + 1), table[i].text(study));
    const bool last_of_section = i + 1 == table.size() || section_of(table[i + 1].info.key) != section;
    if (section == "search" && last_of_section)
      for (const auto& searched : study.search.keys)
        write(searched.key, fmt::format("{}", fmt::join(searched.candidates, ", ")));
  }
  return file;
}

}  // namespace sheaf

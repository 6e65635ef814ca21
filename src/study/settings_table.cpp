// SPDX-License-Identifier: MIT
#include "study/settings_table.hpp"

#include <algorithm>

#include "study/settings_section.hpp"
#include "study/study.hpp"

namespace sheaf {
namespace {

std::vector<Setting> make_table() {
  std::vector<Setting> table;
  for (const auto add : {add_study_keys, add_data_keys, add_model_keys, add_train_keys, add_ensemble_keys,
                         add_search_keys, add_run_keys})
    add(table);
  return table;
}

}  // namespace

const std::vector<Setting>& settings_table() {
  static const std::vector<Setting> table = make_table();
  return table;
}

const std::vector<SettingInfo>& all_settings() {
  static const std::vector<SettingInfo> infos = [] {
    std::vector<SettingInfo> collected;
    for (const auto& setting : settings_table()) collected.push_back(setting.info);
    return collected;
  }();
  return infos;
}

const std::vector<std::string>& searchable_keys() {
  static const std::vector<std::string> keys = [] {
    std::vector<std::string> found;
    for (const auto& setting : all_settings())
      if (setting.key.rfind("model.", 0) == 0 || setting.key.rfind("train.", 0) == 0) found.push_back(setting.key);
    return found;
  }();
  return keys;
}

bool is_searchable(const std::string& key) {
  return std::find(searchable_keys().begin(), searchable_keys().end(), key) != searchable_keys().end();
}

bool is_searched(const Study& study, const std::string& key) {
  const auto& keys = study.search.keys;
  return std::any_of(keys.begin(), keys.end(), [&](const auto& searched) { return searched.key == key; });
}

}  // namespace sheaf

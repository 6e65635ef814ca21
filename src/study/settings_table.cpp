// SPDX-License-Identifier: MIT
#include "study/settings_table.hpp"

#include <algorithm>
#include <cassert>
#include <iterator>

#include "study/settings_section.hpp"
#include "study/study.hpp"

namespace sheaf {
namespace {

// The keys of the training that have an effect on other models than networks.
constexpr const char* keys_of_all_models[] = {"train.epochs",     "train.loss",         "train.class_weights",
                                              "train.patience",   "train.best_weights", "train.stop_on",
                                              "train.min_change", "train.stop_fraction"};

bool is_of_networks(const std::string& key) {
  if (key == "data.normalize") return true;
  const auto is_key = [&](const char* other) { return key == other; };
  return key.rfind("train.", 0) == 0 &&
         std::none_of(std::begin(keys_of_all_models), std::end(keys_of_all_models), is_key);
}

std::vector<Setting> make_table() {
  std::vector<Setting> table;
  for (const auto add : {add_study_keys, add_data_keys, add_model_keys, add_train_keys, add_ensemble_keys,
                         add_search_keys, add_run_keys})
    add(table);
  const auto trains_network = [](const Study& study) { return is_network(study.model.kind); };
  for (Setting& setting : table)
    if (is_of_networks(setting.info.key))
      setting.conditions.push_back({{"model.kind"}, {}, trains_network, "", "model.kind = mlp"});
  return table;
}

std::string without_file(const std::string& value) {
  return value.substr(0, value.find(':'));
}

}  // namespace

SettingRow& SettingRow::only_with(const std::string& key, const std::vector<std::string>& values) {
  const auto row = std::find_if(table_.begin(), table_.end(), [&](const auto& entry) { return entry.info.key == key; });
  assert(row != table_.end() && !values.empty() && std::all_of(values.begin(), values.end(), row->setter));
  const auto holds = [text = row->text, values](const Study& study) {
    const std::string value = without_file(text(study));
    return std::any_of(values.begin(), values.end(), [&](const auto& wanted) { return without_file(wanted) == value; });
  };
  return only_if({{key}, values, holds, "", key + " = " + values.front()});
}

const std::vector<Setting>& settings_table() {
  static const std::vector<Setting> table = make_table();
  return table;
}

const Setting* find_setting(const std::string& key) {
  const auto& table = settings_table();
  const auto found = std::find_if(table.begin(), table.end(), [&](const auto& entry) { return entry.info.key == key; });
  return found == table.end() ? nullptr : &*found;
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
    for (const auto& setting : settings_table())
      if (setting.is_searchable) found.push_back(setting.info.key);
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

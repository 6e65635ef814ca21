// The table of all keys of a study, one entry per key.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "study/setting.hpp"
#include "study/study.hpp"

namespace sheaf {

/// Every key, in the order of the sections.
const std::vector<Setting>& settings_table();

/// The row of `key`; null: there is no such key.
const Setting* find_setting(const std::string& key);
/// All keys, in the order of the sections, without searched keys (`search.<key>`).
const std::vector<SettingInfo>& all_settings();

/// The keys that can be searched, in the order of settings_table(): data.normalize and those of [model] and [train].
const std::vector<std::string>& searchable_keys();

bool is_searchable(const std::string& key);

/// Whether the study has candidates of `key`.
bool is_searched(const Study& study, const std::string& key);

}  // namespace sheaf

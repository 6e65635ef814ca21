// SPDX-License-Identifier: MIT
#include "study/effect.hpp"

#include <algorithm>

namespace sheaf {
const Condition* failed_condition(const Setting& setting, const Study& study) {
  for (const Condition& condition : setting.conditions)
    if (!condition.holds(study)) return &condition;
  return nullptr;
}

bool is_decided_by(const Setting& setting, const std::string& key) {
  return std::any_of(setting.conditions.begin(), setting.conditions.end(), [&](const Condition& condition) {
    return std::find(condition.keys.begin(), condition.keys.end(), key) != condition.keys.end();
  });
}

bool is_set(const Setting& setting, const Study& study) {
  const std::string value = setting.text(study);
  return value != setting.info.default_value && value != "none";
}

}  // namespace sheaf

// Whether a key of a study has an effect, according to the conditions of its row. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "study/setting.hpp"

namespace sheaf {

/// The first condition of `setting` that does not hold; null: the key has an effect.
const Condition* failed_condition(const Setting& setting, const Study& study);

/// Whether the effect of `setting` depends on `key`.
bool is_decided_by(const Setting& setting, const std::string& key);

/// Whether a key is set to a value that is meant to have an effect: neither its default nor `none`.
bool is_set(const Setting& setting, const Study& study);

}  // namespace sheaf

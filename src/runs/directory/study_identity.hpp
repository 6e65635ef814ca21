// Compares settled studies (commands/train/settle_study.hpp) by the keys that affect results. A run can be resumed with
// a study that has the same values of these keys. They are marked in the settings table; searched keys also belong to
// them. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace sheaf {

struct Study;

/// A hash of the keys that affect results and of their values, as 16 hexadecimal digits.
std::string study_fingerprint(const Study& study);

/// The keys that affect results and differ, as "train.epochs = 5, was 10". If there are none, a run of one study can be
/// resumed with the other.
std::vector<std::string> differing_keys(const Study& study, const Study& stored);

}  // namespace sheaf

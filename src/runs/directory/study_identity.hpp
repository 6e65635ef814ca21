// Which studies have the same results: what a run may be resumed with. For studies that are settled
// (commands/train/settle_study.hpp). The settings table says which keys decide results; searched keys do, too. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "study/study.hpp"

namespace sheaf {

/// A number for the keys that decide the results, searched ones included, as 16 hexadecimal digits.
std::string study_fingerprint(const Study& study);

/// The keys that decide the results and differ, as "train.epochs = 5, was 10"; empty: each may go on where the other
/// stopped.
std::vector<std::string> differing_keys(const Study& study, const Study& stored);

}  // namespace sheaf

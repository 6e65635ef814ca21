// Which studies have the same results: what a run may be resumed with. For studies that are settled
// (commands/train/settle_study.hpp). Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "study/study.hpp"

namespace sheaf {

/// Whether iterations may depend on the key. They do not on where and how a run takes place ([run] but for its engine
/// and curves), on the study's name, and on the data file's path, whose content has a fingerprint of its own.
/// run.threads and run.device are not among them: with others, what LibTorch trains agrees to rounding.
bool decides_results(const std::string& key);

/// A number for the keys that decide the results, searched ones included, as 16 hexadecimal digits.
std::string study_fingerprint(const Study& study);

/// The keys that decide the results and differ, as "train.epochs = 5, was 10"; empty: each may go on where the other
/// stopped.
std::vector<std::string> differing_keys(const Study& study, const Study& stored);

}  // namespace sheaf

// Compares settled studies (commands/train/prepare/settle_study.hpp) by the keys that affect results. A run can be
// resumed with a study that has the same values of these keys. They are marked in the settings table; searched keys
// also belong to them. The number of iterations is not one of them: it can be changed. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace sheaf {

struct Study;

/// A hash of the keys that affect results and of their values, as 16 hexadecimal digits. A run has the same hash with
/// another number of iterations.
std::string study_fingerprint(const Study& study);

/// The keys that affect results and differ, as "train.epochs = 5, was 10". If there are none, a run of one study can be
/// resumed with the other. Another number of trials of a search that draws them, of iterations without searched keys,
/// or another end of the search (search.time, search.patience) does not differ: the iterations of `stored` keep their
/// numbers.
std::vector<std::string> differing_keys(const Study& study, const Study& stored);

/// Whether the studies have other numbers of trials or iterations, or other ends of the search. Both have the same
/// values of all other keys that affect results.
bool has_other_counts(const Study& study, const Study& stored);

/// `stored` with these values of `study`.
Study with_counts_of(const Study& study, Study stored);

}  // namespace sheaf

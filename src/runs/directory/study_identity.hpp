// Compares settled studies (commands/train/prepare/settle_study.hpp) by the keys that affect results. A run can be
// resumed with a study that has the same values of these keys. They are marked in the settings table; searched keys
// also belong to them. The number of iterations is not one of them: it can be changed, and with it the lists and ranges
// of new trials. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sheaf {

struct Study;

/// A hash of the keys that affect results and of their values, as 16 hexadecimal digits. A run has the same hash with
/// another number of iterations, and with other lists and ranges for new trials: those of the first trials count.
std::string study_fingerprint(const Study& study);

/// The keys that affect results and differ, as "train.epochs = 5, was 10". If there are none, a run of one study can be
/// resumed with the other. Another number of trials of a search that draws them, of repeats without searched keys,
/// or another end of the search (search.time, search.patience) does not differ: the iterations of `stored` keep their
/// numbers. Of the searched keys, the lists and ranges of the first trials are compared.
std::vector<std::string> differing_keys(const Study& study, const Study& stored);

/// Whether the searches have the same keys with other lists or ranges, and a run of `stored` can be extended with those
/// of `study`: they hold for new trials. Searches in stages cannot, since they compare all trials.
bool has_other_values(const Study& study, const Study& stored);

/// `study` as an extension of a run of `stored`: if it has_other_values(), the first `known` trials of the run keep
/// their lists and ranges. A grid keeps all combinations of `stored`, and trials of search.start are of the first
/// space.
Study extended(Study study, const Study& stored, std::int64_t known);

/// Whether the studies have other numbers of trials or iterations, other ends of the search, or other lists and ranges
/// of new trials. Both have the same values of all other keys that affect results.
bool has_other_extent(const Study& study, const Study& stored);

/// `stored` with these values of `study`.
Study with_extent_of(const Study& study, Study stored);

}  // namespace sheaf

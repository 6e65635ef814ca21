// The checks between keys, by section. Each adds the problems that it finds. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <unordered_set>
#include <vector>

#include "study/metrics.hpp"
#include "study/settings.hpp"
#include "study/study.hpp"

namespace sheaf {

/// Problems in the order in which they were found, without duplicates.
class Problems {
 public:
  /// `keys`: those that cause the problem. `sentence` may have values with any characters.
  void add(const std::vector<std::string>& keys, const std::string& sentence);
  const std::vector<StudyProblem>& list() const { return list_; }

 private:
  std::unordered_set<std::string> known_;
  std::vector<StudyProblem> list_;
};

/// "train.epochs = 5"
std::string assignment(const Study& study, const std::string& key);

/// Checks of the study as a whole.
void check_data(const Study& study, Problems& problems);
void check_auto_candidates(const Study& study, Problems& problems);
void check_search(const Study& study, Problems& problems);
void check_ensemble(const Study& study, Problems& problems);
void check_iteration_count(const Study& study, Problems& problems);
void check_run(const Study& study, Problems& problems);

/// Checks of one combination of candidates, which is set in `study`.
void check_target_normalization(const Study& study, Problems& problems);
void check_model(const Study& study, Problems& problems);
void check_train(const Study& study, Problems& problems);
void check_schedule(const Study& study, Problems& problems);
void check_best_epoch(const Study& study, Problems& problems);
/// Checks the metrics that `key` names.
void check_metrics(const Study& study, const std::string& key, const std::vector<MetricChoice>& metrics,
                   Problems& problems);
void check_tf32(const Study& study, Problems& problems);
void check_saved_models(const Study& study, Problems& problems);

}  // namespace sheaf

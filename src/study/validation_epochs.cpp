// SPDX-License-Identifier: MIT
#include "study/validation_epochs.hpp"

#include <algorithm>

#include "study/search_spaces.hpp"
#include "study/settings.hpp"

namespace sheaf {
namespace {

// Whether a value of a searched key lets trainings follow the validation loss.
bool any_candidate_follows(const SearchedKey& searched) {
  for (const char* key : {"train.schedule", "train.patience", "train.best_weights"})
    if (searched.key == key)
      return std::any_of(searched.candidates.begin(), searched.candidates.end(), [&](const std::string& value) {
        Study trial;
        apply_setting(trial, key, value);
        return follows_validations(trial.train);
      });
  return false;
}

}  // namespace

bool validates(const Study& study) {
  return study.search.folds > 1 || has_validation_rows(study.data);
}

ValidationEpochs validation_epochs(const SettledStudy& study) {
  if (!validates(study)) return {ValidationEpochs::never};
  const auto keys = keys_of_all_spaces(study->search);
  const bool every_epoch = study.curves() || follows_validations(study->train) ||
                           std::any_of(keys.begin(), keys.end(), any_candidate_follows);
  return {every_epoch ? 1 : ValidationEpochs::last};
}

}  // namespace sheaf

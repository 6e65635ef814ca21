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

ValidationEpochs validation_epochs(const Study& study) {
  if (study.search.folds <= 1 && !has_validation_rows(study.data)) return {ValidationEpochs::never};
  const auto keys = keys_of_all_spaces(study.search);
  const bool every_epoch = study.run.curves.value_or(false) || follows_validations(study.train) ||
                           std::any_of(keys.begin(), keys.end(), any_candidate_follows);
  return {every_epoch ? 1 : ValidationEpochs::last};
}

}  // namespace sheaf

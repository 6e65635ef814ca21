// SPDX-License-Identifier: MIT
#include "study/validation_epochs.hpp"

#include <algorithm>

#include "study/settings.hpp"

namespace sheaf {
namespace {

// Whether a value of a searched key lets trainings follow the validation loss.
bool any_candidate_follows(const Study& study) {
  Study with_candidate = study;
  return std::any_of(study.search.keys.begin(), study.search.keys.end(), [&](const SearchedKey& searched) {
    return std::any_of(searched.candidates.begin(), searched.candidates.end(), [&](const std::string& value) {
      with_candidate.train = study.train;
      apply_setting(with_candidate, searched.key, value);
      return follows_validations(with_candidate.train);
    });
  });
}

}  // namespace

ValidationEpochs validation_epochs(const Study& study) {
  if (study.search.folds <= 1 && study.data.validation.value_or(0) == 0) return {ValidationEpochs::never};
  const bool every_epoch =
      study.run.curves.value_or(false) || follows_validations(study.train) || any_candidate_follows(study);
  return {every_epoch ? 1 : ValidationEpochs::last};
}

}  // namespace sheaf

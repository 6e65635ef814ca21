// Builds studies for tests from settings as text.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "study/settings.hpp"
#include "study/study.hpp"

namespace sheaf {

using Assignments = std::vector<std::pair<std::string, std::string>>;

inline Study study_with(const Assignments& assignments, Study study = {}) {
  for (const auto& [key, text] : assignments) apply_setting(study, key, text);
  return study;
}

/// A valid study that reads a file.
inline Study file_study(const Assignments& assignments = {}) {
  return study_with(assignments, study_with({{"data.file", "d.h5"}}));
}

/// A valid study with synthetic data.
inline Study synthetic_study(const Assignments& assignments = {}) {
  return study_with(assignments, study_with({{"data.source", "synthetic"}, {"data.draw", "study"}}));
}

/// `study` with a grid over `keys`.
inline Study grid(Study study, const std::vector<SearchedKey>& keys) {
  study.search.method = SearchMethod::grid;
  study.search.keys = keys;
  return study;
}

}  // namespace sheaf

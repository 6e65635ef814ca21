// What a report takes from summary.json. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sheaf {

using NamedTexts = std::vector<std::pair<std::string, std::string>>;

/// All of it may be missing.
struct StoredSummary {
  bool is_damaged = false;                ///< the text is not a JSON object
  NamedTexts origin;                      ///< as in StoredResults; has at least the data and the program
  NamedTexts tests;                       ///< likewise
  std::optional<std::string> out_of_bag;  ///< likewise
  std::optional<double> idle_share;
  std::optional<std::int64_t> refit_rows;
  std::vector<std::string> best_models;  ///< files, relative to the run directory
};

/// `text`: of summary.json, if there is one. `data_file`: of the study, empty for synthetic data. `program_version`:
/// that stored the study; empty if it is not known. Members that are missing or of another type are left out.
StoredSummary stored_summary(const std::optional<std::string>& text, const std::string& data_file,
                             const std::string& program_version);

}  // namespace sheaf

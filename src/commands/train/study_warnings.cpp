// SPDX-License-Identifier: MIT
#include "commands/train/study_warnings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstddef>
#include <cstdint>

#include "core/quoted.hpp"
#include "core/text.hpp"
#include "study/validation_epochs.hpp"

namespace sheaf {
namespace {

// More are counted only.
constexpr std::size_t max_classes_named = 5;

bool ranks_by_training_loss(const Study& study, const Plan& plan) {
  return plan.trial_count() > 1 && !validation_epochs(study).any();
}

std::vector<std::int64_t> rows_of_classes(const DataSet& data) {
  std::vector<std::int64_t> counts(static_cast<std::size_t>(data.output_count));
  for (std::int64_t row = 0; row < data.rows; ++row) ++counts[static_cast<std::size_t>(data.labels[row])];
  return counts;
}

// Empty if every class has a row for each fold.
std::string small_classes(const DataSet& data, std::int64_t folds, const std::vector<std::string>& class_names) {
  std::vector<std::string> named;
  std::size_t small = 0;
  const auto counts = rows_of_classes(data);
  for (std::size_t label = 0; label < counts.size(); ++label) {
    if (counts[label] >= folds) continue;
    if (++small > max_classes_named) continue;
    const std::string name = label < class_names.size() ? quoted(class_names[label]) : fmt::format("{}", label);
    named.push_back(fmt::format("{} ({})", name, counted(counts[label], "row")));
  }
  if (small == 0) return "";
  return fmt::format(
      "{} {}{} {} fewer rows than search.folds = {} (some folds validate without them). Use fewer folds, or add rows.",
      small == 1 ? "class" : "classes", fmt::join(named, ", "),
      small > named.size() ? fmt::format(" and {} more", small - named.size()) : "", small == 1 ? "has" : "have",
      folds);
}

}  // namespace

std::vector<std::string> study_warnings(const Study& study, const Plan& plan, const DataSet* data,
                                        const std::vector<std::string>& class_names) {
  std::vector<std::string> warnings;
  if (ranks_by_training_loss(study, plan))
    warnings.emplace_back(
        "the trials are ranked by their training loss, which favors models that overfit (no rows are held out). Set "
        "search.folds or data.validation.");
  if (study.search.folds > 1 && data != nullptr && data->labels != nullptr)
    if (auto warning = small_classes(*data, study.search.folds, class_names); !warning.empty())
      warnings.push_back(std::move(warning));
  return warnings;
}

}  // namespace sheaf

// SPDX-License-Identifier: MIT
#include "report/compared_runs.hpp"

#include <fmt/format.h>

#include "core/text.hpp"
#include "report/status_report.hpp"

namespace sheaf {

std::vector<std::vector<std::string>> comparison_table(const std::vector<RunReport>& reports) {
  std::vector<std::vector<std::string>> rows = {{"run", "study", "state", "iterations", "ranked", "ranked by", "best",
                                                 "best number", "seconds", "lanes", "core-seconds"}};
  for (const RunReport& report : reports) {
    const IterationCounts& counts = report.status.iterations;
    const bool has_best = !report.objects.empty();
    rows.push_back({printable(report.run.directory), printable(report.run.study->study.name),
                    activity_name(report.status.activity), fmt::format("{}", counts.total - counts.left()),
                    fmt::format("{}", report.objects.size()), report.value.name,
                    has_best ? value_text_of(report.value, report.best().value) : "",
                    has_best ? fmt::format("{} {}", report.object_name(), report.best().number) : "",
                    fmt::format("{:.2f}", report.cost.seconds), fmt::format("{}", report.cost.lanes),
                    fmt::format("{:.2f}", report.cost.core_seconds())});
  }
  return rows;
}

std::string comparison_csv(const std::vector<RunReport>& reports) {
  std::string text;
  for (const auto& row : comparison_table(reports))
    for (std::size_t cell = 0; cell < row.size(); ++cell)
      text += csv_field(row[cell]) + (cell + 1 < row.size() ? "," : "\n");
  return text;
}

}  // namespace sheaf

// SPDX-License-Identifier: MIT
#include "data/feature_fills.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/text.hpp"
#include "data/feature_kind.hpp"

namespace sheaf {

bool FeatureFills::has_empty_cells() const {
  return std::any_of(empty_cells.begin(), empty_cells.end(), [](std::int64_t count) { return count > 0; });
}

bool FeatureFills::uses(FillRule rule) const {
  for (std::size_t feature = 0; feature < rules.size(); ++feature)
    if (empty_cells[feature] > 0 && std::isnan(known[feature]) && rules[feature] == rule) return true;
  return false;
}

bool FeatureFills::uses_inputs() const {
  for (std::size_t feature = 0; feature < has_input.size(); ++feature)
    if (has_input[feature] && empty_cells[feature] > 0) return true;
  return false;
}

FeatureFills feature_fills(const std::vector<DataColumn>& columns, std::int64_t features) {
  FeatureFills fills;
  for (const FeatureKind& kind : feature_kinds(columns, features)) {
    fills.is_number.push_back(!kind.is_category());
    fills.has_input.push_back(!kind.is_category() && kind.has_empty_cells);
    fills.known.push_back(kind.fill);
  }
  for (const DataColumn& column : columns) fills.rules.push_back(column.fill_rule);
  fills.rules.resize(fills.known.size(), FillRule::median);
  fills.empty_cells.resize(fills.known.size());
  return fills;
}

void count_empty_cells(const float* values, std::int64_t rows, std::vector<std::int64_t>& counts) {
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t& count : counts) count += std::isnan(*values++) ? 1 : 0;
}

std::string empty_cells_text(const FeatureFills& fills, EmptyCellsFor taker) {
  if (!fills.has_empty_cells()) return "";
  const std::int64_t cells = std::accumulate(fills.empty_cells.begin(), fills.empty_cells.end(), std::int64_t{0});
  const auto columns =
      std::count_if(fills.empty_cells.begin(), fills.empty_cells.end(), [](std::int64_t count) { return count > 0; });
  std::vector<std::string> ways;
  bool states = false;
  const bool has_inputs = taker == EmptyCellsFor::encodings && fills.uses_inputs();
  if (fills.uses(FillRule::median)) ways.emplace_back("the median of the training rows");
  if (fills.uses(FillRule::mean)) ways.emplace_back("the mean of the training rows");
  for (std::size_t feature = 0; feature < fills.known.size(); ++feature)
    if (fills.empty_cells[feature] > 0 && !std::isnan(fills.known[feature])) {
      ways.emplace_back("the value that the data file states");
      states = true;
      break;
    }
  const std::string text =
      fmt::format("{} in {} {} ", counted(cells, "empty cell"), counted(columns, "column"), cells == 1 ? "is" : "are");
  return taker != EmptyCellsFor::trees ? fmt::format("{}filled with {}{}", text, fmt::join(ways, " or "),
                                                     has_inputs ? ", and marked by another input of the network" : "")
                                       : fmt::format("{}missing values for the trees{}", text,
                                                     states ? ", except where the data file states a value" : "");
}

}  // namespace sheaf

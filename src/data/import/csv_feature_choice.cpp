// SPDX-License-Identifier: MIT
#include "data/import/csv_feature_choice.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.hpp"
#include "core/quoted.hpp"
#include "core/text.hpp"

namespace sheaf {
namespace {

using Kind = FeatureColumn::Kind;

void require_clear(const CsvBeginning& first, const CsvLayout& layout, std::size_t column, const ChosenDecimal& decimal,
                   const CsvOptions& options) {
  require(kind_of(first.evidence[column], decimal.mark) != ColumnKind::unclear, [&] {
    const auto mark = decimal.is_known ? std::optional(decimal.mark) : std::nullopt;
    return fmt::format(
        "The texts of {} of '{}' look like numbers, but cannot all be read as such{} (for example {}). Write them as "
        "numbers, read them as categories with --categorical={}, or drop the column with --drop={}.",
        layout.text_of(column), first.name(),
        options.decimal ? fmt::format(" with --decimal={}", *options.decimal) : "",
        quoted(as_utf8(first_unreadable(first, column, mark, options.empty))), layout.option_of(column),
        layout.option_of(column));
  });
}

Kind feature_kind(ColumnKind kind) {
  if (kind == ColumnKind::undecided) return Kind::undecided;
  return kind == ColumnKind::number ? Kind::number : Kind::text;
}

}  // namespace

std::vector<FeatureColumn> choose_features(const CsvBeginning& first, const CsvLayout& layout,
                                           const ChosenDecimal& decimal, const CsvOptions& options) {
  using Refused = FeatureColumn::Refused;
  const bool are_known = options.like != nullptr && !options.like->columns.empty();
  const auto& categorical = layout.roles.categorical;
  std::vector<FeatureColumn> features;
  for (std::size_t index = 0; index < layout.features.size(); ++index) {
    const auto& [column, date_part] = layout.features[index];
    const std::string name = layout.names.empty() ? "" : layout.names[column];
    const std::string option = layout.option_of(column);
    if (are_known) {
      features.emplace_back(options.like->columns[index], option, options.missing, options.empty,
                            options.refuses_unknown ? Refused::unknown_texts : Refused::nothing);
      if (const auto shown = first.evidence[column].date_format.format()) features.back().set_format(*shown);
    } else if (options.numbers_only) {
      features.emplace_back(number_column(name), option, options.missing, options.empty,
                            Refused::unknown_texts_and_empty_cells);
    } else if (date_part) {
      features.emplace_back(*date_part, option, options.missing, options.empty);
    } else if (std::find(categorical.begin(), categorical.end(), column) != categorical.end()) {
      features.emplace_back(name, option, Kind::text, options.missing, options.empty);
    } else {
      require_clear(first, layout, column, decimal, options);
      features.emplace_back(name, option, feature_kind(kind_of(first.evidence[column], decimal.mark)), options.missing,
                            options.empty);
    }
  }
  return features;
}

}  // namespace sheaf

// SPDX-License-Identifier: MIT
#include "data/column_encoding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <numeric>
#include <string>
#include <unordered_map>
#include <utility>

#include "core/text.hpp"

namespace sheaf {

void ColumnEncoding::add(Column column) {
  subtracts_ = subtracts_ || column.offset != 0;
  columns_.push_back(std::move(column));
}

ColumnEncoding ColumnEncoding::of(const std::vector<DataColumn>& columns) {
  std::vector<std::int64_t> positions(columns.size());
  std::iota(positions.begin(), positions.end(), 0);
  return between(columns, columns, positions);
}

ColumnEncoding ColumnEncoding::between(const std::vector<DataColumn>& stored, const std::vector<DataColumn>& wanted,
                                       const std::vector<std::int64_t>& positions) {
  assert(positions.size() == wanted.size());
  ColumnEncoding encoding;
  encoding.stored_count_ = static_cast<std::int64_t>(stored.size());
  bool is_identity = stored.size() == wanted.size();
  for (std::size_t index = 0; index < wanted.size(); ++index) {
    const DataColumn& to = wanted[index];
    const DataColumn& from = stored[static_cast<std::size_t>(positions[index])];
    assert(from.is_text() == to.is_text());
    Column column{positions[index], to.is_text() ? 0 : to.offset - from.offset};
    is_identity = is_identity && positions[index] == static_cast<std::int64_t>(index) && !to.is_text();
    if (to.is_text()) {
      std::unordered_map<std::string, float> codes;
      for (const auto& category : to.categories) codes.emplace(category, static_cast<float>(codes.size()));
      column.categories.push_back({no_category, from.has_empty_cells && !to.has_empty_cells});
      for (const auto& category : from.categories) {
        const auto found = codes.find(category);
        column.categories.push_back(found == codes.end() ? Category{no_category, true} : Category{found->second});
      }
    }
    encoding.add(std::move(column));
  }
  return is_identity && !encoding.subtracts_ ? ColumnEncoding() : encoding;
}

ColumnEncoding ColumnEncoding::subtracting(const std::vector<double>& offsets) {
  ColumnEncoding encoding;
  for (const double offset : offsets) encoding.add({encoding.stored_count_++, offset});
  return encoding.subtracts_ ? encoding : ColumnEncoding();
}

template <class Value>
std::optional<ColumnEncoding::BadCode> ColumnEncoding::encode(const Value* stored, std::int64_t rows, float* features,
                                                              std::int64_t& unknown) const {
  for (std::int64_t row = 0; row < rows; ++row, stored += stored_count_)
    for (const Column& column : columns_) {
      const Value value = stored[column.stored];
      if (column.categories.empty()) {
        *features++ = static_cast<float>(static_cast<double>(value) - column.offset);
        continue;
      }
      const auto codes = static_cast<double>(column.categories.size()) - 1;
      const auto code = static_cast<double>(value);
      // The comparisons are false for NaN.
      if (!(code >= -1 && code < codes) || code != static_cast<double>(static_cast<std::int64_t>(code)))
        return BadCode{row, column.stored, code};
      const Category category = column.categories[static_cast<std::size_t>(static_cast<std::int64_t>(code) + 1)];
      *features++ = category.code;
      unknown += std::int64_t{category.is_unknown};
    }
  return std::nullopt;
}

template std::optional<ColumnEncoding::BadCode> ColumnEncoding::encode(const float*, std::int64_t, float*,
                                                                       std::int64_t&) const;
template std::optional<ColumnEncoding::BadCode> ColumnEncoding::encode(const double*, std::int64_t, float*,
                                                                       std::int64_t&) const;

std::vector<double> feature_offsets(const std::vector<DataColumn>& columns) {
  std::vector<double> offsets;
  for (const DataColumn& column : columns) offsets.push_back(column.offset);
  const bool any = std::any_of(offsets.begin(), offsets.end(), [](double offset) { return offset != 0; });
  return any ? offsets : std::vector<double>();
}

std::string unknown_cells_note(std::int64_t cells) {
  return fmt::format(
      "{} {} not among the categories of the training data; such cells are read as empty cells where the training data "
      "had some, otherwise as none of the categories",
      counted(cells, "cell"), cells == 1 ? "is" : "are");
}

}  // namespace sheaf

// Whether the first line of a table is a header. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/import/csv_kinds.hpp"

namespace sheaf {

enum class HeaderVerdict { header, row, contradictory };

/// Judges the cells of the first line by the rows below. `columns`: the evidence of these rows. `label`: the column of
/// the targets. `is_unnamed`: the columns of the model or the other file have no names. The evidence and its order are
/// those of find_start().
HeaderVerdict header_verdict(const std::vector<std::string_view>& cells, const std::vector<ColumnEvidence>& columns,
                             std::optional<std::size_t> label, const EmptyCells& empty, bool is_unnamed);

/// Whether a cell is a number in a form that all tables share.
bool is_number(std::string_view cell);

/// Whether a name is one that programs give to a column of row numbers: "", "Unnamed: 0", "Unnamed: 0.1".
bool is_row_number_name(const std::string& name);

}  // namespace sheaf

// SPDX-License-Identifier: MIT
#include "commands/preprocess/column_units.hpp"

#include <fmt/format.h>

#include <utility>

#include "core/error.hpp"
#include "core/quoted.hpp"
#include "data/stored_description.hpp"
#include "files/hdf5/file.hpp"

namespace sheaf {
namespace {

RowScaling moved(const DescribedColumns& stored, RowScaling scaling, double direction) {
  for (std::size_t column = 0; column < stored.columns.size(); ++column)
    scaling.shift[column] += direction * stored.columns[column].offset;
  return scaling;
}

}  // namespace

DescribedColumns stored_columns(const std::string& path, const std::string& features) {
  const InputFile file(path);
  if (!file.texts(features, "columns")) return {};
  DescribedColumns described = read_columns(file, path, features, file.data_set(features).info().row_elements());
  return described.form == FeatureForm::columns ? described : DescribedColumns();
}

void require_convertible(const DescribedColumns& stored, const TransformPlan& plan, const std::string& path) {
  if (is_real(plan.type)) return;
  for (const DataColumn& column : stored.columns) {
    const char* reason = column.is_text()         ? "it has texts"
                         : column.has_empty_cells ? "it has empty cells"
                         : column.offset != 0     ? "its numbers need more digits"
                                                  : nullptr;
    require(reason == nullptr, [&] {
      return fmt::format("column {} of '{}' cannot be converted to {} ({}). Pass --cast=float32, or leave out --cast.",
                         quoted(column.name), path, number_type_name(plan.type), reason);
    });
  }
}

void require_codes_stay(const DescribedColumns& stored, const RowScaling& scaling, const std::string& path,
                        const std::string& like) {
  for (std::size_t column = 0; column < stored.columns.size(); ++column)
    require(!stored.columns[column].is_text() || (scaling.shift[column] == 0 && scaling.divisor[column] == 1), [&] {
      return fmt::format("column {} has texts in '{}' but numbers in '{}'. Import the file with --like={} first.",
                         quoted(stored.columns[column].name), path, like, like);
    });
}

RowScaling without_codes(const DescribedColumns& stored, RowScaling scaling) {
  for (std::size_t column = 0; column < stored.columns.size(); ++column)
    if (stored.columns[column].is_text()) {
      scaling.shift[column] = 0;
      scaling.divisor[column] = 1;
    }
  return scaling;
}

RowScaling in_table_units(const DescribedColumns& stored, RowScaling scaling) {
  return moved(stored, std::move(scaling), 1);
}

RowScaling in_stored_units(const DescribedColumns& stored, RowScaling scaling) {
  return moved(stored, std::move(scaling), -1);
}

DescribedColumns scaled_columns(DescribedColumns stored, const RowScaling& scaling) {
  for (std::size_t index = 0; index < stored.columns.size(); ++index) {
    DataColumn& column = stored.columns[index];
    column.offset = 0;
    if (column.fill) column.fill = (*column.fill - scaling.shift[index]) / scaling.divisor[index];
  }
  return stored;
}

}  // namespace sheaf

// SPDX-License-Identifier: MIT
#include "data/table_columns.hpp"

#include <set>
#include <unordered_map>
#include <utility>

namespace sheaf {

TableColumns table_columns(const std::vector<DataColumn>& columns) {
  TableColumns table;
  std::unordered_map<std::string, std::size_t> dates;  // with names
  const DataColumn* previous = nullptr;
  for (const DataColumn& column : columns) {
    const std::size_t next = table.names.size();
    std::size_t number = next;
    if (column.date && !column.date->column.empty())
      number = dates.try_emplace(column.date->column, next).first->second;
    else if (column.date && previous != nullptr && previous->date && previous->date->column.empty() &&
             previous->date->part < column.date->part)
      number = next - 1;
    if (number == next) table.names.push_back(column.date ? column.date->column : column.name);
    table.of_column.push_back(number);
    previous = &column;
  }
  return table;
}

std::int64_t date_column_count(const std::vector<DataColumn>& columns) {
  const TableColumns table = table_columns(columns);
  std::set<std::size_t> dates;
  for (std::size_t index = 0; index < columns.size(); ++index)
    if (columns[index].date) dates.insert(table.of_column[index]);
  return static_cast<std::int64_t>(dates.size());
}

std::vector<DataColumn> date_columns(const std::string& name, DateFormat format) {
  std::vector<DataColumn> columns;
  for (const DatePart part : all_date_parts) {
    std::string own_name = name;
    if (!name.empty()) own_name.append(".").append(name_of(part));
    columns.push_back(number_column(std::move(own_name)));
    columns.back().date = DateSource{name, part, format};
  }
  return columns;
}

}  // namespace sheaf

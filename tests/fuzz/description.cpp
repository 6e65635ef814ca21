// Input parts: columns of a table as JSON, and the description of a data set as JSON.
// SPDX-License-Identifier: MIT
#include "data/data_description.hpp"

#include "fuzzing.hpp"

using namespace sheaf;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::Input input(data, size);
  std::vector<DataColumn> columns;
  if (fuzz::accepts([&] { columns = parse_columns(input.part(0)); })) {
    fuzz::must(parse_columns(columns_text(columns)) == columns, "columns are the same after writing and reading");
    fuzz::must(feature_count(columns) == static_cast<std::int64_t>(feature_names(columns).size()),
               "every feature has a name");
  }
  DataDescription description;
  if (!fuzz::accepts([&] { description = parse_description(input.part(1)); })) return 0;
  const std::string written = description_text(description);
  const DataDescription read = parse_description(written);
  fuzz::must(description_text(read) == written && read.columns == description.columns &&
                 read.class_names == description.class_names && read.target_names == description.target_names,
             "a description is the same after writing and reading");
  return 0;
}

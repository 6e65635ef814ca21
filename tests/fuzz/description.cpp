// Input parts: columns of a table as JSON, and the description of a data set as JSON.
// SPDX-License-Identifier: MIT
#include "data/data_description.hpp"
#include "data/description_text.hpp"

#include <algorithm>

#include "data/column_encoding.hpp"

#include "fuzzing.hpp"

using namespace sheaf;

namespace {

// Encodes a row in which every number is 0 and every text the first category of its column.
void encode_zeros(const std::vector<DataColumn>& columns, std::int64_t features) {
  const ColumnEncoding encoding = ColumnEncoding::of(columns);
  if (encoding.is_identity()) return;
  const std::vector<float> row(columns.size());
  std::vector<float> encoded(static_cast<std::size_t>(features), -1);
  std::int64_t unknown = 0;
  fuzz::must(!encoding.encode(row.data(), 1, encoded.data(), unknown) && unknown == 0, "0 is a code of every column");
  fuzz::must(std::all_of(encoded.begin(), encoded.end(), [](float value) { return value == 0 || value == 1; }),
             "every feature gets a value");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::Input input(data, size);
  DescribedColumns described;
  if (fuzz::accepts([&] { described = parse_columns(input.part(0)); })) {
    const auto& columns = described.columns;
    const DescribedColumns read = parse_columns(columns_text(columns, described.dropped, described.reading));
    fuzz::must(read.columns == columns && read.dropped == described.dropped && read.reading == described.reading,
               "columns are the same after writing and reading");
    const auto features = static_cast<std::int64_t>(feature_names(columns).size());
    fuzz::must(feature_count(columns) == features, "every feature has a name");
    encode_zeros(columns, features);
  }
  DataDescription description;
  if (!fuzz::accepts([&] { description = parse_description(input.part(1)); })) return 0;
  const std::string written = description_text(description);
  const DataDescription read = parse_description(written);
  fuzz::must(description_text(read) == written && read.columns == description.columns &&
                 read.class_names == description.class_names && read.target_names == description.target_names &&
                 read.target_offsets == description.target_offsets &&
                 read.dropped_columns == description.dropped_columns && read.reading == description.reading,
             "a description is the same after writing and reading");
  return 0;
}

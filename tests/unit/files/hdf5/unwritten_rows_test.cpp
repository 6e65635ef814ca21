// SPDX-License-Identifier: MIT
#include "files/hdf5/unwritten_rows.hpp"

#include "files/hdf5/file.hpp"
#include "support/hdf5_fixture.hpp"

#include "support/catch.hpp"

using namespace sheaf;
using namespace sheaf::test;

namespace {

std::vector<std::pair<std::int64_t, std::int64_t>> unwritten_in(const std::string& name) {
  const InputFile file("unwritten.h5");
  std::vector<std::pair<std::int64_t, std::int64_t>> ranges;
  for (const IndexRange& rows : unwritten_rows(file.data_set(name))) ranges.emplace_back(rows.begin, rows.end);
  return ranges;
}

}  // namespace

TEST_CASE("rows whose chunks were never written are found") {
  {
    FixtureFile file("unwritten.h5");
    file.numbers("/contiguous", {6}, {1, 2, 3, 4, 5, 6});
    file.numbers("/chunked", {6}, {1, 2, 3, 4, 5, 6}, {H5T_IEEE_F32LE, {4}, true});
    file.unwritten("/nothing", {7}, {3});
    file.unwritten("/end", {10}, {4});
    file.chunk("/end", {0}, {1, 2, 3, 4});
    file.unwritten("/columns", {6, 4}, {2, 2});
    for (const hsize_t row : {0, 2, 4})
      for (const hsize_t column : {0, 2})
        if (row != 2 || column != 2) file.chunk("/columns", {row, column}, {1, 2, 3, 4});
    file.unwritten("/gaps", {9}, {1});
    for (const hsize_t row : {1, 3, 5, 7}) file.chunk("/gaps", {row}, {1});
  }
  using Ranges = std::vector<std::pair<std::int64_t, std::int64_t>>;
  CHECK(unwritten_in("/contiguous").empty());
  CHECK(unwritten_in("/chunked").empty());
  CHECK(unwritten_in("/nothing") == Ranges{{0, 7}});
  CHECK(unwritten_in("/end") == Ranges{{4, 10}});
  CHECK(unwritten_in("/columns") == Ranges{{2, 4}});
  CHECK(unwritten_in("/gaps") == Ranges{{0, 1}, {2, 3}, {4, 5}, {6, 7}, {8, 9}});
  CHECK(unwritten_text({{4, 10}}, 10) == "rows 4 to 9 (6 of 10)");
  CHECK(unwritten_text({{0, 1}, {2, 3}, {4, 5}, {6, 7}}, 9) == "rows 0 to 0, 2 to 2, 4 to 4, ... (4 of 9)");
  CHECK(unwritten_warning(InputFile("unwritten.h5").data_set("/end")) ==
        "the data set '/end' of 'unwritten.h5' was never written in rows 4 to 9 (6 of 10); these rows have its fill "
        "value. If they are no data, shrink the data set to the rows that were written.");
}

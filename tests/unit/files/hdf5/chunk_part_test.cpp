// SPDX-License-Identifier: MIT
#include "files/hdf5/chunk_part.hpp"

#include <vector>

#include "support/catch.hpp"

using namespace sheaf;

namespace {

using Extents = std::vector<std::int64_t>;

// The index of each element of the data set, in an array with the rows; -1 where no run wrote.
Extents copied(const Extents& shape, const Extents& chunk, const std::vector<hsize_t>& corner, IndexRange rows,
               std::int64_t& runs) {
  std::int64_t row_elements = 1, chunk_elements = 1;
  for (std::size_t d = 1; d < shape.size(); ++d) row_elements *= shape[d];
  for (const std::int64_t side : chunk) chunk_elements *= side;
  // The chunk as it is stored: its elements have their indices in the data set, those outside of it have -2.
  Extents stored;
  for (std::int64_t element = 0; element < chunk_elements; ++element) {
    std::int64_t rest = element, index = 0, stride = 1;
    bool inside = true;
    for (std::size_t d = shape.size(); d-- > 0; stride *= shape[d]) {
      const std::int64_t at = static_cast<std::int64_t>(corner[d]) + rest % chunk[d];
      rest /= chunk[d];
      inside = inside && at < shape[d];
      index += at * stride;
    }
    stored.push_back(inside ? index : -2);
  }
  Extents values(static_cast<std::size_t>(rows.count() * row_elements), -1);
  ChunkPart(corner, chunk, shape, rows).for_each_run([&](std::int64_t from, std::int64_t to, std::int64_t count) {
    ++runs;
    for (std::int64_t i = 0; i < count; ++i)
      values.at(static_cast<std::size_t>(to + i)) = stored.at(static_cast<std::size_t>(from + i));
  });
  return values;
}

// Whether the chunks at `first` (in the first dimension) give exactly the rows. Counts the runs.
bool gives_rows(const Extents& shape, const Extents& chunk, IndexRange rows, std::int64_t& runs) {
  std::int64_t row_elements = 1;
  for (std::size_t d = 1; d < shape.size(); ++d) row_elements *= shape[d];
  Extents found(static_cast<std::size_t>(rows.count() * row_elements), -1);
  std::vector<hsize_t> corner(shape.size(), 0);
  corner[0] = static_cast<hsize_t>(rows.begin / chunk[0] * chunk[0]);
  for (;;) {
    const Extents part = copied(shape, chunk, corner, rows, runs);
    for (std::size_t i = 0; i < part.size(); ++i)
      if (part[i] != -1) {
        if (found[i] != -1) return false;  // twice
        found[i] = part[i];
      }
    std::size_t d = shape.size();
    while (d-- > 0) {
      corner[d] += static_cast<hsize_t>(chunk[d]);
      if (static_cast<std::int64_t>(corner[d]) < (d == 0 ? rows.end : shape[d])) break;
      corner[d] = d == 0 ? corner[d] : 0;
    }
    if (static_cast<std::int64_t>(corner[0]) >= rows.end) break;
  }
  for (std::size_t i = 0; i < found.size(); ++i)
    if (found[i] != rows.begin * row_elements + static_cast<std::int64_t>(i)) return false;
  return true;
}

}  // namespace

TEST_CASE("the parts of all chunks are the rows, whatever the rank and the extents") {
  const std::vector<std::pair<Extents, Extents>> cases = {{{10}, {4}},
                                                          {{10, 3}, {4, 3}},
                                                          {{10, 7}, {4, 3}},
                                                          {{9, 7}, {20, 9}},
                                                          {{6, 5, 4}, {4, 2, 4}},
                                                          {{6, 5, 4}, {4, 5, 3}},
                                                          {{5, 1, 3}, {2, 1, 2}},
                                                          {{4, 3, 2, 5}, {3, 2, 2, 5}}};
  for (const auto& [shape, chunk] : cases)
    for (std::int64_t begin = 0; begin < shape[0]; ++begin)
      for (std::int64_t end = begin + 1; end <= shape[0]; ++end) {
        std::int64_t runs = 0;
        INFO("rank " << shape.size() << ", rows " << begin << " to " << end);
        CHECK(gives_rows(shape, chunk, {begin, end}, runs));
      }
}

TEST_CASE("a part with whole rows is one run; otherwise each run covers the dimensions that the chunk covers") {
  std::int64_t runs = 0;
  const auto runs_of = [&](const Extents& shape, const Extents& chunk, IndexRange rows) {
    runs = 0;
    copied(shape, chunk, std::vector<hsize_t>(shape.size(), 0), rows, runs);
    return runs;
  };
  CHECK(runs_of({10, 3, 5}, {4, 3, 5}, {1, 4}) == 1);
  CHECK(runs_of({10, 3, 5}, {4, 2, 5}, {1, 4}) == 3);
  CHECK(runs_of({10, 3, 5}, {4, 2, 4}, {1, 4}) == 6);
  CHECK(runs_of({10}, {4}, {1, 4}) == 1);
}

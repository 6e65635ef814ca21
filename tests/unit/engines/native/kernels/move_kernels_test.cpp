// Compares gathered rows and transposed matrices on every instruction set of this processor with simple loops.
// SPDX-License-Identifier: MIT
#include "engines/native/kernels/kernels.hpp"

#include <cmath>
#include <type_traits>
#include <utility>

#include "engines/native/kernels/feature_blocks.hpp"
#include "kernel_arrays.hpp"
#include "support/every_target.hpp"

using namespace sheaf;
using namespace sheaf::test;

namespace {

// Which rows of the data set are gathered, and the form of their list.
enum class Rows { listed, first };

enum class Wanted { columns, blocks, both };

// Rows of floats or bytes.
template <class Value, class Feature>
void check_gather(std::int64_t feature_count, std::int64_t count, std::int64_t row_count, bool scaled, Rows which,
                  Wanted wanted) {
  constexpr std::int64_t rows_of_data = 50;
  std::vector<Feature> features;
  for (const float value : normals<float>(rows_of_data * feature_count, 1))
    features.push_back(std::is_same_v<Feature, float> ? static_cast<Feature>(value)
                                                      : static_cast<Feature>(std::abs(value) * 60));
  const auto shift = normals<float>(feature_count, 2), scale = normals<float>(feature_count, 3);
  std::vector<std::int64_t> rows(at(count));
  for (std::int64_t index = 0; index < count; ++index)
    rows[at(index)] = which == Rows::first ? index : (index * 29 + 7) % rows_of_data;
  const FeatureBlocks cut{feature_count};

  std::vector<Value> right_blocks(at(cut.total_columns() * row_count), Value{0});
  std::vector<Value> right_columns(at(feature_count * row_count), Value{0});
  for (std::int64_t index = 0; index < count; ++index) {
    for (std::int64_t feature = 0; feature < feature_count; ++feature) {
      const float raw = static_cast<float>(features[at(rows[at(index)] * feature_count + feature)]);
      const float value = scaled ? (raw - shift[at(feature)]) * scale[at(feature)] : raw;
      const std::int64_t block = feature / FeatureBlocks::width;
      const std::int64_t in_block = index * cut.padded(block) + feature % FeatureBlocks::width;
      right_blocks[at(cut.offset(block, row_count) + in_block)] = static_cast<Value>(value);
      right_columns[at(feature * row_count + index)] = static_cast<Value>(value);
    }
  }

  Guarded<Value> blocks(cut.total_columns() * row_count), columns(feature_count * row_count);
  RowSource source;
  if constexpr (std::is_same_v<Feature, float>)
    source.features = features.data();
  else
    source.bytes = features.data();
  source.feature_count = feature_count;
  if (scaled) source.shift = shift.data(), source.scale = scale.data();
  const bool in_blocks = wanted != Wanted::columns, in_columns = wanted != Wanted::blocks;
  move_kernels<Value>().gather(source, which == Rows::first ? nullptr : rows.data(), count, row_count,
                               in_blocks ? blocks.data() : nullptr, in_columns ? columns.data() : nullptr);
  INFO(feature_count << " features, " << count << " of " << row_count << " rows, scaled " << scaled);
  if (in_columns) CHECK(columns.values() == right_columns);
  CHECK(columns.intact());
  if (in_blocks) CHECK(blocks.values() == right_blocks);
  CHECK(blocks.intact());
}

template <class Value, class Feature>
void check_gathers() {
  for (const std::int64_t feature_count : {1, 3, 4, 7, 8, 10, 16, 17, 64, 65, 100, 128, 150})
    for (const auto& [count, row_count] :
         {std::pair{1, 16}, {15, 16}, {16, 16}, {17, 32}, {32, 32}, {40, 48}, {48, 64}})
      for (const bool scaled : {false, true})
        for (const Rows which : {Rows::listed, Rows::first})
          for (const Wanted wanted : {Wanted::columns, Wanted::blocks, Wanted::both})
            check_gather<Value, Feature>(feature_count, count, row_count, scaled, which, wanted);
}

template <class Value>
void check_transpose(std::int64_t row_count, std::int64_t column_count, std::int64_t from_more, std::int64_t to_more) {
  const std::int64_t from_stride = column_count + from_more, to_stride = row_count + to_more;
  Guarded<Value> from(normals<Value>(row_count * from_stride, 4)), to(column_count * to_stride);
  std::vector<Value> right = to.values();
  for (std::int64_t row = 0; row < row_count; ++row)
    for (std::int64_t column = 0; column < column_count; ++column)
      right[at(column * to_stride + row)] = from[row * from_stride + column];
  move_kernels<Value>().transpose(from.data(), from_stride, row_count, column_count, to.data(), to_stride);
  INFO("[" << row_count << ", " << column_count << "], strides " << from_stride << " and " << to_stride);
  CHECK(to.values() == right);
  CHECK(to.intact());
}

template <class Value>
void check_transposes() {
  for (const std::int64_t row_count : {16, 32, 48, 128})
    for (const std::int64_t column_count : {4, 5, 8, 12, 16, 20, 63, 64})
      for (const std::int64_t more : {0, 1, 16})
        for (const std::int64_t other_more : {0, 3}) check_transpose<Value>(row_count, column_count, more, other_more);
}

}  // namespace

TEST_CASE("rows are gathered exactly, in column layout and in blocks with padding") {
  on_every_target([] {
    check_gathers<float, float>();
    check_gathers<double, float>();
    check_gathers<float, std::uint8_t>();
    check_gathers<double, std::uint8_t>();
  });
}

TEST_CASE("matrices are transposed for any strides") {
  on_every_target([] {
    check_transposes<float>();
    check_transposes<double>();
  });
}

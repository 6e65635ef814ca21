// Compares products of contiguous rows on every instruction set of this processor with the definition. The factors are
// small integers, so that sums are exact.
// SPDX-License-Identifier: MIT
#include <sys/mman.h>

#include "engines/native/kernels/feature_blocks.hpp"
#include "engines/native/kernels/kernels.hpp"
#include "kernel_arrays.hpp"
#include "support/every_target.hpp"

using namespace sheaf;
using namespace sheaf::test;

namespace {

std::vector<float> whole_numbers(std::int64_t count, std::int64_t start) {
  std::vector<float> values(at(count));
  for (auto& value : values) value = static_cast<float>((start = (start * 37 + 11) % 101) % 9 - 4);
  return values;
}

void check_product(std::int64_t row_count, std::int64_t input_count, std::int64_t output_count, bool accumulate) {
  const std::int64_t row_stride = input_count + 3, result_stride = output_count + padding;
  const auto rows = whole_numbers(row_count * row_stride, 1);
  const auto weights = whole_numbers(input_count * output_count, 2);
  const auto before = whole_numbers(row_count * result_stride, 3);
  auto right = before;  // including the padding between rows
  for (std::int64_t row = 0; row < row_count; ++row) {
    for (std::int64_t output = 0; output < output_count; ++output) {
      float& sum = right[at(row * result_stride + output)];
      if (!accumulate) sum = 0;
      for (std::int64_t input = 0; input < input_count; ++input)
        sum += rows[at(row * row_stride + input)] * weights[at(input * output_count + output)];
    }
  }
  Guarded<float> aligned_weights(weights), results(before);
  Prefetch nothing;
  row_kernels().multiply_rows(
      {aligned_weights.data(), input_count, output_count, row_stride, result_stride, accumulate}, rows.data(),
      row_count, results.data(), nothing);
  INFO(row_count << " rows, " << input_count << " inputs, " << output_count << " outputs, accumulate " << accumulate);
  CHECK(results.values() == right);
  CHECK(results.intact());
}

}  // namespace

TEST_CASE("products of rows and weights equal the definition for any number of rows, inputs and outputs") {
  on_every_target([] {
    for (const std::int64_t row_count : {1, 2, 5, 6, 7, 13, 14, 15, 29, 84})
      for (const std::int64_t input_count : {1, 3, 4, 70})
        for (const std::int64_t output_count : {16, 32, 48})
          for (const bool accumulate : {false, true}) check_product(row_count, input_count, output_count, accumulate);
  });
}

TEST_CASE("memory is prefetched up to its end without being read") {
  constexpr std::size_t bytes = 4096;
  void* const forbidden = ::mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(forbidden != MAP_FAILED);
  on_every_target([&] {
    const auto rows = whole_numbers(14 * 40, 1);
    Guarded<float> weights(whole_numbers(40 * 32, 2)), results(14 * 32);
    const auto* const begin = static_cast<const char*>(forbidden);
    for (const std::int64_t lines : {0, 2, 64}) {
      Prefetch soon{begin, begin + lines * 64};
      const RowProduct product{weights.data(), 40, 32, 40, 32, false};
      row_kernels().multiply_rows(product, rows.data(), row_kernels().rows_at_once, results.data(), soon);
      CHECK(soon.next - begin >= std::min<std::int64_t>(lines, 10) * 64);
      CHECK(soon.next <= soon.end);
    }
  });
  ::munmap(forbidden, bytes);
}

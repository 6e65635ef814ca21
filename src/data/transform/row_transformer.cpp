// SPDX-License-Identifier: MIT
#include "data/transform/row_transformer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <type_traits>

#include "core/error.hpp"
#include "core/finite.hpp"
#include "data/transform/number_cast.hpp"

namespace sheaf {
namespace {

// Whether float represents every number of the type exactly.
bool fits_float(std::optional<NumberType> type) {
  if (!type) return false;
  return *type == NumberType::float32 || number_bytes(*type) < sizeof(float);
}

void scale(const RowScaling& scaling, AlignedVector<double>& row) {
  for (std::size_t element = 0; element < row.size(); ++element)
    row[element] = (row[element] - scaling.shift[element]) / scaling.divisor[element];
}

}  // namespace

RowTransformer::RowTransformer(const StoredRows& source, const TransformPlan& plan, const RowScaling* scaling)
    : source_(source), plan_(plan), scaling_(scaling), row_(static_cast<std::size_t>(plan.row_elements)) {}

// Calls use(row) for each row, with the resized row in row_.
template <class T, class Use>
void RowTransformer::use_rows(const T* stored, IndexRange rows, bool finite, Use use) {
  const std::int64_t width = source_.info().row_elements();
  for (std::int64_t row = rows.begin; row < rows.end; ++row, stored += width) {
    if constexpr (std::is_floating_point_v<T>) {
      std::int64_t wrong = finite ? first_not_finite(stored, width) : width;
      while (plan_.keeps_nan && wrong < width && !std::isinf(stored[wrong])) ++wrong;
      if (wrong < width)
        throw RunError(
            fmt::format("The {} contains {} in row {}, column {} (it cannot be scaled or converted to an integer). "
                        "Remove or replace it.",
                        source_.description(), stored[wrong], row, wrong));
    }
    if (plan_.images)
      plan_.images->apply(stored, row_.data(), scratch_);
    else
      widen_numbers({stored, width}, 1, width, row_.data());
    use(row);
  }
}

// Converts numbers to double only when their row is processed, since whole blocks of doubles would exceed the caches.
template <class Use>
void RowTransformer::for_each_row(IndexRange rows, bool finite, Use use) {
  if (source_.info().is_bytes) return use_rows(source_.view(rows, bytes_, buffers_), rows, finite, use);
  if (fits_float(source_.number_type())) return use_rows(source_.view(rows, floats_, buffers_), rows, finite, use);
  doubles_.resize(static_cast<std::size_t>(rows.count() * source_.info().row_elements()));
  source_.read(rows, doubles_.data(), buffers_);
  use_rows(doubles_.data(), rows, finite, use);
}

void RowTransformer::add_to(FeatureMoments& moments, IndexRange rows) {
  const auto at_once = static_cast<std::size_t>(moments.rows_at_once());
  std::vector<std::int64_t> numbers;
  AlignedVector<double> waiting(std::min(at_once, static_cast<std::size_t>(rows.count())) * row_.size());
  const auto add = [&] {
    moments.add(waiting.data(), numbers);
    numbers.clear();
  };
  for_each_row(rows, true, [&](std::int64_t) {
    std::copy(row_.begin(), row_.end(), waiting.begin() + static_cast<std::ptrdiff_t>(numbers.size() * row_.size()));
    numbers.push_back(static_cast<std::int64_t>(numbers.size()));
    if (numbers.size() == at_once) add();
  });
  add();
}

void RowTransformer::write(IndexRange rows, std::byte* to) {
  const std::int64_t row_bytes = plan_.row_elements * static_cast<std::int64_t>(number_bytes(plan_.type));
  const bool must_be_finite = scaling_ != nullptr || !is_real(plan_.type);
  for_each_row(rows, must_be_finite, [&](std::int64_t row) {
    if (scaling_ != nullptr) scale(*scaling_, row_);
    cast_numbers(row_.data(), plan_.row_elements, plan_.type, to + (row - rows.begin) * row_bytes);
  });
}

}  // namespace sheaf

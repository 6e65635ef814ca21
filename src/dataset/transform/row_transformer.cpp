// SPDX-License-Identifier: MIT
#include "dataset/transform/row_transformer.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.hpp"
#include "dataset/transform/number_cast.hpp"

namespace sheaf {
namespace {

void scale(const RowScaling& scaling, std::vector<double>& row) {
  for (std::size_t element = 0; element < row.size(); ++element)
    row[element] = (row[element] - scaling.shift[element]) / scaling.divisor[element];
}

}  // namespace

RowTransformer::RowTransformer(const StoredRows& source, const TransformPlan& plan, const RowScaling* scaling)
    : source_(source), plan_(plan), scaling_(scaling), row_(static_cast<std::size_t>(plan.row_elements)) {}

// Calls use(row's number) with the resized row in row_.
template <class Use>
void RowTransformer::for_each_row(IndexRange rows, bool finite, Use use) {
  const std::int64_t width = source_.info().row_elements();
  // Bytes stay such until their row is due: as doubles, a block of them would leave the caches.
  const bool bytes = source_.info().is_bytes;
  stored_.resize(static_cast<std::size_t>((bytes ? 1 : rows.count()) * width));
  const std::uint8_t* stored_bytes = nullptr;
  if (bytes)
    stored_bytes = source_.view(rows, bytes_, buffers_);
  else
    source_.read(rows, stored_.data(), buffers_);
  for (std::int64_t row = rows.begin; row < rows.end; ++row) {
    const std::int64_t place = (row - rows.begin) * width;
    if (bytes) std::copy_n(stored_bytes + place, width, stored_.data());
    const double* stored = stored_.data() + (bytes ? 0 : place);
    const std::int64_t wrong = finite ? first_not_finite(stored, width) : width;
    require(wrong == width,
            fmt::format("The {} holds {} in row {}, column {} (it cannot be scaled or made an integer). "
                        "Remove or replace it.",
                        source_.description(), stored[wrong < width ? wrong : 0], row, wrong));
    if (plan_.images)
      plan_.images->apply(stored, row_.data(), scratch_);
    else
      row_.assign(stored, stored + width);
    use(row);
  }
}

void RowTransformer::add_to(FeatureMoments& moments, IndexRange rows) {
  for_each_row(rows, true, [&](std::int64_t) { moments.add(row_.data()); });
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

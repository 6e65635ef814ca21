// Applies a transform plan to the rows of a file, in any number of threads.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/aligned_vector.hpp"
#include "core/index_range.hpp"
#include "data/moments.hpp"
#include "data/transform/transform_plan.hpp"
#include "files/hdf5/stored_rows.hpp"

namespace sheaf {

/// Transforms rows for one thread; each thread needs its own. Reuses its buffers between calls.
class RowTransformer {
 public:
  /// `scaling` has one value per element of a row; null: no scaling. The arguments must outlive this object.
  RowTransformer(const StoredRows& source, const TransformPlan& plan, const RowScaling* scaling);

  /// Reads rows, resizes them and adds them to `moments`. Throws RunError if they cannot be read or if a number is not
  /// finite; NaN is skipped if the plan keeps it. The result is only reliable if source.require_unchanged() returns
  /// afterwards; this also applies to write().
  void add_to(FeatureMoments& moments, IndexRange rows);
  /// Reads rows, applies all steps and writes them contiguously to `to`, which must be aligned. Throws as add_to(), but
  /// floating-point results without scaling need not be finite.
  void write(IndexRange rows, std::byte* to);

 private:
  template <class Use>
  void for_each_row(IndexRange rows, bool finite, Use use);
  template <class T, class Use>
  void use_rows(const T* stored, IndexRange rows, bool finite, Use use);

  const StoredRows& source_;
  const TransformPlan& plan_;
  const RowScaling* scaling_;
  RowBuffers buffers_;
  ImageScratch scratch_;
  AlignedVector<std::uint8_t> bytes_;
  AlignedVector<float> floats_;
  std::vector<double> doubles_;
  AlignedVector<double> row_;
};

}  // namespace sheaf

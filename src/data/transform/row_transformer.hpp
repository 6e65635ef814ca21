// A transform plan carried out on the rows of a file, in any number of threads.
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

/// What one thread needs; keeps its memory. Not shared between threads.
class RowTransformer {
 public:
  /// `scaling` (null: none) has a value for each element of a row. What is passed stays where it is.
  RowTransformer(const StoredRows& source, const TransformPlan& plan, const RowScaling* scaling);

  /// Reads rows, resizes them and adds them to `moments`. Throws RunError when they cannot be read, or when a number is
  /// not finite. As all that is made of the rows, it is to be believed once source.require_unchanged() returns.
  void add_to(FeatureMoments& moments, IndexRange rows);
  /// Carries out all steps and writes the rows to `to`, aligned, one after the other. Throws as add_to; reals that are
  /// not scaled need not be finite.
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

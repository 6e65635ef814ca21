// One image at a time: its size and the order of its channels changed.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "dataset/transform/band_matrix.hpp"
#include "options/study.hpp"

namespace sheaf {

struct ImageLayout {
  ImageShape shape;
  ChannelOrder channels = ChannelOrder::first;

  std::int64_t elements() const { return shape.channels * shape.height * shape.width; }
};

/// Memory of one thread.
struct ImageScratch {
  std::vector<double> resized_rows, turned, resized;
};

class ImageResize {
 public:
  /// The shapes have as many channels, and no side of 0. With equal sides the numbers stay as they are.
  ImageResize(const ImageLayout& from, const ImageLayout& to);

  const ImageLayout& from() const { return from_; }
  const ImageLayout& to() const { return to_; }

  /// image [from().elements()] -> result [to().elements()]. Thread-safe. Source: skimage.transform.resize (order 1,
  /// mode reflect, anti-aliasing, range kept), equal to rounding.
  void apply(const double* image, double* result, ImageScratch& scratch) const;

 private:
  void reorder(const double* image, double* result) const;

  ImageLayout from_, to_;
  std::optional<BandMatrix> down_, across_;  ///< along the columns and the rows of an image; none where sides are equal
};

}  // namespace sheaf

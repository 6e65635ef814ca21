// One image at a time: its size and the order of its channels changed.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/aligned_vector.hpp"
#include "data/transform/band_matrix.hpp"
#include "study/study.hpp"

namespace sheaf {

struct ImageLayout {
  ImageShape shape;
  ChannelOrder channels = ChannelOrder::first;

  std::int64_t elements() const { return shape.channels * shape.height * shape.width; }
};

/// Memory of one thread.
struct ImageScratch {
  AlignedVector<double> tile, band, turned, resized;
};

class ImageResize {
 public:
  /// The shapes have as many channels, and no side of 0. With equal sides the numbers stay as they are.
  ImageResize(const ImageLayout& from, const ImageLayout& to);

  const ImageLayout& from() const { return from_; }
  const ImageLayout& to() const { return to_; }

  /// image [from().elements()] -> result [to().elements()], fastest where it begins at a cache line. Thread-safe. T:
  /// double, float, std::uint8_t. Source: skimage.transform.resize (order 1, mode reflect, anti-aliasing, range kept),
  /// equal to rounding.
  template <class T>
  void apply(const T* image, double* result, ImageScratch& scratch) const;

 private:
  template <class T>
  void reorder(const T* image, double* result, ImageScratch& scratch) const;
  template <class T>
  void resize_band(const BandRows& down, const T* image, double* result, ImageScratch& scratch) const;

  ImageLayout from_, to_;
  std::vector<BandRows> down_;        ///< along the columns of an image; none where sides are equal
  std::optional<BandMatrix> across_;  ///< along its rows
};

extern template void ImageResize::apply(const double*, double*, ImageScratch&) const;
extern template void ImageResize::apply(const float*, double*, ImageScratch&) const;
extern template void ImageResize::apply(const std::uint8_t*, double*, ImageScratch&) const;

}  // namespace sheaf

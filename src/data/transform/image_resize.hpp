// Resizes images and changes the order of their channels, one image at a time.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/aligned_vector.hpp"
#include "data/transform/band_matrix.hpp"
#include "study/data_options.hpp"

namespace sheaf {

/// The shape and memory order of an image.
struct ImageLayout {
  ImageShape shape;
  ChannelOrder channels = ChannelOrder::first;

  std::int64_t elements() const { return shape.channels * shape.height * shape.width; }
};

/// Buffers of one thread, reused between calls.
struct ImageScratch {
  AlignedVector<double> tile, band, turned, resized;
};

/// A conversion between two image layouts.
class ImageResize {
 public:
  /// Both shapes must have the same number of channels, and no side of 0. With equal sides, values are not changed.
  ImageResize(const ImageLayout& from, const ImageLayout& to);

  const ImageLayout& from() const { return from_; }
  const ImageLayout& to() const { return to_; }

  /// Converts image [from().elements()] to result [to().elements()]. Fastest if `result` begins at a cache line.
  /// Thread-safe. T is double, float or std::uint8_t. Source: skimage.transform.resize (order 1, mode reflect,
  /// anti_aliasing, preserve_range); results are equal up to rounding errors.
  template <class T>
  void apply(const T* image, double* result, ImageScratch& scratch) const;

 private:
  template <class T>
  void reorder(const T* image, double* result, ImageScratch& scratch) const;
  template <class T>
  void resize_band(const BandRows& down, const T* image, double* result, ImageScratch& scratch) const;

  ImageLayout from_, to_;
  std::vector<BandRows> down_;        ///< resizes the columns of an image; empty if the sides are equal
  std::optional<BandMatrix> across_;  ///< resizes the rows of an image; nullopt if the sides are equal
};

extern template void ImageResize::apply(const double*, double*, ImageScratch&) const;
extern template void ImageResize::apply(const float*, double*, ImageScratch&) const;
extern template void ImageResize::apply(const std::uint8_t*, double*, ImageScratch&) const;

}  // namespace sheaf

// SPDX-License-Identifier: MIT
#include "data/transform/image_resize.hpp"

#include <algorithm>
#include <cassert>

#include "data/transform/matrix_kernels.hpp"
#include "data/transform/number_cast.hpp"

namespace sheaf {
namespace {

// Sizes for which intermediate results fit into the caches of a core, but memory is still read in long runs.
constexpr std::int64_t max_band_rows = 8, max_tile_columns = 128;

bool same_sides(const ImageShape& one, const ImageShape& other) {
  return one.height == other.height && one.width == other.width;
}

}  // namespace

ImageResize::ImageResize(const ImageLayout& from, const ImageLayout& to) : from_(from), to_(to) {
  assert(from.shape.channels == to.shape.channels && from.elements() > 0 && to.elements() > 0);
  if (same_sides(from.shape, to.shape)) return;
  down_ = split_rows(resize_operator(from.shape.height, to.shape.height), max_band_rows);
  across_ = resize_operator(from.shape.width, to.shape.width);
}

template <class T>
void ImageResize::reorder(const T* image, double* result, ImageScratch& scratch) const {
  const std::int64_t channels = from_.shape.channels, pixels = from_.shape.height * from_.shape.width;
  const std::int64_t elements = channels * pixels;
  if (from_.channels == to_.channels) return widen_numbers({image, elements}, 1, elements, result);
  scratch.tile.resize(static_cast<std::size_t>(elements));
  widen_numbers({image, elements}, 1, elements, scratch.tile.data());
  if (from_.channels == ChannelOrder::first)
    transpose({scratch.tile.data(), pixels}, channels, pixels, {result, channels});
  else
    transpose({scratch.tile.data(), channels}, pixels, channels, {result, pixels});
}

// Computes a band of rows of the result. Both products are vectorized along rows of memory, for any number of channels:
// between them, the band is transposed to [width, channels, rows]; afterwards it is transposed to the requested order.
template <class T>
void ImageResize::resize_band(const BandRows& down, const T* image, double* result, ImageScratch& scratch) const {
  const bool from_last = from_.channels == ChannelOrder::last;
  const std::int64_t channels = from_.shape.channels, rows = down.rows.count(), line = channels * rows;
  const std::int64_t new_height = to_.shape.height, new_width = to_.shape.width;
  const std::int64_t planes = from_last ? 1 : channels, width = from_.shape.width * (from_last ? channels : 1);
  scratch.tile.resize(static_cast<std::size_t>(down.matrix.columns * max_tile_columns));
  scratch.band.resize(static_cast<std::size_t>(rows * max_tile_columns));
  scratch.turned.resize(static_cast<std::size_t>(line * from_.shape.width));
  scratch.resized.resize(static_cast<std::size_t>(line * new_width));
  for (std::int64_t plane = 0; plane < planes; ++plane) {
    const T* lines = image + (plane * from_.shape.height + down.first_column) * width;
    const std::int64_t stride = from_last ? rows : line;  // distance of columns in scratch.turned
    for (std::int64_t begin = 0; begin < width; begin += max_tile_columns) {
      const std::int64_t columns = std::min(max_tile_columns, width - begin);
      widen_numbers({lines + begin, width}, down.matrix.columns, columns, scratch.tile.data());
      multiply(down.matrix, scratch.tile.data(), columns, scratch.band.data());
      transpose({scratch.band.data(), columns}, rows, columns,
                {scratch.turned.data() + plane * rows + begin * stride, stride});
    }
  }
  multiply(*across_, scratch.turned.data(), line, scratch.resized.data());
  if (to_.channels == ChannelOrder::last) {
    const std::int64_t new_line = new_width * channels;
    transpose({scratch.resized.data(), rows}, new_line, rows, {result + down.rows.begin * new_line, new_line});
  } else {
    for (std::int64_t channel = 0; channel < channels; ++channel)
      transpose({scratch.resized.data() + channel * rows, line}, new_width, rows,
                {result + (channel * new_height + down.rows.begin) * new_width, new_width});
  }
}

template <class T>
void ImageResize::apply(const T* image, double* result, ImageScratch& scratch) const {
  if (!across_) return reorder(image, result, scratch);
  for (const BandRows& band : down_) resize_band(band, image, result, scratch);
}

template void ImageResize::apply(const double*, double*, ImageScratch&) const;
template void ImageResize::apply(const float*, double*, ImageScratch&) const;
template void ImageResize::apply(const std::uint8_t*, double*, ImageScratch&) const;

}  // namespace sheaf

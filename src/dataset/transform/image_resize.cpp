// SPDX-License-Identifier: MIT
#include "dataset/transform/image_resize.hpp"

#include <algorithm>
#include <cassert>

#include "dataset/transform/matrix_kernels.hpp"

namespace sheaf {
namespace {

bool same_sides(const ImageShape& one, const ImageShape& other) {
  return one.height == other.height && one.width == other.width;
}

}  // namespace

ImageResize::ImageResize(const ImageLayout& from, const ImageLayout& to) : from_(from), to_(to) {
  assert(from.shape.channels == to.shape.channels && from.elements() > 0 && to.elements() > 0);
  if (same_sides(from.shape, to.shape)) return;
  down_ = resize_operator(from.shape.height, to.shape.height);
  across_ = resize_operator(from.shape.width, to.shape.width);
}

void ImageResize::reorder(const double* image, double* result) const {
  const std::int64_t channels = from_.shape.channels, pixels = from_.shape.height * from_.shape.width;
  if (from_.channels == to_.channels)
    std::copy(image, image + from_.elements(), result);
  else if (from_.channels == ChannelOrder::first)
    transpose({image, pixels}, channels, pixels, {result, channels});
  else
    transpose({image, channels}, pixels, channels, {result, pixels});
}

// Both products run along rows of memory, so that vectors fill whatever the number of channels: the image is turned
// between them, to [width, channels, height], and turned back into the order that is asked for.
void ImageResize::apply(const double* image, double* result, ImageScratch& scratch) const {
  if (!down_) return reorder(image, result);
  const std::int64_t channels = from_.shape.channels, width = from_.shape.width;
  const std::int64_t new_height = to_.shape.height, new_width = to_.shape.width;
  const std::int64_t line = channels * new_height;
  scratch.resized_rows.resize(static_cast<std::size_t>(line * width));
  scratch.turned.resize(static_cast<std::size_t>(line * width));
  scratch.resized.resize(static_cast<std::size_t>(line * new_width));
  double* rows = scratch.resized_rows.data();

  if (from_.channels == ChannelOrder::last) {
    multiply(*down_, image, width * channels, rows);
    transpose({rows, width * channels}, new_height, width * channels, {scratch.turned.data(), new_height});
  } else {
    for (std::int64_t channel = 0; channel < channels; ++channel) {
      multiply(*down_, image + channel * from_.shape.height * width, width, rows);
      transpose({rows, width}, new_height, width, {scratch.turned.data() + channel * new_height, line});
    }
  }
  multiply(*across_, scratch.turned.data(), line, scratch.resized.data());
  if (to_.channels == ChannelOrder::last) {
    transpose({scratch.resized.data(), new_height}, new_width * channels, new_height, {result, new_width * channels});
  } else {
    for (std::int64_t channel = 0; channel < channels; ++channel)
      transpose({scratch.resized.data() + channel * new_height, line}, new_width, new_height,
                {result + channel * new_height * new_width, new_width});
  }
}

}  // namespace sheaf

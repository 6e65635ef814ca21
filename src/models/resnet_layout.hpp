// The layers of residual networks. Pure.
// Source: He et al., "Deep residual learning for image recognition", CVPR 2016. As in torchvision, the 3 x 3
// convolution of a bottleneck block has the stride.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "models/layer.hpp"
#include "study/data_options.hpp"
#include "study/model_options.hpp"

namespace sheaf {

/// The blocks of a residual network. Stage s has 64 * 2^s channels, and 4 times as many after a bottleneck block.
struct ResnetDesign {
  bool bottleneck;            ///< blocks of 1 x 1, 3 x 3 and 1 x 1 convolutions, instead of two 3 x 3 convolutions
  std::array<int, 4> blocks;  ///< number of blocks in each stage
};

inline constexpr ResnetDesign resnet18{false, {2, 2, 2, 2}};
inline constexpr ResnetDesign resnet50{true, {3, 4, 6, 3}};

/// `stem`, with `auto` resolved: imagenet if no side of the image is less than 64 pixels, otherwise small.
Stem resnet_stem(AutoOr<Stem> stem, const ImageShape& image);

/// The stem in words: "imagenet stem, 7x7 with stride 2 and max pooling".
std::string resnet_stem_text(AutoOr<Stem> stem, const ImageShape& image);

/// The layers, in the order of torchvision's parameters. The small stem is a 3 x 3 convolution with stride 1, which
/// keeps the size; the imagenet stem is a 7 x 7 convolution with stride 2 and a 3 x 3 max pooling with stride 2, which
/// reduces each side to a quarter. Convolutions have no bias; the dense layer has one if `bias`.
std::vector<Layer> resnet_layout(const ResnetDesign& design, ImageShape image, std::int64_t outputs, bool bias,
                                 AutoOr<Stem> stem);

}  // namespace sheaf

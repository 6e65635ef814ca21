// The layers of residual networks. Pure.
// Source: He et al., "Deep residual learning for image recognition", CVPR 2016. As in torchvision, the 3 x 3
// convolution of a bottleneck block has the stride. SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/layer.hpp"
#include "study/study.hpp"

namespace sheaf {

/// The blocks of a residual network. Stage s has 64 * 2^s channels, and 4 times as many after a bottleneck block.
struct ResnetDesign {
  bool bottleneck;            ///< blocks of 1 x 1, 3 x 3 and 1 x 1 convolutions, instead of two 3 x 3 convolutions
  std::array<int, 4> blocks;  ///< number of blocks in each stage
};

inline constexpr ResnetDesign resnet18{false, {2, 2, 2, 2}};
inline constexpr ResnetDesign resnet50{true, {3, 4, 6, 3}};

/// For images with a smaller side, the stem is a 3 x 3 convolution with stride 1, which keeps the size. For others, it
/// is a 7 x 7 convolution with stride 2 and a 3 x 3 max pooling with stride 2, which reduces each side to a quarter.
inline constexpr std::int64_t resnet_full_stem_side = 64;

/// The layers, in the order of torchvision's parameters. Convolutions have no bias; the dense layer has one if `bias`.
std::vector<Layer> resnet_layout(const ResnetDesign& design, ImageShape image, std::int64_t outputs, bool bias);

}  // namespace sheaf

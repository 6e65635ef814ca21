// Residual networks as lists of layers. Pure.
// Source: He et al., "Deep residual learning for image recognition", CVPR 2016, as torchvision builds them: the stride
// of a bottleneck block is in its 3 x 3 convolution.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/layer.hpp"
#include "study/study.hpp"

namespace sheaf {

struct ResnetDesign {
  bool bottleneck;            ///< blocks of 1 x 1, 3 x 3 and 1 x 1 convolutions, or of two 3 x 3 ones
  std::array<int, 4> blocks;  ///< of each stage; stage s has 64 * 2^s channels, at the end of a bottleneck four times
};

inline constexpr ResnetDesign resnet18{false, {2, 2, 2, 2}};
inline constexpr ResnetDesign resnet50{true, {3, 4, 6, 3}};

/// Images of less than this on a side keep their size in the stem: a 3 x 3 convolution of stride 1. Larger ones are
/// quartered by a 7 x 7 convolution of stride 2 and a 3 x 3 max pooling of stride 2.
inline constexpr std::int64_t resnet_full_stem_side = 64;

/// The layers, their parameters in torchvision's order. Convolutions have no bias, the dense layer has one if `bias`.
std::vector<Layer> resnet_layout(const ResnetDesign& design, ImageShape image, std::int64_t outputs, bool bias);

}  // namespace sheaf

// SPDX-License-Identifier: MIT
#include "models/resnet_layout.hpp"

#include <algorithm>

namespace sheaf {
namespace {

constexpr std::int64_t imagenet_stem_side = 64;

// Builds the list of layers.
class Builder {
 public:
  explicit Builder(ImageShape image) : map_(image) {}

  void stem(AutoOr<Stem> kind) {
    const bool full = resnet_stem(kind, map_) == Stem::imagenet;
    convolve(map_, 64, full ? 7 : 3, full ? 2 : 1);
    last().activated = true;
    if (!full) return;
    last().pooling = Layer::Pooling::overlap;
    map_.height = (map_.height - 1) / 2 + 1;
    map_.width = (map_.width - 1) / 2 + 1;
  }

  void block(bool bottleneck, std::int64_t channels, std::int64_t stride) {
    const ImageShape input = map_;
    const std::size_t first = layers_.size();
    if (bottleneck) {
      convolve(map_, channels, 1, 1);
      last().activated = true;
    }
    convolve(map_, channels, 3, stride);
    last().activated = true;
    convolve(map_, bottleneck ? 4 * channels : channels, bottleneck ? 1 : 3, 1);
    layers_[first].begins_block = true;
    if (stride != 1 || input.channels != map_.channels) {
      ImageShape shortcut = input;
      convolve(shortcut, map_.channels, 1, stride);
      layers_[layers_.size() - 2].on_shortcut = last().on_shortcut = true;
    }
    last().ends_block = last().activated = true;
  }

  std::vector<Layer> finish(std::int64_t outputs, bool bias) {
    last().pooling = Layer::Pooling::average;
    layers_.push_back({Layer::Kind::dense, map_.channels, outputs, 1, 1, 1, bias, false});
    return std::move(layers_);
  }

 private:
  // Appends a convolution and its batch norm. Sets `map` to the shape of their output.
  void convolve(ImageShape& map, std::int64_t channels, std::int64_t kernel, std::int64_t stride) {
    layers_.push_back(
        {Layer::Kind::convolution, map.channels, channels, kernel, map.height, map.width, false, false, stride});
    map = {channels, last().output_height(), last().output_width()};
    layers_.push_back({Layer::Kind::batch_norm, channels, channels, 1, map.height, map.width, true, false});
  }

  Layer& last() { return layers_.back(); }

  ImageShape map_;
  std::vector<Layer> layers_;
};

}  // namespace

Stem resnet_stem(AutoOr<Stem> stem, const ImageShape& image) {
  if (stem != automatic) return stem;
  return std::min(image.height, image.width) >= imagenet_stem_side ? Stem::imagenet : Stem::small;
}

std::string resnet_stem_text(AutoOr<Stem> stem, const ImageShape& image) {
  return resnet_stem(stem, image) == Stem::imagenet ? "imagenet stem, 7x7 with stride 2 and max pooling"
                                                    : "small stem, 3x3 with stride 1";
}

std::vector<Layer> resnet_layout(const ResnetDesign& design, ImageShape image, std::int64_t outputs, bool bias,
                                 AutoOr<Stem> stem) {
  Builder builder(image);
  builder.stem(stem);
  for (std::size_t stage = 0; stage < design.blocks.size(); ++stage)
    for (int block = 0; block < design.blocks[stage]; ++block)
      builder.block(design.bottleneck, std::int64_t{64} << stage, block == 0 && stage > 0 ? 2 : 1);
  return builder.finish(outputs, bias);
}

}  // namespace sheaf

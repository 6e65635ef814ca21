// SPDX-License-Identifier: MIT
#include "data/row_layout.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.hpp"
#include "core/quoted.hpp"
#include "core/text.hpp"
#include "files/hdf5/data_set.hpp"
#include "study/value_types.hpp"

namespace sheaf {
namespace {

bool is_channel_count(std::int64_t side) {
  return side >= 1 && side <= 4;
}

bool same(const ImageShape& one, const ImageShape& other) {
  return one.channels == other.channels && one.height == other.height && one.width == other.width;
}

// The image in rows of three dimensions.
ImageShape image_in(const std::vector<std::int64_t>& shape, ChannelOrder order) {
  if (order == ChannelOrder::first) return {shape[1], shape[2], shape[3]};
  return {shape[3], shape[1], shape[2]};
}

std::optional<ChannelOrder> stated_order(const RowFacts& facts, const std::string& key,
                                         const std::string& description) {
  if (!facts.attribute) return facts.requested;
  const auto order = channel_order().read(*facts.attribute);
  if (!order && facts.requested) return facts.requested;
  require(order.has_value(), [&] {
    return fmt::format("The attribute 'channels' of {} is {} (it must be 'first' or 'last'). Correct it, or set {}.",
                       description, quoted(*facts.attribute), key);
  });
  require(!facts.requested || facts.requested == order, [&] {
    return fmt::format(
        "{} = {} contradicts the attribute 'channels' of {}, which is '{}'. Leave out {}, or correct "
        "the attribute.",
        key, name_of(*facts.requested), description, *facts.attribute, key);
  });
  return order;
}

}  // namespace

RowLayout row_layout(const RowFacts& facts, const std::string& key, const std::string& description) {
  const ImageShape& image = facts.image.channels > 0 ? facts.image : facts.expected;
  const bool three_dimensions = facts.shape.size() == 4;
  if (!three_dimensions && image.channels == 0) return {};
  const auto stated = stated_order(facts, key, description);
  if (!three_dimensions) return {image, stated.value_or(ChannelOrder::first)};

  const ImageShape first = image_in(facts.shape, ChannelOrder::first);
  const ImageShape last = image_in(facts.shape, ChannelOrder::last);
  const bool fits_first = same(image, first), fits_last = same(image, last);
  if (facts.image.channels > 0 && !fits_first && !fits_last) return {image, stated.value_or(ChannelOrder::first)};
  if (fits_first != fits_last) {
    const ChannelOrder fitting = fits_first ? ChannelOrder::first : ChannelOrder::last;
    require(!stated || *stated == fitting, [&] {
      return fmt::format(
          "Rows [{}] of {} are not images of {}x{}x{} with channels {}, but with channels {}. Correct "
          "{}, or the attribute 'channels' of the data set.",
          fmt::join(facts.shape.begin() + 1, facts.shape.end(), ", "), description, image.channels, image.height,
          image.width, name_of(*stated), name_of(fitting), key);
    });
    return {image, fitting};
  }
  if (stated) return {*stated == ChannelOrder::first ? first : last, *stated};
  const bool maybe_first = is_channel_count(first.channels), maybe_last = is_channel_count(last.channels);
  if (maybe_first == maybe_last) return {first, ChannelOrder::first, false};
  return maybe_first ? RowLayout{first, ChannelOrder::first} : RowLayout{last, ChannelOrder::last};
}

std::string uncertain_layout_problem(const std::vector<std::int64_t>& shape, const std::string& description) {
  return fmt::format(
      "The shape {} of {} does not show which dimension is the channels ({} 1 to 4).", shape_text(shape), description,
      is_channel_count(shape[1]) ? "the second and the last are both" : "neither the second nor the last is");
}

std::string row_text(const RowLayout& layout, std::int64_t feature_count) {
  const auto& [channels, height, width] = layout.image;
  if (channels == 0 || !layout.certain) return counted(feature_count, "feature");
  return fmt::format("images, {} x {} x {} (channels {})", counted(channels, "channel"), height, width,
                     name_of(layout.channels));
}

}  // namespace sheaf

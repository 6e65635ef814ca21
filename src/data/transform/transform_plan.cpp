// SPDX-License-Identifier: MIT
#include "data/transform/transform_plan.hpp"

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/text.hpp"
#include "study/value_types.hpp"

namespace sheaf {
namespace {

// The maximum size of a row: with larger rows, the threads of a machine would run out of memory.
constexpr double max_row_bytes = 2.0 * (std::int64_t{1} << 30);

// Finds the channel dimension of images of rank 4.
ImageLayout find_channels(const TransformOptions& options, const DataSetInfo& info, const std::string& description) {
  const RowLayout layout =
      row_layout({info.shape, options.layout, info.channels, {}, {}}, "--layout", "the " + description);
  require(layout.certain, [&] {
    return uncertain_layout_problem(info.shape, "the " + description) + " Pass --layout=first or --layout=last.";
  });
  return {layout.image, layout.channels};
}

ImageLayout image_layout(const TransformOptions& options, const DataSetInfo& info, const std::string& description) {
  const auto& shape = info.shape;
  require(
      shape.size() == 3 || shape.size() == 4,
      fmt::format("The {} is not a list of images (its shape is {}; images are [rows, height, width], [rows, channels, "
                  "height, width] or [rows, height, width, channels]). Leave out the options for images.",
                  description, shape_text(shape)));
  if (shape.size() == 3) return {{1, shape[1], shape[2]}, options.channels.value_or(ChannelOrder::first)};
  return find_channels(options, info, description);
}

std::vector<std::int64_t> result_shape(const ImageLayout& image, const DataSetInfo& info, bool order_wanted) {
  const auto& [channels, height, width] = image.shape;
  const std::int64_t rows = info.rows();
  if (info.shape.size() == 3 && !order_wanted) return {rows, height, width};
  if (image.channels == ChannelOrder::first) return {rows, channels, height, width};
  return {rows, height, width, channels};
}

// Resizing and scaling produce fractions, so integers become float32. Otherwise numbers keep their type.
NumberType result_type(const TransformOptions& options, std::optional<NumberType> stored) {
  if (options.cast) return *options.cast;
  const bool fractions = options.height > 0 || options.normalize != Normalize::none;
  if (!stored || (fractions && !is_real(*stored))) return NumberType::float32;
  return *stored;
}

void require_modest(const std::vector<std::int64_t>& shape, const std::string& description) {
  double bytes = sizeof(double);
  for (std::size_t dimension = 1; dimension < shape.size(); ++dimension) bytes *= static_cast<double>(shape[dimension]);
  require(bytes <= max_row_bytes,
          fmt::format("The rows of the {} are too large (shape {}: {} per row, the limit is {}). Use smaller rows.",
                      description, shape_text(shape), human_bytes(bytes), human_bytes(max_row_bytes)));
}

}  // namespace

std::vector<std::int64_t> TransformPlan::channel_of_elements() const {
  const ImageLayout& image = images->to();
  const std::int64_t pixels = image.shape.height * image.shape.width;
  std::vector<std::int64_t> channels;
  for (std::int64_t element = 0; element < row_elements; ++element)
    channels.push_back(image.channels == ChannelOrder::first ? element / pixels : element % image.shape.channels);
  return channels;
}

TransformPlan plan_transform(const TransformOptions& options, const DataSetInfo& info, std::optional<NumberType> stored,
                             const std::string& description) {
  require(info.rows() > 0 && info.row_elements() > 0,
          fmt::format("The {} is empty (its shape is {}). Store at least one number.", description,
                      shape_text(info.shape)));
  TransformPlan plan;
  plan.type = result_type(options, stored);
  plan.normalize = options.normalize;
  plan.unit = options.unit;
  plan.shape = info.shape;
  plan.row_elements = info.row_elements();
  require_modest(info.shape, description);
  const bool by_channel = options.normalize != Normalize::none && options.unit == ScalingUnit::channel;
  if (options.height > 0 || options.layout || options.channels || by_channel) {
    const ImageLayout from = image_layout(options, info, description);
    ImageLayout to = from;
    if (options.height > 0) to.shape = {from.shape.channels, options.height, options.width};
    to.channels = options.channels.value_or(from.channels);
    plan.shape = result_shape(to, info, options.channels.has_value());
    if (plan.shape.size() == 4) plan.order = to.channels;
    require_modest(plan.shape, "result");
    plan.images.emplace(from, to);
    plan.row_elements = to.elements();
  }
  plan.keeps_nan = info.shape.size() <= 2 && is_real(plan.type);
  return plan;
}

std::string scaling_text(const TransformPlan& plan) {
  if (plan.normalize == Normalize::none) return "";
  return fmt::format("{} by {}", plan.normalize == Normalize::standard ? "standard" : "minmax",
                     plan.unit == ScalingUnit::feature ? "feature" : "channel");
}

std::string describe(const TransformPlan& plan) {
  std::string text;
  const auto add = [&text](const std::string& step) { text += (text.empty() ? "" : ", ") + step; };
  if (plan.images) {
    const auto &from = plan.images->from(), &to = plan.images->to();
    if (from.shape.height != to.shape.height || from.shape.width != to.shape.width)
      add(fmt::format("resize {}x{} to {}x{}", from.shape.height, from.shape.width, to.shape.height, to.shape.width));
    if (from.channels != to.channels)
      add(fmt::format("channels {} to {}", name_of(from.channels), name_of(to.channels)));
    else if (from.shape.channels > 1)
      add(fmt::format("channels {}", name_of(to.channels)));
  }
  if (plan.normalize != Normalize::none) add("normalize " + scaling_text(plan));
  add(fmt::format("to {}", number_type_name(plan.type)));
  return text;
}

}  // namespace sheaf

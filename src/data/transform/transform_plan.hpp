// Plans the preprocessing of a data set's rows. The order of the steps is fixed: conversion to double, resize,
// normalization, cast, order of channels.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "data/moments.hpp"
#include "data/row_layout.hpp"
#include "data/transform/image_resize.hpp"
#include "files/hdf5/data_set.hpp"
#include "files/hdf5/number_array.hpp"

namespace sheaf {

enum class ScalingUnit { feature, channel };

/// The steps that the user requests.
struct TransformOptions {
  std::int64_t height = 0, width = 0;    ///< size of the resulting images; 0: unchanged
  std::optional<ChannelOrder> layout;    ///< channel order of the input images; nullopt: see data/row_layout
  std::optional<ChannelOrder> channels;  ///< channel order of the resulting images; nullopt: unchanged
  Normalize normalize = Normalize::none;
  ScalingUnit unit = ScalingUnit::feature;
  std::optional<NumberType> cast;
};

/// The steps for one data set.
struct TransformPlan {
  std::optional<ImageResize> images;  ///< nullopt: no image steps; rows keep their shape
  std::vector<std::int64_t> shape;    ///< shape of the result
  std::optional<ChannelOrder> order;  ///< of the channels in rows of three dimensions, if known; stored with them
  NumberType type = NumberType::float32;
  Normalize normalize = Normalize::none;
  ScalingUnit unit = ScalingUnit::feature;
  std::int64_t row_elements = 0;  ///< elements per row of the result
  bool keeps_nan = false;         ///< NaN is an empty cell of a table, not an error

  /// The channel of each element of a row. Requires `images`.
  std::vector<std::int64_t> channel_of_elements() const;
};

/// Plans the steps for a data set. `stored` is the type of its numbers (nullopt: not a NumberType); `description` is
/// its name in messages. Throws RunError if the data set does not match the options. Pure.
TransformPlan plan_transform(const TransformOptions& options, const DataSetInfo& info, std::optional<NumberType> stored,
                             const std::string& description);

/// The scaling of the features, "standard by feature"; empty without one. Pure.
std::string scaling_text(const TransformPlan& plan);

/// A summary for logs and attributes: "resize 128x128 to 64x64, channels last, normalize standard by channel, to
/// float32".
std::string describe(const TransformPlan& plan);

}  // namespace sheaf

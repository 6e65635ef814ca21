// What is to become of a data set's rows, and the row that becomes of each. The order of the steps is fixed: numbers to
// double, resize, normalize, cast, order of channels.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "data/moments.hpp"
#include "data/transform/image_resize.hpp"
#include "files/hdf5/data_set.hpp"
#include "files/hdf5/number_array.hpp"

namespace sheaf {

enum class ScalingUnit { feature, channel };

/// The steps as a user asks for them.
struct TransformOptions {
  std::int64_t height = 0, width = 0;    ///< of the images wanted; 0: as they are
  std::optional<ChannelOrder> layout;    ///< of the images that there are; else their shape tells
  std::optional<ChannelOrder> channels;  ///< wanted; else as they are
  Normalize normalize = Normalize::none;
  ScalingUnit unit = ScalingUnit::feature;
  std::optional<NumberType> cast;
};

/// The same for one data set.
struct TransformPlan {
  std::optional<ImageResize> images;  ///< none: rows of any kind, which keep their shape
  std::vector<std::int64_t> shape;    ///< of the result
  NumberType type = NumberType::float32;
  Normalize normalize = Normalize::none;
  ScalingUnit unit = ScalingUnit::feature;
  std::int64_t row_elements = 0;  ///< of the result

  /// The channel of each element of a row.
  std::vector<std::int64_t> channel_of_elements() const;
};

/// Plans the steps for a data set of `info`, whose numbers are of type `stored` (nothing: of a type of their own).
/// `description` names it in messages. Throws RunError when the data do not fit the options. Pure.
TransformPlan plan_transform(const TransformOptions& options, const DataSetInfo& info, std::optional<NumberType> stored,
                             const std::string& description);

/// "resize 128x128 to 64x64, normalize standard by channel, uint8 to float32 ..." for logs and attributes.
std::string describe(const TransformPlan& plan);

}  // namespace sheaf

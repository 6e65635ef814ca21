// How the rows of a data set are seen: as images, with their channels first or last, or as plain features. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "study/data_options.hpp"

namespace sheaf {

/// Facts about the rows of a data set.
struct RowFacts {
  std::vector<std::int64_t> shape;        ///< of the data set: [rows, ...]
  std::optional<ChannelOrder> requested;  ///< by a key or an option; nullopt: auto
  std::optional<std::string> attribute;   ///< DataSetInfo::channels
  ImageShape image;                       ///< of a row, by data.image; all zero: unknown
  ImageShape expected;                    ///< of a row, by a model; without effect if rows have another shape
};

/// How a row is seen.
struct RowLayout {
  ImageShape image;                             ///< all zero: not an image
  ChannelOrder channels = ChannelOrder::first;  ///< order in the file
  bool certain = true;                          ///< false: the order is unknown, and `image` assumes channels first
};

/// Rows with three dimensions are images, and rows of any shape if `image` or `expected` is known. The order of their
/// channels is `requested`, otherwise the attribute, otherwise the order that fits the known image, otherwise the one
/// with 1 to 4 channels. If none of these decides, the result is not certain. Throws RunError, which names the key or
/// option `key` and the data set `description`, if the attribute is not valid or if two of the facts contradict each
/// other.
RowLayout row_layout(const RowFacts& facts, const std::string& key, const std::string& description);

/// Why the layout of rows with three dimensions is not certain, without advice: "The shape [9, 5, 8, 8] of data set ...
/// does not show which dimension is the channels (...)."
std::string uncertain_layout_problem(const std::vector<std::int64_t>& shape, const std::string& description);

/// "images, 3 channels x 32 x 32 (channels last)" or "64 features".
std::string row_text(const RowLayout& layout, std::int64_t feature_count);

}  // namespace sheaf

// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "engines/native/kernels/kernels.hpp"
#include "models/dropout_mask.hpp"

namespace sheaf {

/// The position of a tile in its batch, and the optimizer step of the batch.
struct BatchTile {
  std::int64_t begin = 0;     ///< first row of the tile within the batch
  bool first = true;          ///< first tile of the batch: gradients are replaced, not added
  bool last = true;           ///< last tile of the batch: parameters are updated
  double gradient_scale = 1;  ///< factor for the gradients of the summed loss
  double learning_rate = 0;
  TrainingStep step;
};

/// A tile on its way through the layers.
struct TilePass {
  std::int64_t count = 0;           ///< rows
  std::int64_t row_count = 0;       ///< rows that are computed: in training, `count` and the padding
  std::size_t shape = 0;            ///< the number of the call of TrainedLayer::reserve() with this `row_count`
  const BatchTile* tile = nullptr;  ///< null: evaluation, without dropout and backward pass
  bool updates = false;             ///< backward() updates the parameters
  const float* features = nullptr;  ///< predictions: the inputs of the first layer, [rows, features]
  Prefetch* prefetch = nullptr;     ///< predictions: memory that is needed next
};

}  // namespace sheaf

// Where the parts of a batch of a stack are in a block of bytes, which one copy brings to a device.
// SPDX-License-Identifier: MIT
#pragma once

#include <torch/types.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engines/libtorch/stack_batch.hpp"
#include "training/stack_shape.hpp"

namespace sheaf {

/// The layout of all batches of a stack.
class StackBatchLayout {
 public:
  StackBatchLayout(const StackShape& shape, std::int64_t slots);

  std::int64_t slots() const { return slots_; }
  std::int64_t rows() const { return rows_; }                                       ///< of a slot, with padding
  std::size_t layers() const { return masks_.size(); }                              ///< of the networks
  std::int64_t mask_width(std::size_t layer) const { return masks_[layer].width; }  ///< 0: it does not drop values

  /// The bytes of a batch.
  std::int64_t bytes() const { return bytes_; }

  /// Views of a batch in its bytes, [bytes()] uint8.
  StackBatch batch(const torch::Tensor& bytes) const;

  /// The parts of a slot in a batch at `batch`: [rows()], [rows()], [StackNumber::count], [rows(), mask_width()].
  std::int64_t* rows_of(std::uint8_t* batch, std::int64_t slot) const;
  double* weights_of(std::uint8_t* batch, std::int64_t slot) const;
  double* numbers_of(std::uint8_t* batch, std::int64_t slot) const;
  std::uint8_t* mask_of(std::uint8_t* batch, std::int64_t slot, std::size_t layer) const;

 private:
  struct Mask {
    std::int64_t width = 0, begin = 0;
  };

  std::int64_t slots_, rows_;
  std::int64_t weights_ = 0, numbers_ = 0;  // where they begin, in bytes; the rows begin at 0
  std::vector<Mask> masks_;                 // of each layer
  std::int64_t bytes_ = 0;
};

/// How many batches are on a device at the same time: most_batches_at_once, fewer if they would take more than
/// most_block_bytes, at least one.
std::int64_t batches_at_once(std::int64_t batch_bytes);

}  // namespace sheaf

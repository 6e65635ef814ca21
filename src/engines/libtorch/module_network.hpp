// A network that wraps a LibTorch module from a file.
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "engines/libtorch/network.hpp"
#include "study/data_options.hpp"
#include "study/train_options.hpp"

namespace sheaf {

/// Calls a module with rows of the right shape and switches it between training and evaluation mode. The tensors of the
/// module are moved to the device, and floating-point tensors are converted to one type. Parameters that require a
/// gradient become parts of the flat tensor.
class ModuleNetwork : public Network {
 protected:
  /// `image`: the shape of a row. With 0 channels, rows are plain features.
  ModuleNetwork(ImageShape image, Precision precision)
      : Network(precision), dtype_(dtype_of(precision)), image_(image) {}

  /// Takes over the tensors of the module. Call it once. Throws RunError if no parameter requires a gradient.
  void adopt(const std::vector<torch::Tensor>& parameters, const std::vector<torch::Tensor>& buffers,
             torch::Device device);

 private:
  torch::Tensor compute(const torch::Tensor& features, std::optional<TrainingStep> step) override;

  virtual void set_training(bool training) = 0;
  virtual torch::Tensor run(const torch::Tensor& rows, std::optional<TrainingStep> step) = 0;

  torch::ScalarType dtype_;
  ImageShape image_;
  std::optional<bool> training_;  // not set: as the module was made
};

}  // namespace sheaf

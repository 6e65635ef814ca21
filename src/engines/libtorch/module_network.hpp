// A network around a LibTorch module that was made elsewhere.
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "engines/libtorch/network.hpp"
#include "study/study.hpp"

namespace sheaf {

/// Gives a module rows as it takes them and switches it between training and evaluation. Its tensors are moved to
/// the device and, where they hold floating-point numbers, to one type; those of its parameters that require a
/// gradient become parts of the flat tensor.
class ModuleNetwork : public Network {
 protected:
  /// `image` of a row; no channels: rows are plain features.
  ModuleNetwork(ImageShape image, Precision precision)
      : Network(precision), dtype_(dtype_of(precision)), image_(image) {}

  /// To be called once, with the module's own tensors. Throws RunError when nothing requires a gradient.
  void adopt(const std::vector<torch::Tensor>& parameters, const std::vector<torch::Tensor>& buffers,
             torch::Device device);

 private:
  torch::Tensor compute(const torch::Tensor& features, std::optional<TrainingStep> step) override;

  virtual void set_training(bool training) = 0;
  virtual torch::Tensor run(const torch::Tensor& rows) = 0;

  torch::ScalarType dtype_;
  ImageShape image_;
  std::optional<bool> training_;  // unset: as it was made
};

}  // namespace sheaf

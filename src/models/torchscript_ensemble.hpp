// Writes ensembles of saved models as one TorchScript file, which Python opens with torch.jit.load, without LibTorch.
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "files/byte_sink.hpp"
#include "models/saved_model.hpp"

namespace sheaf {

/// A model of an ensemble.
struct WeightedModel {
  SavedModel model;
  double weight = 1;  ///< above 0; those of all models add up to 1
};

/// Passes the bytes of a file to `sink` in their order. Its module takes the same features as the modules of the
/// models, which are its submodules with their own scaling, and returns [rows, outputs]: the weighted mean of the
/// values; of classes, the logarithms of the weighted means of the probabilities, so that softmax returns these; if
/// each output has a probability of its own (Link::sigmoid), the logits of the weighted means, so that sigmoid returns
/// these. Requires at least one model. All have a layout, and the same task and outputs. Throws what `sink` throws.
/// Pure otherwise.
void write_torchscript_ensemble(const std::vector<WeightedModel>& models, const ByteSink& sink);

}  // namespace sheaf

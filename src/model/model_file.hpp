// Trained models as TorchScript files, which Python's torch.jit.load opens: written for every kind of network that has
// its code in it, and read back, those of others, too. SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dataset/splits.hpp"
#include "options/study.hpp"
#include "plan/iteration_record.hpp"
#include "plan/network_layout.hpp"

namespace torch::jit {
struct Module;
}

namespace sheaf {

/// What a model file of ours says of its model, as text in its attribute `sheaf`.
struct ModelDescription {
  ModelOptions model;
  Task task = Task::regression;
  LossKind loss = LossKind::mse;
  DataShape shape;  ///< that it was laid out for; `rows` is of no meaning
};

/// A network with what it learned.
struct TrainedModel {
  ModelDescription description;
  NetworkState network;    ///< read back only of networks with a layout
  FeatureScaling scaling;  ///< of the features
};

/// The bytes of a model file. Its module takes raw features, [rows, features] or [rows, C, H, W] of any type, scales
/// them by its buffers `shift` and `scale`, and gives outputs [rows, outputs]: plain values, or logits. A TorchScript
/// module is read once more from its own file, and stands inside. Throws RunError when LibTorch fails. Not for plugins,
/// whose code is in their library. Local.
std::string model_file_bytes(const TrainedModel& trained);

/// A model as its file holds it.
struct LoadedModel {
  std::string path;
  std::shared_ptr<torch::jit::Module> module;  ///< on the CPU, in evaluation mode
  std::optional<TrainedModel> trained;         ///< of files that model_file_bytes() made
};

/// Throws RunError when there is no such file, or when it is not TorchScript. Local.
LoadedModel load_model_file(const std::string& path);

}  // namespace sheaf

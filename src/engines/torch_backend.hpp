// The door to LibTorch: what src/libtorch offers, in words that need none of its headers. LibTorch brings some hundred
// libraries into the process, half a second and 200 MB of them; so its half of the program is a library of its own,
// which is loaded by the first who asks for it. SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/network_layout.hpp"
#include "models/predictor.hpp"
#include "models/saved_model.hpp"
#include "parallel/devices/lane_device.hpp"
#include "study/plan.hpp"
#include "training/trainer.hpp"

namespace sheaf {

/// LibTorch's view of the machine.
struct TorchInfo {
  std::string version;
  bool built_with_cuda = false;
  int cuda_device_count = 0;  ///< that LibTorch can use
};

/// What LibTorch does. All of it is local and thread-safe; each function is documented where src/libtorch declares its
/// own of that name.
class TorchBackend {
 public:
  virtual TorchInfo info() const = 0;
  virtual double measure_blas_flops() const = 0;
  virtual std::vector<std::int64_t> check_modules(const std::vector<Trial>& trials, const DataShape& shape) const = 0;
  virtual std::unique_ptr<Trainer> make_trainer(LaneDevice device, const DataSet* shared) const = 0;
  virtual std::string torchscript_file_bytes(const SavedModel& trained) const = 0;
  virtual std::shared_ptr<torch::jit::Module> load_module(const std::string& path) const = 0;
  virtual std::int64_t ask_output_count(const OpenedModel& model, const std::vector<std::int64_t>& row_shape) const = 0;
  virtual std::unique_ptr<Predictor> make_predictor(const OpenedModel& model,
                                                    const std::vector<std::int64_t>& row_shape,
                                                    std::int64_t output_count, LaneDevice device) const = 0;

 protected:
  ~TorchBackend() = default;
};

/// What to do when libsheaf_libtorch.so cannot be loaded because of `problem`, a sentence; pure. `problem` is the
/// dynamic linker's, "<file>: <what is wrong>", or that of `load_shared_library`.
std::string cure_of_loading(const std::string& problem);

/// Loads LibTorch when it is first asked for, which takes half a second. Throws RunError when it cannot be loaded.
/// Local, thread-safe.
const TorchBackend& torch_backend();

}  // namespace sheaf

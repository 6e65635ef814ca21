// The LibTorch loader: the interface of engines/libtorch, without LibTorch's headers. LibTorch brings hundreds of
// libraries into the process, which takes half a second and 200 MB. Therefore engines/libtorch is a separate library
// that is loaded when it is first used.
// SPDX-License-Identifier: MIT
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
#include "training/stack_shape.hpp"
#include "training/stack_trainer.hpp"
#include "training/trainer.hpp"

namespace sheaf {

/// The version of LibTorch, and the processor and GPUs that it uses.
struct TorchInfo {
  std::string version;
  std::string instruction_set;  ///< of its own loops on the CPU, such as "AVX2"
  bool built_with_cuda = false;
  int cuda_device_count = 0;  ///< devices that LibTorch can use
};

/// The results of the check of a module from a file.
struct ModuleFacts {
  std::int64_t parameters = 0;       ///< number of trained parameters
  bool gives_probabilities = false;  ///< the outputs of each row are in 0..1 and add up to 1
};

/// The functions of engines/libtorch. All are local and thread-safe. Each is documented where engines/libtorch declares
/// its own function of this name.
class TorchBackend {
 public:
  virtual TorchInfo info() const = 0;
  virtual double measure_blas_flops() const = 0;
  virtual std::vector<ModuleFacts> check_modules(const std::vector<Trial>& trials, const DataShape& shape) const = 0;
  virtual std::unique_ptr<Trainer> make_trainer(LaneDevice device, const DataSet* shared) const = 0;
  virtual std::unique_ptr<StackTrainer> make_stack_trainer(LaneDevice device, const DataSet& shared,
                                                           const StackShape& shape, std::int64_t width) const = 0;
  virtual std::string script_model_file_bytes(const SavedModel& trained) const = 0;
  virtual std::string plugin_model_file_bytes(const SavedModel& trained, std::uint64_t iteration_seed) const = 0;
  virtual std::shared_ptr<torch::jit::Module> load_module(const std::string& path) const = 0;
  virtual std::int64_t probe_output_count(const OpenedModel& model,
                                          const std::vector<std::int64_t>& row_shape) const = 0;
  virtual std::unique_ptr<Predictor> make_predictor(const OpenedModel& model,
                                                    const std::vector<std::int64_t>& row_shape,
                                                    std::int64_t output_count, LaneDevice device) const = 0;

 protected:
  ~TorchBackend() = default;
};

/// The advice to the user, as a sentence, if libsheaf_libtorch.so cannot be loaded because of `problem`. `problem` is
/// the message of the dynamic linker, "<file>: <error>", or of load_shared_library(). Pure.
std::string advice_for_loading(const std::string& problem);

/// Whether libsheaf_libtorch.so is next to the program or installed with it. Packages may leave it out. Local.
bool has_torch_library();

/// The first call loads LibTorch, which takes half a second. Throws RunError if it cannot be loaded. Local,
/// thread-safe.
const TorchBackend& torch_backend();

}  // namespace sheaf

// The entry point of this library.
// SPDX-License-Identifier: MIT
#include "engines/libtorch/module_check.hpp"
#include "engines/libtorch/plugin_model.hpp"
#include "engines/libtorch/torch_info.hpp"
#include "engines/libtorch/torch_predictor.hpp"
#include "engines/libtorch/torch_stack_trainer.hpp"
#include "engines/libtorch/torch_trainer.hpp"
#include "engines/libtorch/torchscript_file.hpp"
#include "engines/torch_backend.hpp"

namespace sheaf {
namespace {

class Backend final : public TorchBackend {
  TorchInfo info() const override { return torch_info(); }
  double measure_blas_flops() const override { return sheaf::measure_blas_flops(); }
  std::vector<ModuleFacts> check_modules(const std::vector<Trial>& trials, const DataShape& shape) const override {
    return sheaf::check_modules(trials, shape);
  }
  std::unique_ptr<Trainer> make_trainer(LaneDevice device, const DataSet* shared) const override {
    return make_torch_trainer(device, shared);
  }
  std::unique_ptr<StackTrainer> make_stack_trainer(LaneDevice device, const DataSet& shared, const StackShape& shape,
                                                   std::int64_t width) const override {
    return make_torch_stack_trainer(device, shared, shape, width);
  }
  std::string script_model_file_bytes(const SavedModel& trained) const override {
    return sheaf::script_model_file_bytes(trained);
  }
  std::string plugin_model_file_bytes(const SavedModel& trained, std::uint64_t iteration_seed) const override {
    return sheaf::plugin_model_file_bytes(trained, iteration_seed);
  }
  std::shared_ptr<torch::jit::Module> load_module(const std::string& path) const override {
    return sheaf::load_module(path);
  }
  std::int64_t probe_output_count(const OpenedModel& model, const std::vector<std::int64_t>& row_shape) const override {
    return sheaf::probe_output_count(model, row_shape);
  }
  std::unique_ptr<Predictor> make_predictor(const OpenedModel& model, const std::vector<std::int64_t>& row_shape,
                                            std::int64_t output_count, LaneDevice device) const override {
    return make_torch_predictor(model, row_shape, output_count, device);
  }
};

}  // namespace
}  // namespace sheaf

extern "C" const sheaf::TorchBackend* sheaf_torch_backend();
extern "C" const sheaf::TorchBackend* sheaf_torch_backend() {
  sheaf::require_torch_of_build();
  static const sheaf::Backend backend;
  return &backend;
}

// SPDX-License-Identifier: MIT
#include "engines/native/native_engine.hpp"

#include <fmt/format.h>

#include <limits>

#include "engines/native/flush_denormals.hpp"
#include "engines/native/forward.hpp"
#include "engines/native/kernels/blas_memory.hpp"
#include "engines/native/kernels/product_speed.hpp"
#include "engines/native/layers/layers_refusal.hpp"
#include "engines/native/native_trainer.hpp"
#include "files/replace_file.hpp"
#include "models/torchscript_archive.hpp"

namespace sheaf {
namespace {

class NativePredictor : public Predictor {
 public:
  NativePredictor(const SavedModel& trained, const std::vector<double>& output_offsets)
      : forward_(network_layout(trained.description.model, trained.description.shape),
                 trained.description.model.activation, trained.network, trained.scaling),
        output_offsets_(output_offsets) {}

  bool predict(const float* features, std::int64_t count, float* outputs) override {
    const FlushDenormals flush;
    const bool finite = forward_(features, count, outputs);
    for (std::int64_t row = 0; row < count; ++row)
      for (const double offset : output_offsets_) {
        *outputs = static_cast<float>(double{*outputs} - offset);
        ++outputs;
      }
    return finite;
  }

 private:
  NativeForward forward_;
  const std::vector<double>& output_offsets_;
};

std::optional<std::string> refusal(const Trial& trial, const DataShape& shape, LaneDevice) {
  constexpr std::int64_t most = std::numeric_limits<int>::max();  // BLAS sizes are of type int
  if (shape.features > most) return fmt::format("a row has more than {} features", most);
  if (shape.outputs > most) return fmt::format("a row has more than {} outputs", most);
  const PrecisionRow& precision = precision_of(trial.train.precision);
  if (precision.needs_libtorch) return fmt::format("train.precision = {}", precision.name);
  if (!is_network(trial.model.kind)) return "trees are trained by XGBoost";
  if (trial.model.kind == ModelKind::torchscript) return "a TorchScript module runs in LibTorch";
  if (trial.model.kind == ModelKind::plugin) return "a plugin runs in LibTorch";
  const std::vector<Layer> layers = network_layout(trial.model, shape);
  for (const Layer& layer : layers)
    if (layer.outputs > most) return fmt::format("a layer has more than {} outputs", most);
  return layers_refusal(layers);
}

// A lane trains on one core, whatever its device.
double expected_seconds(const TrialEstimate& estimate, LaneDevice) {
  return estimate.flops / expected_core_flops;
}

std::unique_ptr<Trainer> make_trainer(LaneDevice, const DataSet*) {
  return make_native_trainer();
}

std::unique_ptr<Predictor> make_predictor(const OpenedModel& model, const std::vector<std::int64_t>&, std::int64_t,
                                          LaneDevice) {
  return std::make_unique<NativePredictor>(*model.trained, model.output_offsets);
}

void prepare(std::int64_t threads) {
  if (native_engine_needs_blas()) reserve_blas_memory(threads);
}

void write_model(const SavedModel& trained, std::uint64_t, const std::string& path) {
  write_whole_file(path, [&](const ByteSink& sink) { write_torchscript_archive(trained, sink); });
}

EngineServices services() {
  EngineServices all;
  all.platform_key = "native_engine";
  all.platform_name = "the instruction set";
  all.platform = native_engine_info;
  all.prepare = prepare;
  all.uses_blas = native_engine_needs_blas;
  all.measure_flops = measure_native_flops;
  all.write_model = write_model;
  return all;
}

}  // namespace

EngineEntry native_engine() {
  return {native_engine_name, EngineKind::native, true,          false, false, services(), refusal,
          expected_seconds,   make_trainer,       make_predictor};
}

}  // namespace sheaf

// SPDX-License-Identifier: MIT
#include "engines/model_opening.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <functional>
#include <numeric>
#include <utility>

#include "core/error.hpp"
#include "engines/engine_choice.hpp"
#include "engines/native/flush_denormals.hpp"
#include "engines/native/forward.hpp"
#include "engines/torch_backend.hpp"
#include "models/saved_model_record.hpp"

namespace sheaf {
namespace {

class NativePredictor : public Predictor {
 public:
  explicit NativePredictor(const SavedModel& trained)
      : forward_(network_layout(trained.description.model, trained.description.shape),
                 trained.description.model.activation, trained.network.parameters, trained.scaling) {}

  bool predict(const float* features, std::int64_t count, float* outputs) override {
    const FlushDenormals flush;
    return forward_(features, count, outputs);
  }

 private:
  NativeForward forward_;
};

// Images of the file are the model's; flat rows may be.
void require_image(const OpenedModel& model, const std::vector<std::int64_t>& row_shape) {
  const ImageShape& image = model.trained->description.shape.image;
  const std::vector<std::int64_t> sides{image.channels, image.height, image.width};
  require(image.channels == 0 || row_shape.size() != sides.size() || row_shape == sides,
          fmt::format("model '{}' takes images of {} (the data hold {}). Give it the data that it was made for, or say "
                      "how they lie by --data.image and --data.channels.",
                      model.path, fmt::join(sides, "x"), fmt::join(row_shape, "x")));
}

}  // namespace

std::string torch_predictor_reason(const OpenedModel& model, const RunOptions& run, bool on_gpu) {
  if (!model.trained) return run.engine == EngineKind::torch ? "run.engine = torch" : "it is not of sheaf's own making";
  if (on_gpu && run.engine == EngineKind::automatic) return "it predicts on a GPU";
  return torch_reason({{}, model.trained->description.model, {}}, run, no_gpu);
}

OpenedModel load_model(const std::string& path, const RunOptions& run, bool on_gpu) {
  OpenedModel model{path, read_saved_model_record(path), nullptr};
  if (!torch_predictor_reason(model, run, on_gpu).empty()) model.module = torch_backend().load_module(path);
  return model;
}

std::int64_t find_output_count(const OpenedModel& model, const std::vector<std::int64_t>& row_shape) {
  if (!model.trained) return torch_backend().ask_output_count(model, row_shape);
  const auto features = std::accumulate(row_shape.begin(), row_shape.end(), std::int64_t{1}, std::multiplies<>());
  const DataShape& shape = model.trained->description.shape;
  require_image(model, row_shape);
  require(features == shape.features,
          fmt::format("model '{}' takes {} features a row (the data have {}). Give it the data that it was made for.",
                      model.path, shape.features, features));
  return shape.outputs;
}

std::unique_ptr<Predictor> make_predictor(const OpenedModel& model, const std::vector<std::int64_t>& row_shape,
                                          std::int64_t output_count, const RunOptions& run, LaneDevice device) {
  if (torch_predictor_reason(model, run, device.gpu >= 0).empty())
    return std::make_unique<NativePredictor>(*model.trained);
  return torch_backend().make_predictor(model, row_shape, output_count, device);
}

}  // namespace sheaf

// SPDX-License-Identifier: MIT
#include "engines/model_opening.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <functional>
#include <numeric>
#include <utility>

#include "core/error.hpp"
#include "engines/engine_choice.hpp"
#include "engines/torch_backend.hpp"
#include "files/content_fingerprint.hpp"
#include "models/model_archive.hpp"
#include "models/saved_model_record.hpp"
#include "models/state_archive.hpp"

namespace sheaf {
namespace {

// Requires that images have the model's shape. Flat rows are accepted.
void require_image(const OpenedModel& model, const std::vector<std::int64_t>& row_shape) {
  const ImageShape& image = model.trained->description.shape.image;
  const std::vector<std::int64_t> sides{image.channels, image.height, image.width};
  require(image.channels == 0 || row_shape.size() != sides.size() || row_shape == sides,
          fmt::format("model '{}' takes images of {} (the data have {}). Use images of this shape, or set their layout "
                      "with --data.image and --data.channels.",
                      model.path, fmt::join(sides, "x"), fmt::join(row_shape, "x")));
}

// The code of a plugin is not in the model file.
void require_plugin(const OpenedModel& model) {
  const ModelDescription& description = model.trained->description;
  const std::string& plugin = description.model.file;
  std::error_code ignored;
  require(std::filesystem::exists(plugin, ignored),
          fmt::format("the plugin '{}' of model '{}' does not exist. Put it back to this place.", plugin, model.path));
  require(content_fingerprint(plugin) == description.plugin_content,
          fmt::format("the plugin '{}' has changed since model '{}' was trained (its content differs). Restore it, or "
                      "train the study again.",
                      plugin, model.path));
}

}  // namespace

EngineChoice choose_predictor(const OpenedModel& model, const RunOptions& run, LaneDevice device) {
  const EngineEntry& torch = engine_named(torch_engine_name);
  if (!model.trained)
    return {&torch, run.engine == EngineKind::torch ? "run.engine = torch" : "the file was not written by sheaf"};
  Trial trial;
  trial.model = model.trained->description.model;
  const DataShape& shape = model.trained->description.shape;
  const bool is_free = run.engine == automatic || run.engine == EngineKind::by_device;
  if (device.on_gpu() && is_free)
    if (const EngineEntry* engine = gpu_engine(trial, shape)) return {engine, "the device is a GPU"};
  const bool is_net = is_network(trial.model.kind);
  RunOptions options = run;
  const bool is_possible = is_free || (run.engine == EngineKind::torch && is_net);
  if (!is_possible) options.engine = EngineKind::by_model;  // gives a reason if the requested engine cannot
  return choose_engine(trial, shape, options, no_gpu, device);
}

OpenedModel load_model(const std::string& path, const RunOptions& run, LaneDevice device) {
  OpenedModel model{path, read_saved_model_record(path), nullptr};
  if (choose_predictor(model, run, device).engine->kind != EngineKind::torch) return model;
  verify_model_file(path);
  if (model.trained && model.trained->description.plugin_content) {
    require_plugin(model);
    model.plugin_tensors = read_state_archive(path);
  } else {
    model.module = torch_backend().load_module(path);
  }
  return model;
}

std::int64_t find_output_count(const OpenedModel& model, const std::vector<std::int64_t>& row_shape) {
  if (!model.trained) return torch_backend().probe_output_count(model, row_shape);
  const auto features = std::accumulate(row_shape.begin(), row_shape.end(), std::int64_t{1}, std::multiplies<>());
  const DataShape& shape = model.trained->description.shape;
  require_image(model, row_shape);
  require(features == shape.features,
          fmt::format("model '{}' takes {} features per row (the data have {}). Use data with {} features.", model.path,
                      shape.features, features, shape.features));
  return shape.outputs;
}

std::unique_ptr<Predictor> make_predictor(const OpenedModel& model, const std::vector<std::int64_t>& row_shape,
                                          std::int64_t output_count, const RunOptions& run, LaneDevice device) {
  const EngineEntry& engine = *choose_predictor(model, run, device).engine;
  return engine.make_predictor(model, row_shape, output_count, device);
}

}  // namespace sheaf

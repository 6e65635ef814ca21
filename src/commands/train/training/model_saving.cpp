// SPDX-License-Identifier: MIT
#include "commands/train/training/model_saving.hpp"

#include <filesystem>
#include <utility>
#include <vector>

#include "engines/engine_table.hpp"
#include "files/content_fingerprint.hpp"
#include "runs/directory/run_directory.hpp"
#include "study/losses.hpp"

namespace sheaf {
namespace {

namespace fs = std::filesystem;

class ModelSavingEngine : public Engine {
 public:
  ModelSavingEngine(std::unique_ptr<Engine> engine, SavedModels models)
      : engine_(std::move(engine)), models_(std::move(models)) {}

  bool train(const std::vector<IndexRange>& claim, const EngineCalls& calls) override {
    EngineCalls saving = calls;
    saving.sink = [&](TrainedIteration&& trained) {
      if (!trained.network.empty()) write(trained.result.iteration, trained);
      calls.sink(std::move(trained));
    };
    return engine_->train(claim, saving);
  }

  std::int64_t width() const override { return engine_->width(); }
  bool has_lost_gpu() const override { return engine_->has_lost_gpu(); }

  void train_ahead(const Plan& plan, const std::vector<IndexRange>& iterations,
                   const std::function<bool()>& stop_requested) override {
    engine_->train_ahead(plan, iterations, stop_requested);
  }

 private:
  // Moves the network out of `trained`, since no later step needs it.
  void write(std::int64_t number, TrainedIteration& trained) const {
    const Iteration iteration = models_.plan.iteration(number);
    const Trial trial = models_.plan.trial(iteration.trial);
    SavedModel model{{trial.model, models_.study->data.task, loss_function(trial.train), models_.shape, models_.data,
                      quantiles_of(trial.train)},
                     std::exchange(trained.network, {}),
                     std::exchange(trained.scaling, {})};
    if (trial.model.kind == ModelKind::plugin) model.description.plugin_content = content_fingerprint(trial.model.file);
    const EngineEntry& engine = engine_named(trained.result.engine.view());
    engine.services.write_model(model, iteration.seed, saved_model_path(models_, number));
  }

  std::unique_ptr<Engine> engine_;
  SavedModels models_;
};

bool is_written(const std::string& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) && fs::file_size(path, ignored) > 0;
}

}  // namespace

std::string saved_model_path(const SavedModels& models, std::int64_t number) {
  return models_directory(models.run_directory) + "/" + model_name(models.plan, number);
}

std::optional<std::int64_t> find_missing_model(const SavedModels& models, IndexRange iterations) {
  for (std::int64_t number = iterations.begin; number < iterations.end; ++number)
    if (!is_written(saved_model_path(models, number))) return number;
  return std::nullopt;
}

std::unique_ptr<Engine> saving_models(std::unique_ptr<Engine> engine, SavedModels models) {
  return std::make_unique<ModelSavingEngine>(std::move(engine), std::move(models));
}

}  // namespace sheaf

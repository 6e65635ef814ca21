// SPDX-License-Identifier: MIT
#include "commands/train/verify/sample_comparison.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "commands/train/verify/comparability.hpp"
#include "commands/train/verify/result_comparison.hpp"
#include "core/bytes.hpp"
#include "core/error.hpp"
#include "engines/engine_table.hpp"
#include "models/saved_model_record.hpp"
#include "models/torchscript_archive.hpp"
#include "runs/journal/replay.hpp"

namespace sheaf {
namespace {

// The network in the model file of an iteration, if the run has kept one that can be read without LibTorch.
std::optional<NetworkState> stored_network(const SavedModels& models, std::int64_t iteration) {
  const std::string path = saved_model_path(models, iteration);
  std::error_code ignored;
  if (models.study.models() == ModelsSaved::none || !std::filesystem::exists(path, ignored)) return std::nullopt;
  try {
    const ModelKind kind = models.plan.trial(models.plan.iteration(iteration).trial).model.kind;
    auto model = is_network(kind) ? read_torchscript_archive(path) : read_saved_model_record(path);
    if (!model) return std::nullopt;
    return std::move(model->network);
  } catch (const RunError&) {
    if (std::filesystem::exists(path, ignored)) throw;
    return std::nullopt;  // a job that trains the run has just removed it
  }
}

std::string packed(const std::vector<ComparedIteration>& all) {
  ByteWriter bytes;
  for (const ComparedIteration& one : all) {
    bytes.put(one.iteration);
    bytes.put(one.rounding_reason.has_value());
    if (one.rounding_reason) bytes.put_list(*one.rounding_reason);
    bytes.put(static_cast<std::int64_t>(one.differences.size()));
    for (const auto& difference : one.differences) bytes.put_list(difference);
    bytes.put(one.has_predictions);
    bytes.put(one.has_weights);
  }
  return bytes.bytes();
}

void append_unpacked(const std::string& text, std::vector<ComparedIteration>& all) {
  for (ByteReader bytes(text); !bytes.is_at_end();) {
    ComparedIteration& one = all.emplace_back();
    one.iteration = bytes.get<std::int64_t>();
    if (bytes.get<bool>()) one.rounding_reason = bytes.get_list<std::string>();
    one.differences.resize(static_cast<std::size_t>(bytes.get<std::int64_t>()));
    for (auto& difference : one.differences) difference = bytes.get_list<std::string>();
    one.has_predictions = bytes.get<bool>();
    one.has_weights = bytes.get<bool>();
  }
}

}  // namespace

class SampleComparison::ComparingEngine : public Engine {
 public:
  ComparingEngine(std::unique_ptr<Engine> engine, LaneDevice device, SampleComparison& comparison)
      : engine_(std::move(engine)), device_(device), comparison_(comparison) {}

  bool train(const std::vector<IndexRange>& claim, const EngineCalls& calls) override {
    EngineCalls comparing = calls;
    comparing.sink = [&](TrainedIteration&& trained) {
      comparison_.compare(trained, engine_->has_lost_gpu() ? core_lane : device_);
      calls.sink(std::move(trained));
    };
    return engine_->train(claim, comparing);
  }

  std::int64_t width() const override { return engine_->width(); }

  bool has_lost_gpu() const override { return engine_->has_lost_gpu(); }

 private:
  std::unique_ptr<Engine> engine_;
  LaneDevice device_;
  SampleComparison& comparison_;
};

std::unique_ptr<Engine> SampleComparison::comparing(std::unique_ptr<Engine> engine, LaneDevice device) {
  return std::make_unique<ComparingEngine>(std::move(engine), device, *this);
}

void SampleComparison::compare(const TrainedIteration& now, LaneDevice device) {
  const std::int64_t number = now.result.iteration;
  const auto position = static_cast<std::size_t>(sample_.results.positions_of({number, number + 1}).begin);
  const JournaledIteration journaled = sample_.results[position];
  StoredIteration stored{journaled.trained, stored_network(models_, number)};
  stored.trained.predictions = read_predictions(sample_.journals, journaled);
  ComparedIteration compared;
  compared.iteration = number;
  IterationResult result = now.result;
  result.gpu = gpu_of(result.engine, device);
  compared.rounding_reason = rounding_reason(stored.trained.result, result, sample_.headers_of(journaled, plan_), own_);
  std::optional<Tolerance> tolerance;
  if (compared.rounding_reason) tolerance = tolerance_of(plan_.trial(plan_.iteration(number).trial).train.precision);
  compared.differences = differences(now, stored, tolerance);
  compared.has_predictions = !stored.trained.predictions.empty();
  compared.has_weights = stored.network.has_value() && !tolerance;
  const std::lock_guard lock(mutex_);
  compared_.push_back(std::move(compared));
}

std::vector<ComparedIteration> SampleComparison::gather(const Communicator& world) const {
  std::vector<ComparedIteration> all;
  for (const auto& text : world.gather(packed(compared_))) append_unpacked(text, all);
  std::sort(all.begin(), all.end(),
            [](const ComparedIteration& a, const ComparedIteration& b) { return a.iteration < b.iteration; });
  return all;
}

}  // namespace sheaf

// One row of the engine table: properties of an engine, and functions that make its trainers and predictors. Only
// making one loads a library. SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/dataset.hpp"
#include "models/network_layout.hpp"
#include "models/predictor.hpp"
#include "models/saved_model.hpp"
#include "parallel/devices/lane_device.hpp"
#include "study/plan.hpp"
#include "study/study.hpp"
#include "training/trainer.hpp"
#include "training/training_cost.hpp"

namespace sheaf {

inline constexpr const char* native_engine_name = "native";
inline constexpr const char* torch_engine_name = "torch";

/// Operations a second in float32 that an engine is expected to do on one core: half the peak of one with AVX2.
inline constexpr double expected_core_flops = 40e9;

struct EngineEntry {
  std::string_view name;  ///< in results, journals and reports
  EngineKind asked;       ///< the value of run.engine that selects this engine alone
  bool uses_gpus;         ///< trains on the GPU of its lane, if that has one; otherwise always on cores

  /// Why the engine cannot train a trial on data of that shape in a lane with that device; none: it can. Of the trial
  /// its network alone counts (decides_network), of the device its kind alone, a GPU or cores. Pure.
  std::optional<std::string> (*refusal)(const Trial& trial, const DataShape& shape, LaneDevice device);

  /// Seconds that one iteration of a trial is expected to take in a lane with that device: an estimate by order of
  /// magnitude, from constants, so that all ranks and jobs find the same. Pure.
  double (*expected_seconds)(const TrialEstimate& estimate, LaneDevice device);

  /// A trainer for a lane. `shared`: the data set of all iterations; null where each has its own or it is streamed.
  /// Throws RunError when the engine or the device cannot be used. Local, thread-safe.
  std::unique_ptr<Trainer> (*make_trainer)(LaneDevice device, const DataSet* shared);

  /// A predictor for a lane. `model` outlives it. Throws RunError as make_trainer does. Local, thread-safe.
  std::unique_ptr<Predictor> (*make_predictor)(const OpenedModel& model, const std::vector<std::int64_t>& row_shape,
                                               std::int64_t output_count, LaneDevice device);
};

}  // namespace sheaf

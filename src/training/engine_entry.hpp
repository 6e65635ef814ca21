// One row of the engine table: the properties of an engine, its functions that make trainers and predictors, and what
// commands need of it otherwise.
// SPDX-License-Identifier: MIT
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
#include "parallel/devices/gpus.hpp"
#include "parallel/devices/lane_device.hpp"
#include "study/plan.hpp"
#include "study/run_options.hpp"
#include "training/engine_library.hpp"
#include "training/stack_shape.hpp"
#include "training/stack_trainer.hpp"
#include "training/trainer.hpp"
#include "training/training_cost.hpp"

namespace sheaf {

inline constexpr const char* native_engine_name = "native";
inline constexpr const char* torch_engine_name = "torch";
inline constexpr const char* xgboost_engine_name = "xgboost";

/// Float32 operations per second expected of an engine on one core: half the peak of a core with AVX2.
inline constexpr double expected_core_flops = 40e9;

/// What an engine needs of the machine, and what it reports. Functions that need the engine's library load it, and
/// throw RunError if that fails. All are local.
struct EngineServices {
  const EngineLibrary* shared_library = nullptr;  ///< null: the engine is a part of the program

  std::string_view platform_key;   ///< of platform() in journals, and of the version in results
  std::string_view platform_name;  ///< for people, such as "the instruction set"
  /// What decides the last bits of its results on this machine, besides the program and run.threads.
  std::string (*platform)() = nullptr;

  /// Prepares the process for `threads` threads that compute, before they start: loads the library and reserves
  /// memory. Throws RunError also if the memory limit is too low. Null: nothing to do.
  void (*prepare)(std::int64_t threads) = nullptr;

  /// Whether it uses the BLAS library on this machine. Null: never.
  bool (*uses_blas)() = nullptr;
  /// The speed in FLOP/s of its matrix products on one core; takes about 10 ms. Null: it has no products.
  double (*measure_flops)() = nullptr;

  /// The GPUs on which it can train: all that are visible to this process, or none, with the reason. Loads the library
  /// if there may be some. Throws RunError if it cannot be loaded. Null without uses_gpus.
  VisibleGpus (*usable_gpus)() = nullptr;

  /// Writes the file of a model that it has trained in the iteration with this seed. Throws RunError. Thread-safe.
  void (*write_model)(const SavedModel& trained, std::uint64_t iteration_seed, const std::string& path) = nullptr;
};

struct EngineEntry {
  std::string_view name;  ///< in results, journals and reports
  EngineKind kind;        ///< the value of run.engine that selects this engine
  bool trains_networks;   ///< or boosted trees
  bool uses_gpus;         ///< whether it uses the lane's GPU if there is one; otherwise it always trains on cores
  bool uses_threads;      ///< whether a lane on cores trains with run.threads threads; otherwise with one
  EngineServices services;

  /// The reason why the engine cannot train a trial on data of this shape in a lane with this device; no value if it
  /// can. Depends only on the trial's network (decides_network) and the kind of the device, GPU or cores. Pure.
  std::optional<std::string> (*refusal)(const Trial& trial, const DataShape& shape, LaneDevice device);

  /// Expected seconds for one iteration of a trial in a lane with this device. An order-of-magnitude estimate from
  /// constants, so that all ranks and jobs compute the same value. Pure.
  double (*expected_seconds)(const TrialEstimate& estimate, LaneDevice device);

  /// Makes a trainer for a lane. `shared`: the data set of all iterations; null if each iteration has its own or the
  /// data are streamed. Throws RunError if the engine or the device cannot be used. Local, thread-safe.
  std::unique_ptr<Trainer> (*make_trainer)(LaneDevice device, const DataSet* shared);

  /// Makes a predictor for a lane. `model` must outlive it. Throws RunError as make_trainer does. Local, thread-safe.
  std::unique_ptr<Predictor> (*make_predictor)(const OpenedModel& model, const std::vector<std::int64_t>& row_shape,
                                               std::int64_t output_count, LaneDevice device);

  /// The reason why models of this trial, a network, cannot be trained together in a stack; no value if they can. Null:
  /// the engine has no stacks. Pure.
  std::optional<std::string> (*stack_refusal)(const Trial& trial, const DataShape& shape) = nullptr;
  /// Makes a stack with `width` slots for models of this shape, which train on rows of `shared`. Throws RunError as
  /// make_trainer does. Local, thread-safe. Null if stack_refusal is.
  std::unique_ptr<StackTrainer> (*make_stack_trainer)(LaneDevice device, const DataSet& shared, const StackShape& shape,
                                                      std::int64_t width) = nullptr;
};

}  // namespace sheaf

// SPDX-License-Identifier: MIT
#include "commands/train/prepare/prepared_training.hpp"

#include <fmt/format.h>

#include <utility>

#include "commands/train/prepare/identified_data.hpp"
#include "commands/train/prepare/model_files.hpp"
#include "commands/train/prepare/rank_agreement.hpp"
#include "core/escaped.hpp"
#include "core/interruption.hpp"
#include "core/version.hpp"
#include "engines/native/kernels/blas_library.hpp"
#include "engines/native/kernels/blas_memory.hpp"
#include "engines/native/native_trainer.hpp"
#include "engines/torch_backend.hpp"
#include "engines/xgboost/xgboost_library.hpp"
#include "parallel/mpi/agreement.hpp"
#include "runs/directory/study_identity.hpp"

namespace sheaf {
namespace {

// Whether the engine with this name trains any trial.
bool any_trains(std::string_view name, const Plan& plan, const EngineOfTrial& engine_of_trial) {
  bool any = false;
  plan.for_each_network([&](const Trial& trial) {
    const TrialEngine engine = engine_of_trial(trial);
    any = any || engine.on_gpu.name == name || engine.on_cores.name == name;
  });
  return any;
}

Platform platform_of(const RunOptions& options, bool uses_torch, const std::optional<std::string>& xgboost) {
  Platform platform{build_id(), escaped(native_engine_info()), std::nullopt, options.threads};
  if (uses_torch) {
    const TorchInfo torch = torch_backend().info();
    platform.libtorch = escaped(fmt::format("{}, {}, {}", torch.version, torch.instruction_set, blas_library()));
  }
  platform.xgboost = xgboost;
  return platform;
}

// The version of XGBoost, the same on all ranks; nullopt if the run trains no trees. Collective.
std::optional<std::string> xgboost_of(const PreparedStudy& prepared, const Plan& plan, const Communicator& world) {
  if (!any_trains(xgboost_engine_name, plan, prepared.engine_of_trial)) return std::nullopt;
  std::string version;
  agree(world, [&] { version = xgboost_version(); });
  require_same_xgboost_on_all_ranks(version, world);
  return version;
}

}  // namespace

PreparedTraining prepare_training(const Study& study, const Plan& plan, const std::optional<std::string>& directory,
                                  const Communicator& world, const Communicator& node) {
  bool uses_torch = false;
  PreparedStudy prepared = prepare_study(
      study, plan, directory.has_value(),
      [&](const PreparedStudy& so_far) {
        uses_torch = any_trains(torch_engine_name, plan, so_far.engine_of_trial);
        if (uses_torch) torch_backend();  // loads LibTorch now, not in a lane during the training
        if (uses_torch || native_engine_needs_blas()) reserve_blas_memory(so_far.placement.thread_count() + 1);
      },
      world, node);
  ModelFingerprints model_files;
  agree(world, [&] { model_files = fingerprint_model_files(plan); });
  require_same_study_on_all_ranks(prepared.study, world);
  require_same_files_on_all_ranks(prepared.study, model_files, world);
  const std::optional<std::string> xgboost = xgboost_of(prepared, plan, world);
  agree(world, leave_if_interrupted);
  DataIdentity identity = identify_data(prepared, directory, world, node);
  PreparedTraining training{std::move(prepared), uses_torch, {}};
  agree(world, [&] {
    const Study& settled = training.prepared.study;
    training.header = {program_version(),
                       study_fingerprint(settled),
                       std::move(identity.content),
                       journal_format,
                       std::move(model_files),
                       std::move(identity.files),
                       training.prepared.placement.lane_count(),
                       std::nullopt,
                       platform_of(settled.run, uses_torch, xgboost)};
  });
  return training;
}

}  // namespace sheaf

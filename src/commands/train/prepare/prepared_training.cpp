// SPDX-License-Identifier: MIT
#include "commands/train/prepare/prepared_training.hpp"

#include <set>
#include <string_view>
#include <utility>

#include "commands/train/prepare/identified_data.hpp"
#include "commands/train/prepare/model_files.hpp"
#include "commands/train/prepare/rank_agreement.hpp"
#include "core/escaped.hpp"
#include "core/interruption.hpp"
#include "core/version.hpp"
#include "parallel/mpi/agreement.hpp"
#include "runs/directory/study_identity.hpp"

namespace sheaf {
namespace {

// The engines that train any trial.
UsedEngines used_engines(const Plan& plan, const EngineOfTrial& engine_of_trial) {
  std::set<std::string_view> names;
  plan.for_each_network([&](const Trial& trial) {
    const TrialEngine engine = engine_of_trial(trial);
    for (const ChosenEngine* chosen : {&engine.on_gpu, &engine.on_cores})
      if (chosen->name != no_engine) names.insert(engine_named(chosen->name.view()).name);
  });
  return engines_with([&](const EngineEntry& engine) { return names.count(engine.name) > 0; });
}

Platform platform_of(const RunOptions& options, const UsedEngines& used, const Placement& placement) {
  Platform platform{build_id(), {}, options.threads};
  if (placement.gpu) platform.gpu = escaped(placement.gpu->name);
  for (const auto& [key, text] : engine_platforms(used)) platform.engines.emplace(key, escaped(text));
  return platform;
}

// Throws AgreedError unless all ranks have the same versions of the libraries that decide results. Collective.
void require_same_versions(const UsedEngines& used, const Communicator& world) {
  for (const EngineEntry* engine : used) {
    const EngineLibrary* library = engine->services.shared_library;
    if (library == nullptr || !library->version_decides_results) continue;
    std::string version;
    agree(world, [&] { version = library->version(); });
    require_same_library_on_all_ranks(std::string(library->name), version, world);
  }
}

}  // namespace

PreparedTraining prepare_training(const Study& study, const Plan& plan, const std::optional<std::string>& directory,
                                  const Communicator& world, const Communicator& node) {
  UsedEngines used;
  PreparedStudy prepared = prepare_study(
      study, plan, directory.has_value(),
      [&](const PreparedStudy& so_far) {
        used = used_engines(plan, so_far.engine_of_trial);
        prepare_engines(used, so_far.placement.thread_count() + 1);
      },
      world, node);
  ModelFingerprints model_files;
  agree(world, [&] { model_files = fingerprint_model_files(plan); });
  require_same_study_on_all_ranks(prepared.study, world);
  require_same_files_on_all_ranks(prepared.study, model_files, world);
  require_same_versions(used, world);
  agree(world, leave_if_interrupted);
  DataIdentity identity = identify_data(prepared, directory, world, node);
  PreparedTraining training{std::move(prepared), std::move(used), {}};
  agree(world, [&] {
    const SettledStudy& settled = training.prepared.study;
    training.header = {program_version(),
                       study_fingerprint(settled),
                       std::move(identity.content),
                       journal_format,
                       std::move(model_files),
                       std::move(identity.files),
                       training.prepared.placement.lane_count(),
                       std::nullopt,
                       platform_of(settled->run, training.engines, training.prepared.placement)};
  });
  return training;
}

}  // namespace sheaf

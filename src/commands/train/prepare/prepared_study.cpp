// SPDX-License-Identifier: MIT
#include "commands/train/prepare/prepared_study.hpp"

#include <optional>
#include <utility>

#include "engines/engine_choice.hpp"
#include "parallel/devices/rank_placement.hpp"
#include "parallel/mpi/agreement.hpp"

namespace sheaf {
namespace {

// `options`: before they are settled, so that the reason explains the choice. `joins`: the run has stored its choice.
EngineOfTrial engines_of(const RunOptions& options, bool joins, const JobFacts& facts) {
  const bool engine_is_stored = joins && options.engine != EngineKind::by_model;
  return [options, engine_is_stored, shape = facts.shape, speedup = facts.gpu_speedup](const Trial& trial) {
    const auto chosen = [&](LaneDevice device) -> ChosenEngine {
      EngineChoice choice = choose_engine(trial, shape, options, speedup, device);
      if (choice.engine == nullptr) return {};
      if (engine_is_stored && choice.reason) choice.reason = "the run began with this engine";
      return {choice.engine->name, std::move(choice.reason)};
    };
    return TrialEngine{chosen(gpu_lane), chosen(core_lane)};
  };
}

}  // namespace

PreparedStudy prepare_study(const Study& study, const Plan& plan, bool joins, const BeforeData& before_data,
                            const Communicator& world, const Communicator& node) {
  std::optional<FileSchema> file = agree_on_data(study, world);
  PlacedStudy placed = place_and_settle(study, plan, file, world, node);
  PreparedStudy prepared{std::move(placed.study), std::move(placed.placement), std::move(placed.facts)};
  prepared.file = std::move(file);
  prepared.engine_of_trial = engines_of(study.run, joins, prepared.facts);
  prepared.ranks = gather_rank_infos(prepared.placement, world);
  prepared.gpu_lanes = world.sum(prepared.placement.gpu_lanes());
  if (!joins)  // a later job may have no GPU, or halve stacks that lack memory
    agree(world, [&] {
      const JobFacts& facts = prepared.facts;
      require_stack(plan, facts.shape, prepared.study->run, facts.devices);
      require_stack_fits(prepared.study, plan, facts.shape, facts.training_rows, facts.gpus);
    });
  agree(world, [&] { before_data(prepared); });
  prepared.data = prepare_study_data(prepared.study, plan, prepared.file, prepared.placement, world, node);
  // The data may have more classes than expected.
  agree(world, [&] { require_engine(plan, prepared.data.shape, prepared.study->run, prepared.facts.devices); });
  return prepared;
}

}  // namespace sheaf

// SPDX-License-Identifier: MIT
#include "commands/evaluate/prepared_evaluation.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <set>
#include <utility>

#include "commands/evaluate/scoring_choice.hpp"
#include "core/error.hpp"
#include "core/log.hpp"
#include "core/text.hpp"
#include "data/column_encoding.hpp"
#include "engines/model_opening.hpp"
#include "engines/usable_gpus.hpp"
#include "engines/used_engines.hpp"
#include "parallel/devices/rank_placement.hpp"
#include "parallel/mpi/agreement.hpp"
#include "study/losses.hpp"
#include "study/settings.hpp"
#include "study/study.hpp"

namespace sheaf {
namespace {

// Decides on rank 0 whether the outputs are probabilities, if --outputs = auto has to find out. Collective.
void settle_outputs(const EvaluationRequest& request, LaneDevice device, EvaluatedModel& evaluated,
                    const Communicator& world) {
  if (may_give_probabilities(request, evaluated)) {
    bool found = false;
    agree(world, [&] { found = world.is_root() && finds_probabilities(evaluated, request.run, device); });
    evaluated.gives_probabilities = world.maximum(std::int64_t{found}) > 0;
    if (evaluated.gives_probabilities)
      log_root(fmt::format(
          "the outputs of '{}' are taken as probabilities (those of the first rows {}). If they are "
          "logits, set --outputs=logits.",
          request.model, evaluated.scoring.link() == Link::sigmoid ? "are in 0..1" : "are in 0..1 and add up to 1"));
  }
  evaluated.scoring.probabilities = evaluated.scoring.probabilities || evaluated.gives_probabilities;
}

// Throws UsageError if run.engine names another engine than that of the model.
void require_requested_engine(const EvaluationRequest& request, const EngineChoice& choice) {
  const AutoOr<EngineKind> requested = request.run.engine;
  for (const AutoOr<EngineKind> any : {AutoOr<EngineKind>(), {EngineKind::by_model}, {EngineKind::by_device}})
    if (requested == any) return;
  if (requested == choice.engine->kind) return;
  Study study;
  study.run = request.run;
  throw UsageError(fmt::format("run.engine = {} cannot run model '{}' ({}). Set run.engine = auto.",
                               setting_text(study, "run.engine"), request.model,
                               choice.reason.value_or(fmt::format("its engine is {}", choice.engine->name))));
}

// Prepares the engines of the models. Returns the first that is not the first of the table and needs a reason, if any.
EngineChoice engine_of_models(const EvaluationRequest& request, const EvaluatedModel& evaluated,
                              const Placement& placement) {
  const EngineEntry& usual = engine_table().front();
  EngineChoice choice{};
  std::set<const EngineEntry*> chosen;
  for (const OpenedModel& model : evaluated.models) {
    const EngineChoice of_model = choose_predictor(model, request.run, placement.lanes.front());
    require_requested_engine(request, of_model);
    if (choice.engine == nullptr || choice.engine == &usual) choice = of_model;
    chosen.insert(of_model.engine);
  }
  prepare_engines(engines_with([&](const EngineEntry& engine) { return chosen.count(&engine) > 0; }),
                  placement.thread_count() + 1);
  return choice;
}

}  // namespace

PreparedEvaluation prepare_evaluation(const EvaluationRequest& request,
                                      const std::function<void(EvaluatedModel&)>& choose, const Communicator& world) {
  Communicator node = world.split_by_node();
  Placement placement = place_ranks(request.run, find_usable_gpus, world, node);
  EvaluatedModel evaluated = open_evaluated_model(request, placement.lanes.front(), world, node);
  EngineChoice engine{};
  agree(world, [&] {
    choose_scoring(request, evaluated);
    choose(evaluated);
    engine = engine_of_models(request, evaluated, placement);
  });
  settle_outputs(request, placement.lanes.front(), evaluated, world);
  return {std::move(node), std::move(placement), std::move(evaluated), described(engine.engine->name, engine.reason)};
}

void log_changed_cells(std::int64_t empty_cells, std::int64_t unknown_cells, const Communicator& world) {
  empty_cells = world.sum(empty_cells);
  unknown_cells = world.sum(unknown_cells);
  if (empty_cells > 0)
    log_root(fmt::format("{} {} filled with the values that the model has for them", counted(empty_cells, "empty cell"),
                         empty_cells == 1 ? "was" : "were"));
  if (unknown_cells > 0) log_root(unknown_cells_note(unknown_cells));
}

}  // namespace sheaf

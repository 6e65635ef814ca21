// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <string_view>
#include <vector>

#include "study/combinations.hpp"
#include "study/key_defaults.hpp"
#include "study/section_checks.hpp"
#include "study/settings_table.hpp"

namespace sheaf {
namespace {

// For a number of models in run.stack.
void check_stack(const Study& study, Problems& problems) {
  const auto refuse = [&](const char* key, const std::string& reason, const std::string& advice) {
    problems.add({"run.stack", key}, fmt::format("{} {}. {}.", assignment(study, "run.stack"), reason, advice));
  };
  const AutoOr<EngineKind> engine = study.run.engine;
  if (engine == EngineKind::native || engine == EngineKind::xgboost)
    refuse("run.engine", fmt::format("needs LibTorch, but {}", assignment(study, "run.engine")),
           "Set run.engine = torch, or leave out run.stack");
  if (study.run.threads > 1)
    refuse("run.threads", fmt::format("needs one thread per lane, but run.threads = {}", study.run.threads),
           "Leave out one of them");
  if (study.data.source == DataSource::synthetic && study.data.draw == Draw::iteration)
    refuse("data.draw", "needs data that all iterations share, but data.draw = iteration",
           "Set data.draw = study, or leave out run.stack");
  if (study.data.mode == DataMode::streamed)
    refuse("data.mode", "needs data in memory, but data.mode = streamed", "Leave out one of them");
}

}  // namespace

void check_run(const Study& study, Problems& problems) {
  if (study.run.predictions == PredictionsKept::held_out) {
    if (study.data.source == DataSource::synthetic && study.data.draw == Draw::iteration)
      problems.add({"run.predictions", "data.draw"},
                   "run.predictions = held_out needs data that all iterations share, but data.draw = iteration. Set "
                   "data.draw = study, or run.predictions = none.");
    else if (has_no_validation(study))
      problems.add({"run.predictions", "search.folds", "data.validation"},
                   "run.predictions = held_out has no effect (there are no validation rows). Set search.folds or "
                   "data.validation.");
  }
  if (study.run.refit && study.run.models == ModelsSaved::none)
    problems.add({"run.refit", "run.models"},
                 "run.refit = true needs saved models, but run.models = none. Set run.models = best, or leave out "
                 "run.refit.");
  if (study.run.threads > 1 && study.run.lanes != 1)
    problems.add({"run.threads", "run.lanes"},
                 fmt::format("run.threads = {} needs one lane, but run.lanes = {}. Set run.lanes = 1, or leave out "
                             "run.threads.",
                             study.run.threads, setting_text(study, "run.lanes")));
  if (study.run.threads > 1 && study.run.core_lanes > 0)
    problems.add({"run.threads", "run.core_lanes"},
                 fmt::format("run.threads = {} needs one lane (run.core_lanes = {} adds more). Leave out one of them.",
                             study.run.threads, study.run.core_lanes));
  if (study.run.threads > 1 && !is_network(study.model.kind) && !is_searched(study, "model.kind"))
    problems.add({"run.threads", "model.kind"},
                 fmt::format("run.threads = {} has no effect ({}: one thread per lane). Leave it out.",
                             study.run.threads, assignment(study, "model.kind")));
  // Stacks for which memory was planned were settled by an earlier job, perhaps for other lanes.
  if (study.run.stack && study.run.stack->is_stack() && study.run.stack->memory_mib == 0) check_stack(study, problems);
  if (study.run.engine != EngineKind::native) return;
  const auto refuse = [&](const std::string& supported, const std::string& key, const std::string& advice) {
    problems.add({"run.engine", key},
                 fmt::format("run.engine = native supports only {}, but {}. {}, or start a run with run.engine = auto.",
                             supported, assignment(study, key), advice));
  };
  if (study.run.threads > 1) refuse("one thread per lane", "run.threads", "Leave out run.threads");
  if (study.run.device == DeviceRequest::cuda) refuse("CPUs", "run.device", "Set run.device = cpu");
  if (precision_of(study.train.precision).needs_libtorch && !is_searched(study, "train.precision")) {
    std::vector<std::string_view> supported;
    for (const PrecisionRow& precision : precision_table)
      if (!precision.needs_libtorch) supported.push_back(precision.name);
    refuse(fmt::format("{}", fmt::join(supported, " and ")), "train.precision", "Use a different train.precision");
  }
}

}  // namespace sheaf

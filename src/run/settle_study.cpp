// SPDX-License-Identifier: MIT
#include "run/settle_study.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.hpp"
#include "core/text.hpp"
#include "dataset/stream_plan.hpp"
#include "device/memory.hpp"
#include "engine/engine_choice.hpp"
#include "run/study_data.hpp"

namespace sheaf {

JobFacts gather_facts(const Study& study, const std::optional<FileSchema>& file, const Placement& placement,
                      const Communicator& world) {
  JobFacts facts;
  facts.any_gpu = world.maximum(std::int64_t{placement.gpu >= 0}) > 0;
  facts.all_gpu = world.minimum(std::int64_t{placement.gpu >= 0}) > 0;
  if (file) facts.data_bytes = file->rows * row_bytes(*file, study.data.task);
  facts.node_bytes = world.minimum(usable_memory_bytes());
  return facts;
}

Study settled_study(Study study, const Plan& plan, const JobFacts& facts) {
  study.data.mode =
      is_streamed(study.data, facts.data_bytes, facts.node_bytes) ? DataMode::streamed : DataMode::resident;
  study.run.engine = settled_engine(plan, study.run, facts.any_gpu);
  return study;
}

void require_trainable(const Study& settled, const Plan& plan, const JobFacts& facts) {
  require_engine(plan, settled.run);
  require(
      settled.data.mode == DataMode::streamed || facts.data_bytes <= facts.node_bytes,
      fmt::format("'{}' does not fit into memory, as data.mode = resident needs it to ({}, and a node has {}). Give "
                  "each node more memory, or start another run with data.mode = streamed.",
                  settled.data.file, human_bytes(static_cast<double>(facts.data_bytes)),
                  human_bytes(static_cast<double>(facts.node_bytes))));
  require(settled.train.precision != Precision::tf32 || facts.all_gpu,
          "train.precision = tf32 needs a GPU for every rank (some train on CPU cores). Set train.precision = float32, "
          "or run.device = cuda to learn why a rank has none.");
}

Study with_stored_choices(Study asked, const Study& stored) {
  if (asked.data.mode == DataMode::automatic) asked.data.mode = stored.data.mode;
  if (asked.run.engine == EngineKind::automatic) asked.run.engine = stored.run.engine;
  return asked;
}

std::string settled_warning(const Study& settled, const Plan& plan, const JobFacts& facts) {
  const auto& trials = plan.trials();
  const bool any_resident = std::any_of(trials.begin(), trials.end(), [&](const Trial& trial) {
    return engine_of(trial, settled.run.engine) == TrainedBy::resident;
  });
  return facts.any_gpu && any_resident
             ? "the resident engine trains linear models and mlps on the CPU cores of ranks that "
               "have a GPU (run.engine = by_model). LibTorch trains them on the GPU in a run "
               "with run.engine = torch."
             : "";
}

}  // namespace sheaf

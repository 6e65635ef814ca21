// SPDX-License-Identifier: MIT
#include "commands/train/data_defaults.hpp"

#include "commands/train/study_data.hpp"
#include "core/error.hpp"
#include "core/log.hpp"
#include "parallel/mpi/agreement.hpp"
#include "study/settings.hpp"

namespace sheaf {
namespace {

Task task_of(const DataOptions& options, const std::optional<FileSchema>& file) {
  if (options.classes > 0) return Task::classification;
  const bool has_labels = file && file->targets.number_class == NumberClass::integer && file->target_columns == 1;
  return has_labels ? Task::classification : Task::regression;
}

}  // namespace

Study with_data_defaults(Study study, const std::optional<FileSchema>& file) {
  if (study.data.task == Task::automatic) study.data.task = task_of(study.data, file);
  if (study.train.loss == LossKind::automatic)
    study.train.loss = study.data.task == Task::classification ? LossKind::cross_entropy : LossKind::mse;
  return study;
}

bool needs_data_defaults(const Study& study) {
  return study.data.task == Task::automatic || study.train.loss == LossKind::automatic;
}

std::string data_defaults_text(const Study& requested, const Study& settled) {
  std::string text;
  for (const char* key : {"data.task", "train.loss"}) {
    if (setting_text(requested, key) == setting_text(settled, key)) continue;
    text += (text.empty() ? "" : ", ") + std::string(key) + " = " + setting_text(settled, key);
  }
  return text;
}

Study settle_data_defaults(const Study& study, const Communicator& world) {
  // A rank may have another study file, which is found only later; all ranks must make the same collective calls.
  if (world.maximum(std::int64_t{needs_data_defaults(study)}) == 0) return study;
  const auto file = agree_on_data(study, world);
  Study settled;
  agree(world, [&] {
    settled = with_data_defaults(study, file);
    if (const auto problems = problems_in(settled); !problems.empty()) throw UsageError(problems.front().sentence);
  });
  const std::string chosen = data_defaults_text(study, settled);
  if (file && !chosen.empty()) log_root("chosen for the data: " + chosen);
  return settled;
}

}  // namespace sheaf

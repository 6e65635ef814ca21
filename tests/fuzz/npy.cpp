// Input parts: features, targets. Options: 0 and 1 the task.
// SPDX-License-Identifier: MIT
#include "data/import/numpy_files.hpp"
#include "imported.hpp"

using namespace sheaf;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::Input input(data, size);
  std::optional<Task> task;
  if (input.option(0)) task = input.option(1) ? Task::regression : Task::classification;
  const std::string features = input.part(0), targets = input.part(1);
  MemorySource features_source("x.npy", features), targets_source("y.npy", targets);
  ImportedData imported;
  if (fuzz::accepts([&] { imported = import_npy(features_source, &targets_source, {task, {}}); }))
    fuzz::must_be_sound(imported);
  return 0;
}

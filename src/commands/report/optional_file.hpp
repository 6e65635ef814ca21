// Files of a run that a report does without.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "core/error.hpp"
#include "core/log.hpp"
#include "runs/run_reader.hpp"

namespace sheaf {

/// Calls read(). If it throws a RunError, for example because a file is damaged, logs it as a warning. Local.
template <class Read>
void read_if_possible(const Read& read) {
  try {
    read();
  } catch (const RunError& error) {
    warn_root(error.what());
  }
}

inline std::string results_path(const RunState& run) {
  return run.directory + "/results.h5";
}

}  // namespace sheaf

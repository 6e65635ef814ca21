// Model files of a study, TorchScript modules and plugins, whose content affects results.
// SPDX-License-Identifier: MIT
#pragma once

#include "runs/journal/journal_line.hpp"
#include "study/plan.hpp"

namespace sheaf {

/// Fingerprints of the model files of all trials. They are computed from first_content(), which engines also load.
/// Throws RunError if a file cannot be read. Local.
ModelFingerprints fingerprint_model_files(const Plan& plan);

}  // namespace sheaf

// The files that a study's models come from: TorchScript modules and plugins. Their content decides results.
// SPDX-License-Identifier: MIT
#pragma once

#include "runs/journal/journal_line.hpp"
#include "study/plan.hpp"

namespace sheaf {

/// Fingerprints of the model files that any trial names, by their first_content(), which is also what engines load.
/// Throws RunError when one cannot be read. Local.
ModelFingerprints fingerprint_model_files(const Plan& plan);

}  // namespace sheaf

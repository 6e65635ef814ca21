// SPDX-License-Identifier: MIT
#include "commands/train/prepare/model_files.hpp"

#include "core/escaped.hpp"
#include "files/content_fingerprint.hpp"

namespace sheaf {

ModelFingerprints fingerprint_model_files(const Plan& plan) {
  ModelFingerprints fingerprints;
  plan.for_each_network([&](const Trial& trial) {
    if (const std::string& file = trial.model.file; !file.empty() && fingerprints.count(escaped(file)) == 0)
      fingerprints[escaped(file)] = content_fingerprint(file);
  });
  return fingerprints;
}

}  // namespace sheaf

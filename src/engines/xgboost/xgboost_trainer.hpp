// Trains boosted trees with XGBoost. An epoch is one round on all training rows. Bits are the same for any number of
// ranks and lanes, with the same version of XGBoost.
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "training/trainer.hpp"

namespace sheaf {

/// Throws RunError if XGBoost cannot be loaded. Local, thread-safe.
std::unique_ptr<Trainer> make_xgboost_trainer();

}  // namespace sheaf

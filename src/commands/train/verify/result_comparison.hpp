// Compares an iteration that was trained again with its stored result. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "commands/train/verify/comparability.hpp"
#include "models/network_state.hpp"
#include "training/iteration_result.hpp"

namespace sheaf {

/// An iteration as the run has stored it.
struct StoredIteration {
  TrainedIteration trained;             ///< `predictions`: empty if the run has not kept them
  std::optional<NetworkState> network;  ///< of its model file; nullopt: there is none that can be read
};

/// The values that differ, as "final_loss 0.31 instead of 0.3"; empty: none. Compares status, losses, score, metrics,
/// epochs, best epoch, steps, reductions of the learning rate, the curve and predictions; weights only by their bits.
/// Times and places do not count. nullopt as tolerance: all bits must be equal; integers must be equal in any case.
std::vector<std::string> differences(const TrainedIteration& now, const StoredIteration& stored,
                                     const std::optional<Tolerance>& tolerance);

}  // namespace sheaf

// Which models LibTorch can train together. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/layer.hpp"
#include "study/plan.hpp"

namespace sheaf {

/// The reason, as a phrase, why the models of a trial cannot be trained in a stack (TorchBackend::make_stack_trainer);
/// no value if they can. `layers`: network_layout() of the trial. Depends only on the trial's network
/// (decides_network).
std::optional<std::string> stack_refusal(const Trial& trial, const std::vector<Layer>& layers);

}  // namespace sheaf

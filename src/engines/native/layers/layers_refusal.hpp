// Which networks the native engine can compute. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/layer.hpp"

namespace sheaf {

/// The reason why the native engine has no chain of layers for the network; no value if it has one.
std::optional<std::string> layers_refusal(const std::vector<Layer>& layers);

/// Throws std::logic_error if there is a reason: engines refuse such networks first.
void require_layers(const std::vector<Layer>& layers);

}  // namespace sheaf

// One-line messages of LibTorch's errors.
// SPDX-License-Identifier: MIT
#pragma once

#include <exception>
#include <string>

namespace sheaf {

/// The message of the error without its call trace.
std::string torch_messages(const std::exception& error);

}  // namespace sheaf

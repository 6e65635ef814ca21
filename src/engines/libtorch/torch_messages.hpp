// LibTorch's errors in one line.
// SPDX-License-Identifier: MIT
#pragma once

#include <exception>
#include <string>

namespace sheaf {

/// What went wrong, without the trace of calls that comes with it.
std::string torch_messages(const std::exception& error);

}  // namespace sheaf

// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string_view>

namespace sheaf {

/// Takes the next bytes of a file. The view is valid during the call only.
using ByteSink = std::function<void(std::string_view bytes)>;

}  // namespace sheaf

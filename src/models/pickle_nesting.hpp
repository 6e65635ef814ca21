// Measures how deeply the values in a pickle of a TorchScript file are nested. LibTorch frees them by recursion, and
// very deep ones overflow its stack. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string_view>

namespace sheaf {

/// The depth of the values in `pickle`, up to the first instruction that LibTorch does not read; the largest number if
/// a value contains itself.
std::int64_t pickle_nesting(std::string_view pickle);

}  // namespace sheaf

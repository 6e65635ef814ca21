// Measures how deeply TorchScript source code is nested. LibTorch parses it by recursion, and very deep code overflows
// its stack. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string_view>

namespace sheaf {

/// An upper limit of the depth of the syntax tree of `source`: blocks, chains of `elif`, brackets, and chains of
/// operators, calls and attributes.
std::int64_t source_nesting(std::string_view source);

}  // namespace sheaf

// Includes Catch2, version 2 or 3. Include it after LibTorch, which also defines CHECK.
// SPDX-License-Identifier: MIT
#pragma once

#ifdef CHECK
#undef CHECK
#endif

// When an allocation is too large for them, sanitizers end the program instead of throwing bad_alloc.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool large_allocations_throw = false;
#else
constexpr bool large_allocations_throw = true;
#endif

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Approx;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;
#else
#include <catch2/catch.hpp>

// The Catch2 3 names.
inline auto ContainsSubstring(const std::string& text) {
  return Catch::Matchers::Contains(text);
}
inline auto EndsWith(const std::string& text) {
  return Catch::Matchers::EndsWith(text);
}
inline auto StartsWith(const std::string& text) {
  return Catch::Matchers::StartsWith(text);
}
#endif

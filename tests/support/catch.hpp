// The one place that knows Catch2's version. To be included after torch, which defines CHECK, too.
// SPDX-License-Identifier: MIT
#pragma once

#ifdef CHECK
#undef CHECK
#endif

// Sanitizers end the program where more memory is asked for than they can manage, instead of throwing bad_alloc.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool large_allocations_throw = false;
#else
constexpr bool large_allocations_throw = true;
#endif

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Approx;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;
#else
#include <catch2/catch.hpp>

// By their names in Catch2 3.
inline auto ContainsSubstring(const std::string& text) {
  return Catch::Matchers::Contains(text);
}
inline auto StartsWith(const std::string& text) {
  return Catch::Matchers::StartsWith(text);
}
#endif

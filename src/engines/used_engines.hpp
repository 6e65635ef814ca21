// The engines that a job uses: the preparation of the process, and what they report.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engines/engine_table.hpp"

namespace sheaf {

/// Rows of the engine table in its order, without duplicates.
using UsedEngines = std::vector<const EngineEntry*>;

/// The engines of the table for which `is_used` returns true.
template <class Condition>
UsedEngines engines_with(const Condition& is_used) {
  UsedEngines used;
  for (const EngineEntry& engine : engine_table())
    if (is_used(engine)) used.push_back(&engine);
  return used;
}

/// Prepares the process for `threads` threads that use these engines (EngineServices::prepare). Call it before they
/// start. Throws RunError. Local.
void prepare_engines(const UsedEngines& used, std::int64_t threads);

/// "LibTorch", or "the native engine" if it has no library. Pure.
std::string product_name(const EngineEntry& engine);

/// The speed of the matrix products of an engine on one core.
struct ProductSpeed {
  std::string owner;  ///< of the products: "LibTorch's" or "the native engine's"
  double flops = 0;   ///< FLOP/s
  bool has_openblas = false;
};

/// Measures the products of an engine that has some (measure_flops). Throws RunError. Local.
ProductSpeed measure_products(const EngineEntry& engine);

/// A warning if products of this speed make training many times slower than it could be. Pure.
std::optional<std::string> slow_products(const ProductSpeed& speed);

/// slow_products() of the last of these engines that uses BLAS, if any. Throws RunError. Local.
std::optional<std::string> find_slow_products(const UsedEngines& used);

/// Names and texts for results: the version of each library, or "not used"; BLAS; what the other engines compute with.
/// Throws RunError. Local.
std::vector<std::pair<std::string, std::string>> engine_versions(const UsedEngines& used);

/// EngineServices::platform() of these engines and of all that have no library, by platform_key. Throws RunError.
/// Local.
std::map<std::string, std::string> engine_platforms(const UsedEngines& used);

/// The name and version of the BLAS library, which it loads (engines/native/kernels/blas_library.hpp). Local.
std::string blas_version();

}  // namespace sheaf

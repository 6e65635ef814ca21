// SPDX-License-Identifier: MIT
#include "engines/used_engines.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engines/native/kernels/blas_library.hpp"

namespace sheaf {
namespace {

bool contains(const UsedEngines& used, const EngineEntry& engine) {
  return std::find(used.begin(), used.end(), &engine) != used.end();
}

bool uses_blas(const EngineEntry& engine) {
  return engine.services.uses_blas != nullptr && engine.services.uses_blas();
}

}  // namespace

void prepare_engines(const UsedEngines& used, std::int64_t threads) {
  for (const EngineEntry* engine : used)
    if (engine->services.prepare != nullptr) engine->services.prepare(threads);
}

std::string product_name(const EngineEntry& engine) {
  const EngineLibrary* library = engine.services.shared_library;
  return library != nullptr ? std::string(library->name) : fmt::format("the {} engine", engine.name);
}

ProductSpeed measure_products(const EngineEntry& engine) {
  return {product_name(engine) + "'s", engine.services.measure_flops(),
          blas_library().find("OpenBLAS") != std::string::npos};
}

std::optional<std::string> slow_products(const ProductSpeed& speed) {
  // With a reference BLAS, matrix products are 15 times slower. OpenBLAS reaches at least 80 GFLOP/s on any core of the
  // last decade.
  constexpr double slow_flops = 15e9;
  if (speed.flops >= slow_flops) return std::nullopt;
  const std::string problem =
      fmt::format("{} matrix products run at only {:.1f} GFLOP/s", speed.owner, speed.flops / 1e9);
  if (speed.has_openblas) return problem + " (the core is busy). Stop other programs, or expect a slower training.";
  return problem +
         " (the BLAS library is slow, or the core is busy). Install the OpenMP build of OpenBLAS "
         "(libopenblas0-openmp on Debian).";
}

std::optional<std::string> find_slow_products(const UsedEngines& used) {
  const auto last =
      std::find_if(used.rbegin(), used.rend(), [](const EngineEntry* engine) { return uses_blas(*engine); });
  return last != used.rend() ? slow_products(measure_products(**last)) : std::nullopt;
}

std::vector<std::pair<std::string, std::string>> engine_versions(const UsedEngines& used) {
  std::vector<std::pair<std::string, std::string>> versions;
  for (const EngineEntry& engine : engine_table())
    if (const EngineLibrary* library = engine.services.shared_library)
      versions.emplace_back(engine.services.platform_key, contains(used, engine) ? library->version() : "not used");
  const bool any_blas =
      std::any_of(used.begin(), used.end(), [](const EngineEntry* engine) { return uses_blas(*engine); });
  versions.emplace_back("blas", any_blas ? blas_library() : "not used");
  for (const EngineEntry& engine : engine_table())
    if (engine.services.shared_library == nullptr)
      versions.emplace_back(engine.services.platform_key, engine.services.platform());
  return versions;
}

std::map<std::string, std::string> engine_platforms(const UsedEngines& used) {
  std::map<std::string, std::string> platforms;
  for (const EngineEntry& engine : engine_table())
    if (engine.services.shared_library == nullptr || contains(used, engine))
      platforms.emplace(engine.services.platform_key, engine.services.platform());
  return platforms;
}

std::string blas_version() {
  return blas_library();
}

}  // namespace sheaf

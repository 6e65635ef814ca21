// SPDX-License-Identifier: MIT
#include "engines/used_engines.hpp"

#include <fmt/format.h>

#include <set>

#include "engines/usable_gpus.hpp"
#include "support/catch.hpp"

using namespace sheaf;

namespace {

std::vector<std::string> names_of(const std::vector<std::pair<std::string, std::string>>& versions) {
  std::vector<std::string> names;
  for (const auto& [name, version] : versions) names.push_back(name);
  return names;
}

const EngineEntry& without_library() {
  return engine_table().front();
}

}  // namespace

TEST_CASE("each engine describes what its bits depend on, writes its models, and names the GPUs that it can use") {
  std::set<std::string_view> keys;
  for (const EngineEntry& engine : engine_table()) {
    const EngineServices& services = engine.services;
    CHECK(keys.insert(services.platform_key).second);
    CHECK_FALSE(services.platform_name.empty());
    CHECK(services.platform != nullptr);
    CHECK(services.write_model != nullptr);
    CHECK((services.usable_gpus != nullptr) == engine.uses_gpus);
    if (services.uses_blas != nullptr) CHECK(services.measure_flops != nullptr);
    if (services.shared_library == nullptr) continue;
    CHECK_FALSE(services.shared_library->name.empty());
    CHECK(services.shared_library->version != nullptr);
    if (services.shared_library->is_installed != nullptr) CHECK_FALSE(services.shared_library->package.empty());
  }
}

TEST_CASE("libraries of engines that a job does not use are not loaded for its results") {
  const UsedEngines used = engines_with([](const EngineEntry& engine) { return &engine == &without_library(); });
  REQUIRE(used.size() == 1);
  const auto versions = engine_versions(used);
  CHECK(names_of(versions) == std::vector<std::string>{"libtorch", "xgboost", "blas", "native_engine"});
  CHECK(versions[0].second == "not used");
  CHECK(versions[1].second == "not used");
  CHECK(versions[3].second == without_library().services.platform());
  const auto platforms = engine_platforms({});
  REQUIRE(platforms.size() == 1);
  CHECK(platforms.begin()->first == "native_engine");
  CHECK(platforms.begin()->second == without_library().services.platform());
}

TEST_CASE("engines are named by their library, or as a part of the program") {
  CHECK(product_name(without_library()) == "the native engine");
  CHECK(product_name(engine_named(torch_engine_name)) == "LibTorch");
  CHECK(product_name(engine_of_trees()) == "XGBoost");
  CHECK(measure_products(without_library()).owner == "the native engine's");
}

TEST_CASE("only slow products give a warning, which names their owner") {
  CHECK_FALSE(slow_products({"LibTorch's", 15e9}).has_value());
  CHECK(slow_products({"LibTorch's", 14.94e9}) ==
        "LibTorch's matrix products run at only 14.9 GFLOP/s (the BLAS library is slow, or the core is busy). Install "
        "the OpenMP build of OpenBLAS (libopenblas0-openmp on Debian).");
  CHECK(
      slow_products({"LibTorch's", 14.94e9, true}) ==
      "LibTorch's matrix products run at only 14.9 GFLOP/s (the core is busy). Stop other programs, or expect a slower "
      "training.");
  CHECK_FALSE(find_slow_products({}).has_value());
  CHECK_FALSE(find_slow_products({&engine_of_trees()}).has_value());
}

TEST_CASE("an engine that must not be asked has no usable GPUs, for this reason") {
  int asked = 0;
  const VisibleGpus usable = find_usable_gpus_unless([&](const EngineEntry& engine) -> std::optional<std::string> {
    ++asked;
    return fmt::format("{} is not installed", product_name(engine));
  });
  CHECK(asked == 1);
  CHECK(usable.gpus.empty());
  CHECK(usable.none_reason == "LibTorch is not installed");
}

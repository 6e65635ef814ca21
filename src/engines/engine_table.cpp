// SPDX-License-Identifier: MIT
#include "engines/engine_table.hpp"

#include <algorithm>
#include <cassert>

#include "engines/native/native_engine.hpp"
#include "engines/torch_engine.hpp"
#include "engines/xgboost/xgboost_engine.hpp"

namespace sheaf {

const std::vector<EngineEntry>& engine_table() {
  static const std::vector<EngineEntry> engines = {native_engine(), torch_engine(), xgboost_engine()};
  return engines;
}

namespace {

template <class Condition>
const EngineEntry& first_with(const Condition& condition) {
  const auto& engines = engine_table();
  const auto found = std::find_if(engines.begin(), engines.end(), condition);
  assert(found != engines.end());
  return *found;
}

}  // namespace

const EngineEntry& engine_named(std::string_view name) {
  return first_with([&](const EngineEntry& engine) { return engine.name == name; });
}

const EngineEntry& engine_of_trees() {
  return first_with([](const EngineEntry& engine) { return !engine.trains_networks; });
}

int gpu_of(const EngineName& engine, LaneDevice device) {
  return engine != no_engine && engine_named(engine.view()).uses_gpus ? device.gpu : -1;
}

}  // namespace sheaf

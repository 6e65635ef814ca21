// SPDX-License-Identifier: MIT
#include "engines/usable_gpus.hpp"

#include <utility>

namespace sheaf {

VisibleGpus find_usable_gpus() {
  return find_usable_gpus_unless([](const EngineEntry&) { return std::nullopt; });
}

VisibleGpus find_usable_gpus_unless(const std::function<std::optional<std::string>(const EngineEntry&)>& obstacle) {
  VisibleGpus none;
  for (const EngineEntry& engine : engine_table()) {
    if (!engine.uses_gpus) continue;
    const auto reason = obstacle(engine);
    VisibleGpus found = reason ? VisibleGpus{{}, *reason} : engine.services.usable_gpus();
    if (!found.gpus.empty()) return found;
    if (none.none_reason.empty()) none = std::move(found);
  }
  return none;
}

}  // namespace sheaf

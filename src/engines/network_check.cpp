// SPDX-License-Identifier: MIT
#include "engines/network_check.hpp"

#include <algorithm>
#include <iterator>

#include "engines/torch_backend.hpp"

namespace sheaf {

std::vector<std::int64_t> check_networks(const std::vector<Trial>& trials, const DataShape& shape) {
  std::vector<Trial> modules;
  std::copy_if(trials.begin(), trials.end(), std::back_inserter(modules),
               [](const Trial& trial) { return !has_layout(trial.model.kind); });
  std::vector<std::int64_t> of_modules;
  if (!modules.empty()) of_modules = torch_backend().check_modules(modules, shape);
  std::vector<std::int64_t> counts;
  auto next = of_modules.begin();
  for (const auto& [values, model, train] : trials)
    counts.push_back(has_layout(model.kind) ? parameter_count(network_layout(model, shape)) : *next++);
  return counts;
}

}  // namespace sheaf

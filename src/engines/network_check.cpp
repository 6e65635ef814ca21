// SPDX-License-Identifier: MIT
#include "engines/network_check.hpp"

#include <vector>

#include "engines/torch_backend.hpp"

namespace sheaf {

NetworkSizes check_networks(const Plan& plan, const DataShape& shape) {
  std::vector<std::int64_t> numbers;
  std::vector<Trial> modules;
  plan.for_each_network([&](std::int64_t number, const Trial& trial) {
    if (has_layout(trial.model.kind)) {
      parameter_count(network_layout(trial.model, shape));
    } else {
      numbers.push_back(number);
      modules.push_back(trial);
    }
  });
  NetworkSizes sizes{shape, {}};
  if (modules.empty()) return sizes;
  const auto counts = torch_backend().check_modules(modules, shape);
  for (std::size_t module = 0; module < modules.size(); ++module) sizes.of_modules[numbers[module]] = counts[module];
  return sizes;
}

std::int64_t parameters_of(const NetworkSizes& sizes, const Plan& plan, std::int64_t number, const Trial& trial) {
  return has_layout(trial.model.kind) ? parameter_count(network_layout(trial.model, sizes.shape))
                                      : sizes.of_modules.at(plan.first_of_network(number));
}

}  // namespace sheaf

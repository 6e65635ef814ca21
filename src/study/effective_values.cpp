// SPDX-License-Identifier: MIT
#include "study/effective_values.hpp"

#include <cstddef>

namespace sheaf {

std::vector<std::optional<std::string>> effective_values(const Plan& plan, std::int64_t trial) {
  std::vector<std::string> values;
  for (std::size_t key = 0; key < plan.searched_keys().size(); ++key) values.push_back(plan.value(trial, key));
  const std::vector<bool> effects = plan.effects(values);
  std::vector<std::optional<std::string>> effective(values.size());
  for (std::size_t key = 0; key < values.size(); ++key)
    if (effects[key]) effective[key] = values[key];
  return effective;
}

}  // namespace sheaf

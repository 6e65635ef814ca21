// SPDX-License-Identifier: MIT
#include "study/optimizers.hpp"

#include <algorithm>
#include <string>

#include "study/settings_table.hpp"
#include "support/catch.hpp"

using namespace sheaf;

TEST_CASE("the keys of an optimizer are keys of [train] that have an effect with it") {
  for (const Optimizer& optimizer : optimizer_table)
    for (const auto key : optimizer.keys) {
      if (key.empty()) continue;
      INFO(std::string(optimizer.name) << ": " << std::string(key));
      const Setting* const setting = find_setting("train." + std::string(key));
      REQUIRE(setting != nullptr);
      REQUIRE(setting->conditions.size() == 2);  // the other one: networks
      const Condition& condition = setting->conditions.front();
      CHECK(condition.keys == std::vector<std::string>{"train.optimizer"});
      const auto& values = condition.values;
      CHECK(std::find(values.begin(), values.end(), std::string(optimizer.name)) != values.end());
      CHECK(setting->info.help.find(optimizer.name) != std::string::npos);
    }
}

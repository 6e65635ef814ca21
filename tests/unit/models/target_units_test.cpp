// SPDX-License-Identifier: MIT
#include "models/target_units.hpp"

#include "models/network_layout.hpp"
#include "support/catch.hpp"
#include "support/plain_study.hpp"

using namespace sheaf;

TEST_CASE("only the last layer is converted to the units of the targets") {
  ModelOptions model = test::plain_model();
  model.kind = ModelKind::mlp;
  model.hidden = {1};
  const auto layers = network_layout(model, {10, 2, 2, {}});
  // One hidden unit: weights 1 2, bias 3. Two outputs: weights 4 5, biases 6 7.
  const NetworkState state{{1, 2, 3, 4, 5, 6, 7}, {8}};
  const NetworkState converted = in_target_units(state, layers, {{100, 1000}, {2, 3}});
  CHECK(converted.parameters == std::vector<float>{1, 2, 3, 8, 15, 112, 1021});
  CHECK(converted.buffers == state.buffers);
  CHECK(in_target_units(state, layers, {}).parameters == state.parameters);
}

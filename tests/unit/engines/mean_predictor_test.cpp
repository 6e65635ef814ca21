// SPDX-License-Identifier: MIT
#include "engines/mean_predictor.hpp"

#include <cmath>
#include <vector>

#include "support/catch.hpp"
#include "support/plain_study.hpp"

using namespace sheaf;

namespace {

// y = sum of the features; with an input for empty cells of the second feature, 10 more in these.
OpenedModel sum_of_two(bool has_input) {
  SavedModel trained;
  ModelDescription& description = trained.description;
  description.model = test::plain_model();
  description.model.kind = ModelKind::linear;
  description.model.bias = false;
  description.task = Task::regression;
  description.loss = {LossKind::mse, 1};
  description.shape = {0, 2, 1, {}, {{}, {0, has_input}}};
  trained.network.parameters = has_input ? std::vector<float>{1, 1, 10} : std::vector<float>{1, 1};
  trained.scaling.fill = {5, 7};
  trained.scaling = scaling_for(network_layout(description.model, description.shape), trained.scaling);
  OpenedModel model;
  model.path = "m.pt";
  model.trained = std::move(trained);
  return model;
}

std::vector<float> predicted(const std::vector<OpenedModel>& models, std::vector<float> rows) {
  RunOptions run;
  run.engine = EngineKind::native;
  MeanPredictor predictor(models, {}, {2}, {Task::regression, {LossKind::mse, 1}, false, 1}, run, core_lane);
  std::vector<float> filled = rows;
  const auto fill = [&](std::size_t model) -> const float* {
    bool any = false;
    for (std::size_t index = 0; index < rows.size(); ++index) {
      const float value = models[model].trained->scaling.fill[index % 2];
      const bool fills = std::isnan(rows[index]) && !std::isnan(value);
      filled[index] = fills ? value : rows[index];
      any = any || fills;
    }
    return any ? filled.data() : nullptr;
  };
  std::vector<float> outputs(rows.size() / 2);
  CHECK(predictor.predict(rows.data(), static_cast<std::int64_t>(outputs.size()), fill, outputs.data()));
  return outputs;
}

}  // namespace

TEST_CASE("each model of a mean fills empty cells or takes them") {
  const std::vector<float> rows = {1, 2, 3, NAN};
  CHECK(predicted({sum_of_two(false)}, rows) == std::vector<float>{3, 10});
  CHECK(predicted({sum_of_two(true)}, rows) == std::vector<float>{3, 20});  // the replacement and the input
  CHECK(predicted({sum_of_two(false), sum_of_two(true)}, rows) == std::vector<float>{3, 15});
  CHECK(predicted({sum_of_two(true), sum_of_two(false)}, rows) == std::vector<float>{3, 15});
  CHECK(predicted({sum_of_two(true)}, {NAN, NAN}) == std::vector<float>{5 + 7 + 10});
}

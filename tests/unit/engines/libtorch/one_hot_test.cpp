// Tests that the native engine, which looks up the weights of one-hot encoded features, trains and predicts as
// LibTorch, which multiplies them by 0 and 1.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/bytes.hpp"
#include "data/synthetic.hpp"
#include "engines/libtorch/torch_trainer.hpp"
#include "engines/native/forward.hpp"
#include "engines/native/native_trainer.hpp"
#include "study/settings.hpp"
#include "support/catch.hpp"
#include "support/epochs.hpp"
#include "support/one_training.hpp"
#include "support/regression_study.hpp"
#include "support/small_studies.hpp"
#include "support/with_categories.hpp"

using namespace sheaf;
using namespace sheaf::test;

namespace {

// A study of a network in float64 for 230 rows, of which 70 are not trained.
Study study_of(std::vector<std::int64_t> hidden, std::int64_t outputs, std::int64_t batch_size = 37) {
  Study study = test::regression_study();
  study.data = drawn_numbers(230, 1, outputs);
  study.data.validation = 0.3;
  study.model.kind = hidden.empty() ? ModelKind::linear : ModelKind::mlp;
  if (!hidden.empty()) study.model.hidden = std::move(hidden);
  study.model.activation = Activation::tanh;
  study.model.categories = CategoryEncoding::one_hot;
  study.train.batch_size = batch_size;
  study.train.optimizer = OptimizerKind::adam;
  study.train.epsilon = 1e-4;
  study.train.learning_rate = 1e-2;
  study.train.precision = Precision::float64;
  return study;
}

double greatest_distance(const std::vector<float>& one, const std::vector<float>& other) {
  REQUIRE(one.size() == other.size());
  double greatest = 0;
  for (std::size_t index = 0; index < one.size(); ++index)
    greatest = std::max(greatest, std::abs(double{one[index]} - double{other[index]}));
  return greatest;
}

// Trains with both engines. Afterwards the native training goes on from a saved state with the same bits, and the
// trained network predicts the same.
void check(Study study, const std::vector<std::int64_t>& categories, double tolerance = 1e-10) {
  study.data.columns = static_cast<std::int64_t>(categories.size());
  INFO(study_file_text(study));
  const OneTraining training(study, with_categories(draw_synthetic(study.data, 1), categories));
  const TrainingTask task = training.task();
  const auto native = make_native_trainer(), torch = make_torch_trainer({-1, 1}, nullptr);
  Epochs ours(*native, task), theirs(*torch, task);
  CHECK(native->network().parameters == task.weights);
  std::string saved;
  for (int epoch = 0; epoch < 3; ++epoch) {
    if (epoch == 2) {
      ByteWriter bytes;
      ours.save(bytes);
      saved = bytes.bytes();
    }
    const double expected = theirs.train_epoch();
    REQUIRE(std::isfinite(expected));
    CHECK(ours.train_epoch() == Approx(expected).epsilon(tolerance));
  }
  const std::vector<std::int64_t> rows = training.validation_rows();
  std::vector<float> outputs, expected_outputs;
  CHECK(ours.evaluate(rows, outputs) == Approx(theirs.evaluate(rows, expected_outputs)).epsilon(tolerance));
  const double rounding = std::max(1e-5, 10 * tolerance);
  CHECK(greatest_distance(outputs, expected_outputs) < rounding);
  const NetworkState state = native->network();
  CHECK(greatest_distance(state.parameters, torch->network().parameters) < rounding);

  const auto other = make_native_trainer();
  Epochs resumed(*other, task);
  ByteReader reader(saved);
  resumed.restore(reader);
  resumed.train_epoch();
  CHECK(other->network().parameters == state.parameters);

  NativeForward forward(task.layers, study.model.activation, state, task.scaling);
  std::vector<float> predictions(expected_outputs.size());
  const auto width = static_cast<std::size_t>(task.data.feature_count);
  std::vector<float> features;
  for (const std::int64_t row : rows) {
    const float* from = task.data.features + static_cast<std::size_t>(row) * width;
    features.insert(features.end(), from, from + width);
  }
  CHECK(forward(features.data(), static_cast<std::int64_t>(rows.size()), predictions.data()));
  CHECK(greatest_distance(predictions, expected_outputs) < std::max(1e-4, rounding));
}

// Numbers between categories, whose levels fill more than one block of 64.
const std::vector<std::int64_t> mixed = {0, 4, 0, 20, 1, 0, 90};

std::vector<std::int64_t> mixed_with_numbers(std::size_t numbers) {
  std::vector<std::int64_t> categories = mixed;
  categories.resize(mixed.size() + numbers);
  categories.push_back(3);
  return categories;
}

}  // namespace

TEST_CASE("linear models look up one-hot encoded features") {
  for (const std::int64_t outputs : {1, 3, 4, 10, 70}) {
    check(study_of({}, outputs), mixed);
    check(study_of({}, outputs), {2, 5});
    check(study_of({}, outputs), mixed_with_numbers(70));
  }
}

TEST_CASE("hidden layers of every width look up one-hot encoded features") {
  for (const std::vector<std::int64_t>& hidden :
       std::vector<std::vector<std::int64_t>>{{1}, {3}, {5}, {16}, {17}, {63}, {64}, {65}, {130, 5}, {200, 70}}) {
    check(study_of(hidden, 2), mixed);
    check(study_of(hidden, 1), {7});
    check(study_of(hidden, 1), {2, 5, 11, 80});
    check(study_of(hidden, 1), mixed_with_numbers(70));
  }
}

TEST_CASE("the gradients of looked up weights are summed over the tiles of a batch") {
  for (const std::int64_t batch : {0, 100})
    for (const std::vector<std::int64_t>& hidden : std::vector<std::vector<std::int64_t>>{{}, {700, 200}, {9, 900}}) {
      check(study_of(hidden, 1, batch), mixed_with_numbers(120));
      check(study_of(hidden, 10, batch), {2, 5, 11, 80});
    }
}

TEST_CASE("one-hot encoded features are looked up beside embeddings, empty cells and norms") {
  for (const std::vector<std::int64_t>& hidden : std::vector<std::vector<std::int64_t>>{{3}, {40}, {100, 20}}) {
    Study study = study_of(hidden, 2);
    study.model.categories = CategoryEncoding::embedding;  // of the features with many categories
    check(study, mixed);
    study.model.embedding = Embedding::piecewise;
    check(study, mixed);
    study.model.norm = Norm::layer;
    check(study, {2, 5, 11, 80}, 1e-9);
    study.model.norm = Norm::batch;
    check(study, {0, 9, 5, 7}, 1e-9);
  }
}

TEST_CASE("gradient terms, averages and dropout apply to looked up weights") {
  for (const std::vector<std::int64_t>& hidden : std::vector<std::vector<std::int64_t>>{{}, {3}, {80}}) {
    for (const std::int64_t batch : {37, 0}) {
      const Study plain = study_of(hidden, 3, batch);
      Study l1 = plain, clip_norm = plain, clip_value = plain, decay = plain, average = plain, dropout = plain;
      l1.train.l1 = 1e-3;
      clip_norm.train.clip_norm = 0.1;
      clip_value.train.clip_value = 0.01;
      decay.train.optimizer = OptimizerKind::adamw;
      decay.train.weight_decay = 0.1;
      average.train.average = Average::ema;
      average.train.average_decay = 0.5;
      if (!hidden.empty()) dropout.model.dropout = 0.25;
      for (const Study& study : {l1, clip_norm, clip_value, decay, average, dropout}) {
        check(study, mixed);
        check(study, {2, 5, 11});
      }
    }
  }
}

TEST_CASE("looked up weights are trained in float32, too") {
  for (const std::vector<std::int64_t>& hidden : std::vector<std::vector<std::int64_t>>{{}, {5}, {64}, {200, 70}}) {
    Study study = study_of(hidden, 2);
    study.train.precision = Precision::float32;
    check(study, mixed, 1e-4);
    check(study, {2, 5, 11, 80}, 1e-4);
  }
}

// Tests that both engines give the same losses in whole trainings of random studies.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "data/synthetic.hpp"
#include "engines/lane_engine.hpp"
#include "engines/libtorch/torch_trainer.hpp"
#include "engines/native/kernels/kernels.hpp"
#include "engines/native/native_trainer.hpp"
#include "study/settings.hpp"
#include "support/epochs.hpp"
#include "support/every_target.hpp"
#include "support/one_training.hpp"
#include "support/plain_study.hpp"
#include "support/random_studies.hpp"
#include "support/regression_study.hpp"
#include "support/small_studies.hpp"

using namespace sheaf;
using namespace sheaf::test;

namespace {

TrainedIteration train_by(EngineKind engine, Study study, const DataSet& data) {
  study.run.engine = engine;
  return train_first(study, &data);
}

void check_agreement(const Study& study, const DataSet& data, double tolerance) {
  const TrainedIteration torch = train_by(EngineKind::torch, study, data);
  const TrainedIteration native = train_by(EngineKind::native, study, data);
  INFO(study_file_text(study));
  REQUIRE(native.result.engine == "native");
  REQUIRE(torch.result.engine == "torch");
  REQUIRE(torch.result.status == IterationStatus::finished);
  CHECK(native.result.status == IterationStatus::finished);
  CHECK(native.result.steps == torch.result.steps);
  CHECK(native.result.epochs == torch.result.epochs);
  INFO("final loss " << native.result.final_loss << " and " << torch.result.final_loss);
  CHECK(distance(native.result.final_loss, torch.result.final_loss) < tolerance);
  INFO("validation loss " << native.result.validation_loss << " and " << torch.result.validation_loss);
  CHECK(distance(native.result.validation_loss, torch.result.validation_loss) < tolerance);
  REQUIRE(native.epochs.size() == torch.epochs.size());
  for (std::size_t epoch = 0; epoch < torch.epochs.size(); ++epoch) {
    CHECK(distance(native.epochs[epoch].training_loss, torch.epochs[epoch].training_loss) < tolerance);
    CHECK(distance(native.epochs[epoch].validation_loss, torch.epochs[epoch].validation_loss) < tolerance);
  }
  REQUIRE(native.predictions.size() == torch.predictions.size());
  for (std::size_t i = 0; i < torch.predictions.size(); ++i)
    CHECK(std::abs(double{native.predictions[i]} - double{torch.predictions[i]}) < 1e-3);
}

void check_random_studies(std::uint64_t seed, int count, Precision precision, double tolerance,
                          Embedding embedding = Embedding::none, bool has_tables = false) {
  Dice dice(seed);
  for (int number = 0; number < count; ++number) {
    const bool table = has_tables && number % 2 == 0;
    Study study = random_study(dice);
    study.train.precision = precision;
    study.model.embedding = embedding;
    if (table && dice.once_in(2)) study.model.categories = CategoryEncoding::one_hot;
    if (number % 4 == 0) study.data.normalize = Normalize::robust;
    const bool counts = study.train.loss == LossKind::poisson;
    if (number % 3 == 0 && study.data.task == Task::regression && study.model.bias && !counts)
      study.data.normalize_targets = NormalizeTargets::standard;
    DataSet data = draw_synthetic(study.data, study.study.seed);
    if (counts) data = with_counts(data);
    const bool may_be_labels = study.data.task == Task::regression && study.train.loss == LossKind::mse &&
                               study.data.normalize_targets != NormalizeTargets::standard && data.output_count > 1;
    if (may_be_labels && number % 2 == 0) {
      data = with_labels(data);
      study.data.task = Task::multilabel;
      study.train.loss = LossKind::bce;
    }
    if (dice.once_in(4)) data = with_weights(data, dice);
    if (table) data = as_table(data, dice);
    check_agreement(study, data, tolerance);
  }
}

}  // namespace

TEST_CASE("engines agree in float64 on random studies") {
  check_random_studies(1, 400, Precision::float64, 1e-10);
}

TEST_CASE("engines agree in float32 on random studies") {
  check_random_studies(8, 300, Precision::float32, 1e-3);
}

TEST_CASE("engines agree on embeddings of numbers, with categories, empty cells and weights") {
  check_random_studies(11, 120, Precision::float64, 1e-10, Embedding::piecewise, true);
  check_random_studies(12, 60, Precision::float32, 1e-3, Embedding::piecewise, true);
}

TEST_CASE("engines agree on tables with categories, one-hot encoded or as embeddings") {
  check_random_studies(14, 160, Precision::float64, 1e-10, Embedding::none, true);
  check_random_studies(15, 80, Precision::float32, 1e-3, Embedding::none, true);
}

TEST_CASE("engines agree on which trainings diverge, and when") {
  Dice dice(6);
  int diverged = 0;
  for (int number = 0; number < 200; ++number) {
    Study study = random_study(dice);
    study.train.epochs = 6;
    study.train.optimizer = OptimizerKind::sgd;  // the steps of other optimizers have bounded length
    if (study.data.task == Task::regression) study.train.loss = LossKind::mse;  // gradients of others are bounded
    study.train.clip_norm = study.train.clip_value = 0;
    study.model.norm = Norm::none;  // PyTorch's layer norm hides a variance that overflows; the native one does not
    study.train.learning_rate = dice.one_of({1.0, 1e5, 1e20, 1e60});
    study.train.precision = Precision::float64;
    const DataSet data = draw_synthetic(study.data, study.study.seed);
    const IterationResult torch = train_by(EngineKind::torch, study, data).result;
    const IterationResult native = train_by(EngineKind::native, study, data).result;
    INFO(study_file_text(study));
    INFO("final loss " << native.final_loss << " and " << torch.final_loss);
    CHECK(native.status == torch.status);
    CHECK(std::abs(native.epochs - torch.epochs) <= 1);  // a different order of summation can overflow one step earlier
    diverged += torch.status == IterationStatus::diverged;
  }
  CHECK((diverged > 20 && diverged < 180));
}

TEST_CASE("engines agree on batches of several tiles") {
  // With wide layers, only a few rows fit into the cache, so gradients are summed over tiles.
  for (const auto& [batch, norm] : {std::pair(std::int64_t{0}, Norm::none),
                                    {std::int64_t{0}, Norm::layer},
                                    {std::int64_t{150}, Norm::none},
                                    {std::int64_t{200}, Norm::layer},
                                    {std::int64_t{200}, Norm::batch}}) {
    Dice dice(3);
    Study study = random_study(dice);
    study.data = drawn_classes(350, 300, 10);
    study.model = test::plain_model();
    study.model.kind = ModelKind::mlp;
    study.model.hidden = {700, 200};
    study.model.dropout = 0.25;
    study.model.norm = norm;
    study.train = test::plain_training();
    study.train.loss = LossKind::cross_entropy;
    study.train.epochs = 2;
    study.train.batch_size = batch;
    study.train.optimizer = OptimizerKind::adam;
    study.train.learning_rate = 1e-3;
    study.train.precision = Precision::float64;
    check_agreement(study, draw_synthetic(study.data, 1), 1e-10);
  }
}

TEST_CASE("engines agree on a last batch of one row") {
  // Batch norm divides by its variance of zero. Only the row itself may count, not the rest of its vector.
  for (const LossKind loss : {LossKind::poisson, LossKind::mse}) {
    Study study = test::regression_study();
    study.data.source = DataSource::synthetic;
    study.data.draw = Draw::study;
    study.data.rows = 133;
    study.data.columns = 8;
    study.model = test::plain_model();
    study.model.kind = ModelKind::mlp;
    study.model.hidden = {63, 16};
    study.model.norm = Norm::batch;
    study.model.dropout = 0.5;
    study.train = test::plain_training();
    study.train.epochs = 4;
    study.train.batch_size = 132;
    study.train.loss = loss;
    study.train.learning_rate = 1e-2;
    study.train.clip_value = 0.01;
    study.train.precision = Precision::float64;
    // With a variance of 0, rounding errors are multiplied by 316. On some processors, LibTorch's differ by more.
    check_agreement(study, with_counts(draw_synthetic(study.data, 1)), 1e-5);
  }
}

TEST_CASE("all instruction sets give the same training") {
  std::set<std::string> names;
  on_every_target([&] {
    names.insert(instruction_set());
    check_random_studies(4, 40, Precision::float64, 1e-10);
    check_random_studies(5, 20, Precision::float32, 1e-3);
    check_random_studies(13, 20, Precision::float64, 1e-10, Embedding::piecewise);
  });
  CHECK(names.size() == hwy::SupportedAndGeneratedTargets().size());
}

TEST_CASE("both engines use a learning rate that changes with every step") {
  for (const auto optimizer :
       {OptimizerKind::sgd, OptimizerKind::adam, OptimizerKind::adamw, OptimizerKind::rmsprop, OptimizerKind::nadam}) {
    Study study = test::regression_study();
    study.data = drawn_classes(90, 12, 3);
    study.model.kind = ModelKind::mlp;
    study.model.hidden = {9};
    study.train.loss = LossKind::cross_entropy;
    study.train.optimizer = optimizer;
    study.train.momentum = optimizer == OptimizerKind::sgd || optimizer == OptimizerKind::rmsprop ? 0.5 : 0;
    study.train.weight_decay = 0.1;
    study.train.epsilon = 1e-4;
    study.train.batch_size = 16;
    study.train.precision = Precision::float64;
    const OneTraining training(study, draw_synthetic(study.data, 1));
    TrainOptions changing = study.train;
    changing.epochs = 3;
    changing.schedule = Schedule::cosine;
    changing.warmup_epochs = 0.5;
    const LearningRate rate(changing, epoch_steps(changing, training.task().rows.count()));
    const auto native = make_native_trainer(), torch = make_torch_trainer({-1, 1}, nullptr);
    Epochs ours(*native, training.task(), rate), theirs(*torch, training.task(), rate);
    for (int epoch = 0; epoch < 3; ++epoch) CHECK(ours.train_epoch() == Approx(theirs.train_epoch()).epsilon(1e-10));
    const auto plain = make_native_trainer();
    Epochs constant(*plain, training.task());
    for (int epoch = 0; epoch < 2; ++epoch) constant.train_epoch();
    CHECK(constant.train_epoch() != Approx(ours.train_epoch()).epsilon(1e-4));
  }
}

#include "engines/stack_refusal.hpp"

#include "models/network_layout.hpp"
#include "support/catch.hpp"
#include "support/plain_study.hpp"

using namespace sheaf;

namespace {

Trial trial_of(ModelKind kind) {
  Trial trial{{}, test::plain_model(), test::plain_training()};
  trial.model.kind = kind;
  trial.model.hidden = {8, 8};
  trial.model.channels = {4};
  return trial;
}

std::optional<std::string> refusal_of(const Trial& trial) {
  const DataShape images{100, 64, 3, {1, 8, 8}};
  return stack_refusal(trial, network_layout(trial.model, images));
}

}  // namespace

TEST_CASE("networks of dense layers, norms and encodings are trained in stacks") {
  CHECK(refusal_of(trial_of(ModelKind::linear)) == std::nullopt);
  Trial trial = trial_of(ModelKind::mlp);
  for (const Norm norm : {Norm::none, Norm::layer, Norm::batch}) {
    trial.model.norm = norm;
    CHECK(refusal_of(trial) == std::nullopt);
  }
  trial.model.embedding = Embedding::piecewise;
  trial.train.precision = Precision::float64;
  CHECK(refusal_of(trial) == std::nullopt);
}

TEST_CASE("other models are not trained in stacks") {
  CHECK(refusal_of(trial_of(ModelKind::boosted_trees)) == "trees are not trained in stacks");
  CHECK(refusal_of(trial_of(ModelKind::torchscript)) == "a TorchScript module is trained alone");
  CHECK(refusal_of(trial_of(ModelKind::plugin)) == "a plugin is trained alone");
  CHECK(refusal_of(trial_of(ModelKind::resnet18)) == "the network is residual");
  CHECK(refusal_of(trial_of(ModelKind::cnn)) == "the network has convolutions");
}

TEST_CASE("precisions that round products are not trained in stacks") {
  Trial trial = trial_of(ModelKind::mlp);
  trial.train.precision = Precision::bfloat16;
  CHECK(refusal_of(trial) == "train.precision = bfloat16");
  trial.train.precision = Precision::tf32;
  CHECK(refusal_of(trial) == "train.precision = tf32");
}

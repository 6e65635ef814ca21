// tests/oracle/compare_model_files.py compares such files with PyTorch.
// SPDX-License-Identifier: MIT
#include "models/torchscript_ensemble.hpp"

#include <algorithm>
#include <cstddef>
#include <string>

#include "files/zip.hpp"
#include "models/initial_weights.hpp"
#include "models/model_archive.hpp"
#include "support/catch.hpp"

using namespace sheaf;

namespace {

WeightedModel model(std::int64_t width, LossKind loss, double weight) {
  SavedModel trained;
  trained.description.task = Task::classification;
  trained.description.loss = loss;
  trained.description.model.kind = ModelKind::mlp;
  trained.description.model.hidden = {width};
  trained.description.shape = {0, 3, 2, {}};
  trained.network.parameters =
      initial_weights(network_layout(trained.description.model, trained.description.shape), Initialization::he, 3);
  return {trained, weight};
}

std::string source_of(const std::vector<WeightedModel>& models) {
  std::string archive;
  write_torchscript_ensemble(models, [&](std::string_view part) { archive += part; });
  verify_model_archive(archive, "e.pt");
  for (const ZipMember& member : zip_directory(archive, "e.pt"))
    if (member.name == "archive/code/__torch__.py") return read_all(*open_member(archive, "e.pt", member));
  return "";
}

std::ptrdiff_t times(const std::string& text, const std::string& part) {
  std::ptrdiff_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

}  // namespace

TEST_CASE("models with the same code share a class, and all have their weights") {
  const std::string source = source_of(
      {model(4, LossKind::cross_entropy, 0.5), model(5, LossKind::cross_entropy, 0.25), model(4, LossKind::bce, 0.25)});
  CHECK(times(source, "class SheafModel") == 1);  // widths are in the tensors, not in the code
  CHECK(source.find("  model2 : __torch__.SheafModel0\n") != std::string::npos);
  CHECK(times(source, "torch.log_softmax(values, 1)") == 2);
  CHECK(times(source, "torch.log_sigmoid(values)") == 1);
  CHECK(times(source, "torch.select(self.weight, 0, 2)") == 1);
  CHECK(times(source, "other") == 0);
}

TEST_CASE("an ensemble whose models have a probability for each output returns logits") {
  const std::string source = source_of({model(4, LossKind::bce, 0.5), model(4, LossKind::bce, 0.5)});
  CHECK(times(source, "torch.log_sigmoid(-values)") == 2);
  CHECK(source.find("  mean = mean - other\n") != std::string::npos);
}

TEST_CASE("a large ensemble is not nested more deeply than LibTorch reads") {
  const std::vector<WeightedModel> models(1500, model(1, LossKind::cross_entropy, 1 / 1500.0));
  CHECK(times(source_of(models), "logaddexp") == 1499);
}

// SPDX-License-Identifier: MIT
#include "models/torchscript_ensemble.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <memory>
#include <string>

#include "models/module_archive.hpp"
#include "models/torchscript_module.hpp"

namespace sheaf {
namespace {

Link link_of(const WeightedModel& model) {
  return loss_of(model.model.description.loss.kind).link;
}

std::string submodule_name(std::size_t number) {
  return fmt::format("model{}", number);
}

// Adds up terms of all models: the first one is assigned, the others are added by `add`, with {0} for the sum so far.
std::string sum_line(std::size_t number, const char* variable, const std::string& term, const char* add) {
  return fmt::format("  {} = {}\n", variable,
                     number == 0 ? term : fmt::format("torch.{}({}, {})", add, variable, term));
}

// The function of the ensemble. Sums are in double; probabilities are added as logarithms, which do not underflow.
std::string forward_source(const std::vector<WeightedModel>& models) {
  const bool is_regression = models.front().model.description.task == Task::regression;
  const bool are_logits = std::all_of(models.begin(), models.end(),
                                      [](const WeightedModel& model) { return link_of(model) == Link::sigmoid; });
  std::string source = "def forward(self, features: Tensor) -> Tensor:\n";
  for (std::size_t number = 0; number < models.size(); ++number) {
    source += fmt::format("  outputs = self.{}.forward(features)\n  values = outputs.to(self.weight)\n",
                          submodule_name(number));
    const std::string weight = fmt::format("torch.select(self.weight, 0, {})", number);
    if (is_regression) {
      source += sum_line(number, "mean", fmt::format("values * {}", weight), "add");
      continue;
    }
    const char* const log =
        link_of(models[number]) == Link::softmax ? "torch.log_softmax(values, 1)" : "torch.log_sigmoid(values)";
    source += sum_line(number, "mean", fmt::format("{} + torch.log({})", log, weight), "logaddexp");
    if (are_logits)
      source +=
          sum_line(number, "other", fmt::format("torch.log_sigmoid(-values) + torch.log({})", weight), "logaddexp");
  }
  if (are_logits) source += "  mean = mean - other\n";
  return source + "  return mean.to(outputs)\n";
}

// [models]
ModuleTensor weight_tensor(const std::vector<WeightedModel>& models) {
  const auto owner = std::make_shared<std::vector<double>>();
  for (const WeightedModel& model : models) owner->push_back(model.weight);
  return {"weight",
          ModuleTensor::Role::buffer,
          ModuleTensor::Type::float64,
          {static_cast<std::int64_t>(owner->size())},
          {reinterpret_cast<const char*>(owner->data()), owner->size() * sizeof(double)},
          owner};
}

// The classes of the models. Models with the same code share one.
class Classes {
 public:
  // The name of the class of a module.
  std::string add(const TorchscriptModule& module) {
    std::string source = class_source("", module);
    const auto known = std::find(sources_.begin(), sources_.end(), source);
    const auto number = static_cast<std::size_t>(known - sources_.begin());
    const std::string name = fmt::format("SheafModel{}", number);
    if (known == sources_.end()) {
      sources_.push_back(std::move(source));
      text_ += class_source(name, module);
    }
    return name;
  }
  const std::string& text() const { return text_; }

 private:
  std::vector<std::string> sources_;  // without their names
  std::string text_;
};

}  // namespace

void write_torchscript_ensemble(const std::vector<WeightedModel>& models, const ByteSink& sink) {
  assert(!models.empty());
  constexpr const char* class_name = "SheafEnsemble";
  TorchscriptModule ensemble{{weight_tensor(models)}, {forward_source(models)}};
  std::vector<ModuleTensor> tensors = ensemble.tensors;
  std::vector<Submodule> submodules;
  Classes classes;
  for (std::size_t number = 0; number < models.size(); ++number) {
    const TorchscriptModule module = torchscript_module(models[number].model);
    const std::string type = classes.add(module);
    submodules.push_back({submodule_name(number), type, pickled_module(type, module, tensors.size())});
    tensors.insert(tensors.end(), module.tensors.begin(), module.tensors.end());
  }
  const ArchiveTexts texts{pickle_of(pickled_module(class_name, ensemble, 0, submodules)),
                           classes.text() + class_source(class_name, ensemble, submodules)};
  write_zip_archive(archive_members(texts, tensors), sink);
}

}  // namespace sheaf

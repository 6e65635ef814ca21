// SPDX-License-Identifier: MIT
#include "engines/network_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "engines/torch_backend.hpp"
#include "engines/xgboost/xgboost_library.hpp"
#include "files/regular_file.hpp"
#include "models/model_archive.hpp"

namespace sheaf {
namespace {

void verify_module_files(const std::vector<Trial>& modules) {
  std::set<std::string> files;
  for (const Trial& trial : modules)
    if (trial.model.kind == ModelKind::torchscript) files.insert(trial.model.file);
  for (const auto& file : files) verify_model_archive(first_content(file), file);
}

}  // namespace

NetworkSizes check_networks(const Plan& plan, const DataShape& shape) {
  std::vector<Trial> modules;
  plan.for_each_network([&](const Trial& trial) {
    if (is_user_module(trial.model.kind))
      modules.push_back(trial);
    else if (has_layout(trial.model.kind))
      parameter_count(network_layout(trial.model, shape));
    else
      xgboost_version();  // the library is there
  });
  NetworkSizes sizes{shape, {}};
  if (modules.empty()) return sizes;
  verify_module_files(modules);
  const auto facts = torch_backend().check_modules(modules, shape);
  for (std::size_t module = 0; module < modules.size(); ++module)
    sizes.of_modules.emplace(modules[module].model.file, facts[module]);
  return sizes;
}

std::vector<std::string> probability_warnings(const NetworkSizes& sizes, const Plan& plan) {
  std::vector<std::string> warnings;
  const auto selects = [](const std::string& key) { return decides_network(key) || key == "train.loss"; };
  plan.for_each_distinct(selects, [&](const Trial& trial, double) {
    if (!is_user_module(trial.model.kind) || trial.train.loss != LossKind::cross_entropy) return;
    if (!sizes.of_modules.at(trial.model.file).gives_probabilities) return;
    const std::string warning = fmt::format(
        "the outputs of '{}' are probabilities, but train.loss = cross_entropy applies softmax to outputs "
        "(the model would train poorly). Leave out the softmax at the end of the model.",
        trial.model.file);
    if (std::find(warnings.begin(), warnings.end(), warning) == warnings.end()) warnings.push_back(warning);
  });
  return warnings;
}

std::int64_t parameters_of(const NetworkSizes& sizes, const Trial& trial) {
  return is_user_module(trial.model.kind) ? sizes.of_modules.at(trial.model.file).parameters
                                          : parameter_count(network_layout(trial.model, sizes.shape));
}

}  // namespace sheaf

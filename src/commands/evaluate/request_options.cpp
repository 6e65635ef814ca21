// SPDX-License-Identifier: MIT
#include "commands/evaluate/request_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "commands/line/csv_arguments.hpp"
#include "core/error.hpp"
#include "study/losses.hpp"
#include "study/settings.hpp"
#include "study/study.hpp"
#include "study/training_value_types.hpp"
#include "study/value_types.hpp"

namespace sheaf {
namespace {

bool contains(const std::vector<std::string>& list, const std::string& name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

void apply_option(EvaluationRequest& request, Study& study, const std::string& key, const std::string& text) {
  if (contains(csv_reading_options(), key) || key == "weights") {
    apply_csv_option(request.csv, key, text);
  } else if (key == "id") {
    request.csv.id = option_value(non_empty_text(), key, text);
  } else if (key == "loss") {
    apply_setting(study, "train.loss", text);
    if (study.train.loss != automatic) request.loss = study.train.loss;
  } else if (key == "iteration") {
    request.iteration = option_value(integer(0, max_iterations - 1), key, text);
  } else if (key == "model") {
    std::vector<std::pair<std::string, ModelsKind>> kinds;
    for (const ModelsKindRow& row : models_kinds) kinds.emplace_back(row.name, row.kind);
    request.kind = option_value(choice<ModelsKind>(kinds), key, text);
  } else if (key == "outputs") {
    request.outputs = option_value(
        choice_or_auto<OutputKind>({{"logits", OutputKind::logits}, {"probabilities", OutputKind::probabilities}}), key,
        text);
  } else if (key == "threshold") {
    request.threshold =
        option_value(number("number from 0 to 1", [](double value) { return value >= 0 && value <= 1; }), key, text);
  } else if (key == "positive") {
    request.positive = option_value(non_empty_text(), key, text);
  } else if (key == "metrics") {
    request.metrics = option_value(metric_list(), key, text);
  } else if (key == "predictions") {
    request.predictions = read_path("--" + key, option_value(non_empty_text(), key, text), PathOrigin{});
  } else if (key == "overwrite") {
    request.overwrite = option_value(flag(), key, text);
  } else {
    throw std::logic_error("unknown option --" + key);
  }
}

void apply_key(EvaluationRequest& request, Study& study, const std::string& key, const std::string& text) {
  if (key == "data.targets") request.targets = text.empty() ? TargetsMode::no : TargetsMode::yes;
  if (key == "data.targets" && text.empty()) return;
  apply_setting(study, key, with_read_path(key, text, PathOrigin{}));
  if (key == "data.task" && study.data.task != automatic) request.task = study.data.task;
}

}  // namespace

const std::vector<std::string>& data_keys() {
  static const std::vector<std::string> keys = {"data.features", "data.task", "data.classes", "data.image",
                                                "data.channels"};
  return keys;
}

const std::vector<std::string>& device_keys() {
  static const std::vector<std::string> keys = {"run.device", "run.engine", "run.lanes", "run.threads",
                                                "run.ranks_per_gpu"};
  return keys;
}

std::vector<std::string> joined_lists(std::initializer_list<std::vector<std::string>> lists) {
  std::vector<std::string> all;
  for (const auto& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

EvaluationRequest read_request(const std::vector<std::string>& keys, const std::vector<Assignment>& assignments) {
  EvaluationRequest request;
  Study study;
  for (const auto& [key, text] : assignments) {
    if (contains(keys, key))
      apply_key(request, study, key, text);
    else
      apply_option(request, study, key, text);
  }
  if (study.run.threads > 1 && study.run.lanes != 1)
    throw UsageError(fmt::format("run.threads = {} needs one lane. Set --run.lanes=1, or leave out run.threads.",
                                 study.run.threads));
  request.data = study.data;
  request.run = study.run;
  return request;
}

std::string models_help() {
  return R"(MODEL is one of

  RUN_DIR                the ensemble of trials of a run if it has one (search.ensemble), otherwise its refit, otherwise
                         its best model; the predictions of several models are averaged. The report names the kind
  RUN_DIR --model=ensemble|refit|best
                         the models of one kind
  RUN_DIR --iteration=N  the model of iteration N
)";
}

std::string data_help() {
  return R"(  --data.features=NAME   data set of the features, [rows, ...]; default: /features
  --data.task=classification|multilabel|regression
                         for models that were not saved by sheaf; default: classification if the targets are integers
  --data.classes=N       number of classes that the model must have
  --data.image=CxHxW     image shape of a row for TorchScript models; default: the shape in the file
  --data.channels=auto|first|last
                         image layout in the file, [rows, C, H, W] or [rows, H, W, C]; default: auto, from
                         the attribute `channels` of the features, else from the images that the model
                         expects, else from the dimension of size 1 to 4
  --outputs=auto|logits|probabilities
                         what a classifier from Python returns; default: auto, probabilities if the outputs for the
                         first rows are in 0..1 and add up to 1 (not required for bce); otherwise logits
)";
}

std::string loss_help() {
  std::string names;
  for (const Loss& loss : loss_table) names += (names.empty() ? "" : "|") + std::string(loss.name);
  return fmt::format("  --loss={}\n", names) +
         R"(                         default: the training loss; for other models, cross_entropy for classification, otherwise mse.
                         huber has the delta of the training; for models that were trained otherwise, 1
)";
}

std::string threshold_help() {
  return R"(  --threshold=T          of two classes, predict the positive one where its probability is at least T; default: the
                         class with the larger probability. Of several labels per row, predict those with at least
                         this probability; default: 0.5. All metrics of predicted classes and labels follow it
  --positive=CLASS       name or number of the positive class; default: the second one
)";
}

std::string csv_help() {
  return "CSV files\n" + csv_reading_help() +
         R"(  --drop=NAME|N,...     columns that are not features of the model
  --unknown=ignore|error
                        texts that are not among the categories in the training data; ignore (default): they are
                        counted in a note and read as empty cells, which are a category of their own if the training
                        data had some, and otherwise none of the categories
)";
}

std::string device_help() {
  return R"(run
  --run.device=auto|cpu|cuda, --run.engine=auto|torch|native|by_model|by_device,
  --run.lanes=N, --run.threads=N, --run.ranks_per_gpu=N  as for sheaf run

The model receives features as 32-bit floating point without scaling; models saved by a run do their own scaling.
)";
}

}  // namespace sheaf

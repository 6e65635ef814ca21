// SPDX-License-Identifier: MIT
#include "commands/evaluate/evaluate_arguments.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "commands/line/arguments.hpp"
#include "core/error.hpp"
#include "core/quoted.hpp"
#include "study/settings.hpp"
#include "study/value_types.hpp"

namespace sheaf {
namespace {

constexpr const char* usage =
    "Usage: sheaf evaluate MODEL --data.file=F.h5 [--key=value ...] (see sheaf evaluate --help)";

// Keys of a study that select the data and the devices.
const std::vector<std::string> study_keys = {"data.file",    "data.features", "data.targets",  "data.task",
                                             "data.classes", "data.image",    "data.channels", "run.device",
                                             "run.engine",   "run.lanes",     "run.threads",   "run.ranks_per_gpu"};

void apply_own(EvaluateArguments& parsed, Study& study, const std::string& key, const std::string& text) {
  EvaluationRequest& request = parsed.request;
  if (key == "loss") {
    apply_setting(study, "train.loss", text);
    request.loss = study.train.loss;
  } else if (key == "iteration") {
    request.iteration = option_value(integer(0), key, text);
  } else if (key == "predictions") {
    request.predictions = option_value(non_empty_text(), key, text);
  } else if (key == "overwrite") {
    request.overwrite = option_value(flag(), key, text);
  } else {
    parsed.json = option_value(choice<bool>({{"text", false}, {"json", true}}), key, text);
  }
}

void apply_study_key(EvaluationRequest& request, Study& study, const std::string& key, const std::string& text) {
  if (key == "data.targets") request.targets = text.empty() ? TargetsMode::no : TargetsMode::yes;
  if (key == "data.targets" && text.empty()) return;
  apply_setting(study, key, text);
  if (key == "data.task") request.task = study.data.task;
}

}  // namespace

const LineOptions& evaluate_options() {
  static const LineOptions options{study_keys, {"loss", "iteration", "predictions", "overwrite", "output"}, {}};
  return options;
}

EvaluateArguments parse_evaluate_arguments(const std::vector<std::string>& arguments) {
  const Arguments command_line = parse_arguments("evaluate", evaluate_options(), arguments);
  EvaluateArguments parsed;
  EvaluationRequest& request = parsed.request;
  Study study;
  for (const auto& [key, text] : command_line.assignments) {
    const bool is_study_key = std::find(study_keys.begin(), study_keys.end(), key) != study_keys.end();
    if (is_study_key)
      apply_study_key(request, study, key, text);
    else
      apply_own(parsed, study, key, text);
  }
  const auto& models = command_line.positional;
  if (models.size() > 1)
    throw UsageError(fmt::format("'sheaf evaluate' takes one model (it got {} and {}). {}.", quoted(models[0]),
                                 quoted(models[1]), usage));
  if (!models.empty()) request.model = models[0];
  if (request.model.empty()) throw UsageError(fmt::format("'sheaf evaluate' needs a model. {}.", usage));
  if (study.data.file.empty()) throw UsageError(fmt::format("'sheaf evaluate' needs --data.file. {}.", usage));
  if (study.run.threads > 1 && study.run.lanes != 1)
    throw UsageError(fmt::format("run.threads = {} needs one lane. Set --run.lanes=1, or leave out run.threads.",
                                 study.run.threads));
  if (request.overwrite && request.predictions.empty())
    throw UsageError("--overwrite only works together with --predictions. Leave it out, or add --predictions.");
  request.data = study.data;
  request.run = study.run;
  return parsed;
}

std::string evaluate_help() {
  return R"(Computes loss, score and predictions of a trained model on a file of any size. The rows are divided
among the ranks, which read them in blocks. MODEL is one of

  RUN_DIR                the best model of a run with run.models; the predictions of ensemble members are averaged
  RUN_DIR --iteration=N  the model of iteration N
  FILE.pt                a model file of a run (RUN_DIR/models/iteration-N.pt), or a TorchScript module saved in
                         Python (torch.jit.script(module).save(path)) that returns [rows, outputs]

  sheaf evaluate runs/digits --data.file=test.h5
  mpirun -n 4 sheaf evaluate net.pt --data.file=new.h5 --predictions=out.h5

data
  --data.file=F.h5       HDF5 file
  --data.features=NAME   data set of the features, [rows, ...]; default: /features
  --data.targets=NAME    data set of the targets; default: /targets if it exists; empty: predictions only
  --data.task=classification|regression
                         default: from the model file; for other models, classification if the targets are integers
  --data.classes=N       number of classes that the model must have
  --data.image=CxHxW     image shape of a row for TorchScript models; default: the shape in the file
  --data.channels=first|last
                         image layout in the file, [rows, C, H, W] or [rows, H, W, C]; default: first
  --loss=mse|cross_entropy|bce
                         default: the training loss; for other models, cross_entropy for classification, otherwise mse
output
  --predictions=OUT.h5   write probabilities [rows, classes] and labels [rows], or values [rows, outputs]
  --overwrite=true       replace an existing OUT.h5
  --output=text|json     format of the report on stdout; default: text
run
  --run.device=auto|cpu|cuda, --run.engine=auto|torch|native|by_model, --run.lanes=N,
  --run.threads=N, --run.ranks_per_gpu=N  as for sheaf run

The model receives features as 32-bit floating point without scaling; models saved by a run do their own scaling.
)";
}

}  // namespace sheaf

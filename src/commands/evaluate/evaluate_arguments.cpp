// SPDX-License-Identifier: MIT
#include "commands/evaluate/evaluate_arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "commands/evaluate/prediction_file.hpp"
#include "commands/line/arguments.hpp"
#include "commands/line/csv_arguments.hpp"
#include "core/error.hpp"
#include "core/quoted.hpp"
#include "core/text.hpp"
#include "study/losses.hpp"
#include "study/settings.hpp"
#include "study/training_value_types.hpp"
#include "study/value_types.hpp"

namespace sheaf {
namespace {

constexpr const char* evaluate_usage =
    "Usage: sheaf evaluate MODEL --data.file=FILE [--key=value ...] (see sheaf evaluate --help)";
constexpr const char* predict_usage =
    "Usage: sheaf predict MODEL FILE OUT.csv [--key=value ...] (see sheaf predict --help)";

// Keys of a study that select the data and the devices.
const std::vector<std::string> data_keys = {"data.features", "data.task", "data.classes", "data.image",
                                            "data.channels"};
const std::vector<std::string> run_keys = {"run.device", "run.engine", "run.lanes", "run.threads", "run.ranks_per_gpu"};

std::vector<std::string> joined(std::initializer_list<std::vector<std::string>> lists) {
  std::vector<std::string> all;
  for (const auto& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

bool contains(const std::vector<std::string>& list, const std::string& name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

void apply_own(EvaluateArguments& parsed, Study& study, const std::string& key, const std::string& text) {
  EvaluationRequest& request = parsed.request;
  if (contains(csv_reading_options(), key) || key == "weights") {
    apply_csv_option(request.csv, key, text);
  } else if (key == "id") {
    request.csv.id = option_value(non_empty_text(), key, text);
  } else if (key == "loss") {
    apply_setting(study, "train.loss", text);
    request.loss = study.train.loss;
  } else if (key == "iteration") {
    request.iteration = option_value(integer(0, max_iterations - 1), key, text);
  } else if (key == "model") {
    std::vector<std::pair<std::string, ModelsKind>> kinds;
    for (const ModelsKindRow& row : models_kinds) kinds.emplace_back(row.name, row.kind);
    request.kind = option_value(choice<ModelsKind>(kinds), key, text);
  } else if (key == "outputs") {
    request.outputs = option_value(choice<OutputKind>({{"auto", OutputKind::automatic},
                                                       {"logits", OutputKind::logits},
                                                       {"probabilities", OutputKind::probabilities}}),
                                   key, text);
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
    parsed.json = option_value(choice<bool>({{"text", false}, {"json", true}}), key, text);
  }
}

void apply_study_key(EvaluationRequest& request, Study& study, const std::string& key, const std::string& text) {
  if (key == "data.targets") request.targets = text.empty() ? TargetsMode::no : TargetsMode::yes;
  if (key == "data.targets" && text.empty()) return;
  apply_setting(study, key, with_read_path(key, text, PathOrigin{}));
  if (key == "data.task" && study.data.task != Task::automatic) request.task = study.data.task;
}

std::string loss_names() {
  std::string names;
  for (const Loss& loss : loss_table) names += (names.empty() ? "" : "|") + std::string(loss.name);
  return names;
}

const std::string data_help = R"(  --data.features=NAME   data set of the features, [rows, ...]; default: /features
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

const std::string threshold_help =
    R"(  --threshold=T          of two classes, predict the positive one where its probability is at least T; default: the
                         class with the larger probability. Of several labels per row, predict those with at least
                         this probability; default: 0.5. All metrics of predicted classes and labels follow it
  --positive=CLASS       name or number of the positive class; default: the second one
)";

const std::string csv_help = "CSV files\n" + csv_reading_help() +
                             R"(  --drop=NAME|N,...     columns that are not features of the model
  --unknown=ignore|error
                        texts that are not among the categories in the training data; ignore (default): they are
                        counted in a note, and all features of the column are 0 or, if it had empty cells in the
                        training data, those of an empty cell
)";

const std::string run_help = R"(run
  --run.device=auto|cpu|cuda, --run.engine=auto|torch|native|by_model, --run.lanes=N,
  --run.threads=N, --run.ranks_per_gpu=N  as for sheaf run

The model receives features as 32-bit floating point without scaling; models saved by a run do their own scaling.
)";

// Sets all options; leaves the positional arguments to the caller.
EvaluateArguments parse_options(const LineOptions& options, const Arguments& command_line) {
  EvaluateArguments parsed;
  Study study;
  for (const auto& [key, text] : command_line.assignments) {
    if (contains(options.keys, key))
      apply_study_key(parsed.request, study, key, text);
    else
      apply_own(parsed, study, key, text);
  }
  if (study.run.threads > 1 && study.run.lanes != 1)
    throw UsageError(fmt::format("run.threads = {} needs one lane. Set --run.lanes=1, or leave out run.threads.",
                                 study.run.threads));
  parsed.request.data = study.data;
  parsed.request.run = study.run;
  return parsed;
}

}  // namespace

// Options that are true or false and of which the name alone means true.
const std::vector<std::string> switches = {"overwrite"};

const LineOptions& evaluate_options() {
  static const LineOptions options{
      joined({{"data.file", "data.targets", "data.weights", "data.memory"}, data_keys, run_keys}),
      joined({{"loss", "metrics", "threshold", "positive", "model", "iteration", "outputs", "predictions", "overwrite",
               "output", "id", "weights"},
              csv_reading_options()}),
      {},
      switches};
  return options;
}

EvaluateArguments parse_evaluate_arguments(const std::vector<std::string>& arguments) {
  const Arguments command_line = parse_arguments("evaluate", evaluate_options(), arguments);
  EvaluateArguments parsed = parse_options(evaluate_options(), command_line);
  EvaluationRequest& request = parsed.request;
  const auto& models = command_line.positional;
  if (models.size() > 1)
    throw UsageError(fmt::format("'sheaf evaluate' takes one model (it got {} and {}). {}.", quoted(models[0]),
                                 quoted(models[1]), evaluate_usage));
  if (!models.empty()) request.model = models[0];
  if (request.model.empty()) throw UsageError(fmt::format("'sheaf evaluate' needs a model. {}.", evaluate_usage));
  if (request.data.file.empty())
    throw UsageError(fmt::format("'sheaf evaluate' needs --data.file. {}.", evaluate_usage));
  for (const auto& [is_set, name] : {std::pair(request.overwrite, "overwrite"), {!request.csv.id.empty(), "id"}})
    if (is_set && request.predictions.empty())
      throw UsageError(
          fmt::format("--{} only works together with --predictions. Leave it out, or add --predictions.", name));
  if (!request.predictions.empty()) require_prediction_ending(request.predictions, "--predictions", request.csv.id);
  return parsed;
}

const LineOptions& predict_options() {
  static const LineOptions options{
      joined({data_keys, run_keys}),
      joined({{"threshold", "positive", "model", "iteration", "outputs", "overwrite", "output", "id"},
              csv_reading_options()}),
      {},
      switches};
  return options;
}

EvaluateArguments parse_predict_arguments(const std::vector<std::string>& arguments) {
  const Arguments command_line = parse_arguments("predict", predict_options(), arguments);
  EvaluateArguments parsed = parse_options(predict_options(), command_line);
  const auto& names = command_line.positional;
  if (names.size() != 3)
    throw UsageError(fmt::format("'sheaf predict' takes a model, an input file and an output file (it got {}). {}.",
                                 counted(static_cast<std::int64_t>(names.size()), "argument"), predict_usage));
  EvaluationRequest& request = parsed.request;
  request.model = names[0];
  request.data.file = names[1];
  request.predictions = names[2];
  request.targets = TargetsMode::no;
  require_prediction_ending(request.predictions, "OUT", request.csv.id);
  return parsed;
}

std::string evaluate_help() {
  return R"(Computes loss, score and predictions of a trained model on a file of any size. The rows are divided
among the ranks, which read them in blocks. MODEL is one of

  RUN_DIR                the ensemble of trials of a run if it has one (search.ensemble), otherwise its refit, otherwise
                         its best model; the predictions of several models are averaged. The report names the kind
  RUN_DIR --model=ensemble|refit|best
                         the models of one kind
  RUN_DIR --iteration=N  the model of iteration N
  FILE.pt                a model file of a run (RUN_DIR/models/iteration-N.pt), or a TorchScript module saved in
                         Python (torch.jit.script(module).save(path)) that returns [rows, outputs]

  sheaf evaluate runs/digits --data.file=test.h5
  mpirun -n 4 sheaf evaluate net.pt --data.file=new.h5 --predictions=out.h5

data
  --data.file=FILE       HDF5, CSV or NumPy file (.npz, or .npy, which has features only)
)" + data_help +
         R"(  --data.targets=NAME    data set of the targets; default: /targets if it exists; empty: predictions only
  --data.weights=NAME    data set of the weights of the rows, by which loss and metrics weight them; default: all
                         weights are 1. Weights of classes (train.class_weights) do not count
  --data.memory=MIB|auto
                         memory per node for metrics that need the outputs of all rows (ROC AUC, average precision,
                         median AE); default: auto, half of the memory. If they do not fit, the report leaves these
                         metrics out
)" + fmt::format("  --loss={}\n", loss_names()) +
         R"(                         default: the training loss; for other models, cross_entropy for classification, otherwise mse.
                         huber has the delta of the training; for models that were trained otherwise, 1
  --metrics=NAME,...     metrics with a parameter, in addition to all others: f1:CLASS, precision:CLASS and
                         recall:CLASS (name or number of a class or label), top_k:N, pinball:Q
)" + threshold_help +
         csv_help +
         R"(  --label=NAME|N,...    the target columns; several are found by their names, in any order; default: those used in
                        training; for models that were not saved by sheaf, the last column
  --weights=NAME|N      a column of weights, in place of --data.weights
output
  --predictions=OUT.csv|OUT.h5
                         write predictions: classes or labels and their probabilities, or values
  --id=NAME|N            from CSV to CSV: copy this column to the predictions
  --overwrite            replace an existing file of predictions
  --output=text|json     format of the report on stdout; default: text
)" + run_help;
}

std::string predict_help() {
  return R"(Makes predictions for the rows of a file with a trained model. Columns are found by name, in any order; text
and empty cells are encoded as they were for training. The target column may be missing. MODEL is one of

  RUN_DIR                the ensemble of trials of a run if it has one (search.ensemble), otherwise its refit, otherwise
                         its best model; the predictions of several models are averaged. The report names the kind
  RUN_DIR --model=ensemble|refit|best
                         the models of one kind
  RUN_DIR --iteration=N  the model of iteration N
  FILE.pt                a model file of a run, or a TorchScript module saved in Python

  sheaf predict runs/mine new.csv predictions.csv
  sheaf predict runs/mine new.csv predictions.csv --id=name
  mpirun -n 4 sheaf predict runs/mine/models/iteration-3.pt new.h5 predictions.h5

The input is a CSV, NumPy (.npy, .npz) or HDF5 file. The output is CSV, one line per row with the predicted class
and the probability of each class, or 0 or 1 for each label and its probability, or the predicted values; or HDF5 with
the data sets probabilities [rows, classes] and labels, [rows] or of several labels [rows, labels], or values [rows,
outputs].

data
)" + data_help +
         threshold_help + csv_help +
         R"(  --label=NAME|N,...    the target columns, which are not features; default: those used in training
output
  --id=NAME|N            from CSV to CSV: copy this column to the output
  --overwrite            replace an existing output file
  --output=text|json     format of the report on stdout; default: text
)" + run_help;
}

}  // namespace sheaf

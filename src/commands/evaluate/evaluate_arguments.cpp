// SPDX-License-Identifier: MIT
#include "commands/evaluate/evaluate_arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "commands/evaluate/prediction_file.hpp"
#include "commands/evaluate/request_options.hpp"
#include "commands/line/arguments.hpp"
#include "commands/line/csv_arguments.hpp"
#include "core/error.hpp"
#include "core/quoted.hpp"
#include "core/text.hpp"
#include "study/value_types.hpp"

namespace sheaf {
namespace {

constexpr const char* evaluate_usage =
    "Usage: sheaf evaluate MODEL --data.file=FILE [--key=value ...] (see sheaf evaluate --help)";
constexpr const char* predict_usage =
    "Usage: sheaf predict MODEL FILE OUT.csv [--key=value ...] (see sheaf predict --help)";

EvaluateArguments parse_options(const LineOptions& options, const Arguments& command_line) {
  EvaluateArguments parsed;
  std::vector<Assignment> of_request;
  for (const Assignment& assignment : command_line.assignments) {
    const auto& [name, text] = assignment;
    if (name == "output")
      parsed.json = option_value(choice<bool>({{"text", false}, {"json", true}}), name, text);
    else
      of_request.push_back(assignment);
  }
  parsed.request = read_request(options.keys, of_request);
  return parsed;
}

}  // namespace

// Options that are true or false and of which the name alone means true.
const std::vector<std::string> switches = {"overwrite"};

const LineOptions& evaluate_options() {
  static const LineOptions options{
      joined_lists({{"data.file", "data.targets", "data.weights", "data.memory"}, data_keys(), device_keys()}),
      joined_lists({{"loss", "metrics", "threshold", "positive", "model", "iteration", "outputs", "predictions",
                     "overwrite", "output", "id", "weights"},
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
      joined_lists({data_keys(), device_keys()}),
      joined_lists({{"threshold", "positive", "model", "iteration", "outputs", "overwrite", "output", "id"},
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
among the ranks, which read them in blocks. )" +
         models_help() +
         R"(  FILE.pt                a model file of a run (RUN_DIR/models/iteration-N.pt), or a TorchScript module saved in
                         Python (torch.jit.script(module).save(path)) that returns [rows, outputs]

  sheaf evaluate runs/digits --data.file=test.h5
  mpirun -n 4 sheaf evaluate net.pt --data.file=new.h5 --predictions=out.h5

data
  --data.file=FILE       HDF5, CSV or NumPy file (.npz, or .npy, which has features only)
)" + data_help() +
         R"(  --data.targets=NAME    data set of the targets; default: /targets if it exists; empty: predictions only
  --data.weights=NAME    data set of the weights of the rows, by which loss and metrics weight them; default: all
                         weights are 1. Weights of classes (train.class_weights) do not count
  --data.memory=MIB|auto
                         memory per node for metrics that need the outputs of all rows (ROC AUC, average precision,
                         median AE); default: auto, half of the memory. If they do not fit, the report leaves these
                         metrics out
)" + loss_help() +
         R"(  --metrics=NAME,...     metrics with a parameter, in addition to all others: f1:CLASS, precision:CLASS and
                         recall:CLASS (name or number of a class or label), top_k:N, pinball:Q
)" + threshold_help() +
         csv_help() +
         R"(  --label=NAME|N,...    the target columns; several are found by their names, in any order; default: those used in
                        training; for models that were not saved by sheaf, the last column
  --weights=NAME|N      a column of weights, in place of --data.weights
output
  --predictions=OUT.csv|OUT.h5
                         write predictions: classes or labels and their probabilities, or values
  --id=NAME|N            from CSV to CSV: copy this column to the predictions
  --overwrite            replace an existing file of predictions
  --output=text|json     format of the report on stdout; default: text
)" + device_help();
}

std::string predict_help() {
  return R"(Makes predictions for the rows of a file with a trained model. Columns are found by name, in any order; text
and empty cells are encoded as they were for training. The target column may be missing. )" +
         models_help() + R"(  FILE.pt                a model file of a run, or a TorchScript module saved in Python

  sheaf predict runs/mine new.csv predictions.csv
  sheaf predict runs/mine new.csv predictions.csv --id=name
  mpirun -n 4 sheaf predict runs/mine/models/iteration-3.pt new.h5 predictions.h5

The input is a CSV, NumPy (.npy, .npz) or HDF5 file. The output is CSV, one line per row with the predicted class
and the probability of each class, or 0 or 1 for each label and its probability, or the predicted values; or HDF5 with
the data sets probabilities [rows, classes] and labels, [rows] or of several labels [rows, labels], or values [rows,
outputs].

data
)" + data_help() +
         threshold_help() + csv_help() +
         R"(  --label=NAME|N,...    the target columns, which are not features; default: those used in training
output
  --id=NAME|N            from CSV to CSV: copy this column to the output
  --overwrite            replace an existing output file
  --output=text|json     format of the report on stdout; default: text
)" + device_help();
}

}  // namespace sheaf

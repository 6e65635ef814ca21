// SPDX-License-Identifier: MIT
#include "commands/importance/importance_arguments.hpp"

#include <fmt/format.h>

#include "commands/evaluate/request_options.hpp"
#include "commands/line/csv_arguments.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "study/training_value_types.hpp"
#include "study/value_types.hpp"

namespace sheaf {
namespace {

constexpr const char* usage = "Usage: sheaf importance MODEL FILE [--key=value ...] (see sheaf importance --help)";

constexpr std::int64_t max_repeats = 10000;

// Sets an option of this command; returns false for those of an EvaluationRequest.
bool apply_own(ImportanceArguments& parsed, const std::string& name, const std::string& text) {
  ImportanceRequest& request = parsed.request;
  if (name == "metric")
    request.metric = option_value(metric_or_loss(), name, text);
  else if (name == "repeats")
    request.repeats = option_value(integer(1, max_repeats), name, text);
  else if (name == "seed")
    request.seed = option_value(any_unsigned_integer(), name, text);
  else if (name == "rows")
    request.rows = option_value(integer(2, max_rows), name, text);
  else if (name == "save")
    request.save = option_value(flag(), name, text);
  else if (name == "output")
    parsed.format = option_value(
        choice<ImportanceFormat>(
            {{"text", ImportanceFormat::text}, {"csv", ImportanceFormat::csv}, {"json", ImportanceFormat::json}}),
        name, text);
  else
    return false;
  return true;
}

}  // namespace

const LineOptions& importance_options() {
  static const LineOptions options{
      joined_lists({{"data.targets", "data.weights", "data.memory"}, data_keys(), device_keys()}),
      joined_lists({{"metric", "repeats", "seed", "rows", "loss", "threshold", "positive", "model", "iteration",
                     "outputs", "save", "output", "weights"},
                    csv_reading_options()}),
      {},
      {"save"}};
  return options;
}

ImportanceArguments parse_importance_arguments(const std::vector<std::string>& arguments) {
  const Arguments command_line = parse_arguments("importance", importance_options(), arguments);
  const auto& names = command_line.positional;
  if (names.size() != 2)
    throw UsageError(fmt::format("'sheaf importance' takes a model and a data file (it got {}). {}.",
                                 counted(static_cast<std::int64_t>(names.size()), "argument"), usage));
  ImportanceArguments parsed;
  std::vector<Assignment> others;
  for (const Assignment& assignment : command_line.assignments)
    if (!apply_own(parsed, assignment.key, assignment.text)) others.push_back(assignment);
  EvaluationRequest& evaluation = parsed.request.evaluation;
  evaluation = read_request(importance_options().keys, others);
  evaluation.model = names[0];
  evaluation.data.file = names[1];
  return parsed;
}

std::string importance_help() {
  return R"(Computes how much a model needs each feature: the permutation importance, as scikit-learn's
permutation_importance. The values of one feature are permuted among the rows, which breaks their relation to the
targets. The importance is what the metric loses by it: positive if the model needs the feature, near 0 if it does not.
The models are not trained again. The permutations are divided among ranks and lanes. )" +
         models_help() + R"(  FILE.pt                a model file of a run, or a TorchScript module saved in Python

  sheaf importance runs/mine test.csv
  mpirun -n 4 sheaf importance runs/mine test.h5 --repeats=20 --save

A feature is a column of the table: the features of a one-hot encoded column, with that of its empty cells, are permuted
together. Of images with several channels, each channel is permuted as a whole; images with one channel are refused,
because a single pixel has little information. Correlated features share their importance. Use rows that the model was
not trained on. FILE is an HDF5, CSV or NumPy (.npz) file with targets.

importance
  --metric=NAME|loss     the metric, with the names of search.metric; loss: that of the training, or of --loss; default:
                         the metric of the run's scores or, for a model file, of its task and loss
  --repeats=N            permutations of each feature; default: 5
  --seed=N               of the permutations; default: 0
  --rows=N               use so many rows, drawn at random; default: all. They must fit into memory
  --data.memory=MIB|auto
                         memory per node for the rows and, for each lane, a permutation and the outputs that a
                         metric needs (as ROC AUC); default: auto, half of the memory
data
  --data.targets=NAME    data set of the targets; default: /targets
  --data.weights=NAME    data set of the weights of the rows, by which the metric weights them; default: all weights are 1
)" + data_help() +
         loss_help() + threshold_help() + csv_help() +
         R"(  --label=NAME|N,...    the target columns; several are found by their names, in any order; default: those used in
                        training; for models that were not saved by sheaf, the last column
  --weights=NAME|N      a column of weights, in place of --data.weights
output
  --output=text|csv|json format on stdout; default: text. csv: feature, importance (the mean over the permutations) and std
                         (their standard deviation), the most important first; json: all values
  --save                 store the result in RUN_DIR/importance.json, for sheaf report; an earlier one is replaced. The end
                         of a job that trains more of the run removes it
)" + device_help();
}

}  // namespace sheaf

// SPDX-License-Identifier: MIT
#include "commands/evaluate_words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/error.hpp"
#include "core/text.hpp"
#include "options/quoted.hpp"
#include "options/setting_forms.hpp"
#include "options/settings.hpp"

namespace sheaf {
namespace {

constexpr const char* usage =
    "Write: sheaf evaluate MODEL --data.file=F.h5 [--key=value ...], or see sheaf evaluate --help";

// The keys of a study that say what to read and where to work.
const std::vector<std::string> study_keys = {"data.file",    "data.features", "data.targets",  "data.task",
                                             "data.classes", "data.image",    "data.channels", "run.device",
                                             "run.engine",   "run.lanes",     "run.threads",   "run.ranks_per_gpu"};
const std::vector<std::string> own_keys = {"loss", "iteration", "predictions", "overwrite", "output"};

std::vector<std::string> all_keys() {
  std::vector<std::string> keys = study_keys;
  keys.insert(keys.end(), own_keys.begin(), own_keys.end());
  return keys;
}

bool is_in(const std::vector<std::string>& keys, const std::string& key) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

template <class Value>
Value value_of(const Form<Value>& form, const std::string& key, const std::string& text) {
  const auto value = form.read(text);
  if (!value)
    throw UsageError(
        fmt::format("--{} = {} is not possible (allowed: {}). Correct it.", key, quoted(text), form.allowed));
  return *value;
}

void apply_own(EvaluateWords& parsed, Study& study, const std::string& key, const std::string& text) {
  EvaluationRequest& request = parsed.request;
  if (key == "loss") {
    apply_setting(study, "train.loss", text);
    request.loss = study.train.loss;
  } else if (key == "iteration") {
    request.iteration = value_of(integer(0), key, text);
  } else if (key == "predictions") {
    request.predictions = value_of(non_empty_text(), key, text);
  } else if (key == "overwrite") {
    request.overwrite = value_of(flag(), key, text);
  } else {
    parsed.json = value_of(choice<bool>({{"text", false}, {"json", true}}), key, text);
  }
}

void apply_study_key(EvaluationRequest& request, Study& study, const std::string& key, const std::string& text) {
  if (key == "data.targets") request.targets = text.empty() ? TargetsWanted::no : TargetsWanted::yes;
  if (key == "data.targets" && text.empty()) return;
  apply_setting(study, key, text);
  if (key == "data.task") request.task = study.data.task;
}

void apply_word(EvaluateWords& parsed, Study& study, std::vector<std::string>& given, const std::string& word) {
  const std::size_t equals = word.find('=');
  const std::string key = word.substr(2, equals == std::string::npos ? equals : equals - 2);
  if (!is_in(all_keys(), key))
    throw UsageError(fmt::format("unknown option {} (there are --{}).{} See sheaf evaluate --help.", quoted("--" + key),
                                 fmt::join(all_keys(), ", --"), did_you_mean(key, all_keys())));
  if (equals == std::string::npos)
    throw UsageError(fmt::format("--{} has no value (it is written --{}=VALUE). {}.", key, key, usage));
  if (is_in(given, key)) throw UsageError(fmt::format("--{} is given twice. Leave one out.", key));
  given.push_back(key);
  const std::string text = word.substr(equals + 1);
  if (is_in(study_keys, key))
    apply_study_key(parsed.request, study, key, text);
  else
    apply_own(parsed, study, key, text);
}

}  // namespace

EvaluateWords parse_evaluate_words(const std::vector<std::string>& words) {
  EvaluateWords parsed;
  EvaluationRequest& request = parsed.request;
  Study study;
  std::vector<std::string> given;
  for (const auto& word : words) {
    if (word.compare(0, 2, "--") == 0) {
      apply_word(parsed, study, given, word);
      continue;
    }
    if (!request.model.empty())
      throw UsageError(fmt::format("'sheaf evaluate' got two models, {} and {} (it takes one). {}.",
                                   quoted(request.model), quoted(word), usage));
    request.model = word;
  }
  if (request.model.empty()) throw UsageError(fmt::format("'sheaf evaluate' got no model. {}.", usage));
  if (study.data.file.empty()) throw UsageError(fmt::format("'sheaf evaluate' got no data. {}.", usage));
  if (study.run.threads > 1 && study.run.lanes != 1)
    throw UsageError(fmt::format("run.threads = {} needs one lane. Set --run.lanes=1, or leave out run.threads.",
                                 study.run.threads));
  if (request.overwrite && request.predictions.empty())
    throw UsageError("--overwrite has no effect (--predictions is not given). Leave it out.");
  request.data = study.data;
  request.run = study.run;
  return parsed;
}

std::string evaluate_help() {
  return R"(usage: sheaf evaluate MODEL --data.file=F.h5 [--key=value ...]

Loss and score of a trained model on a file of any size, and its predictions. Ranks share the rows, and
read them block by block. MODEL is

  RUN_DIR                the best model of a run with run.models; of an ensemble all members, averaged
  RUN_DIR --iteration=N  that iteration's model
  FILE.pt                a model file of a run (RUN_DIR/models/iteration-N.pt), or TorchScript from Python
                         (torch.jit.script(module).save(path)) that gives [rows, outputs]

  sheaf evaluate runs/digits --data.file=test.h5
  mpirun -n 4 sheaf evaluate net.pt --data.file=new.h5 --predictions=out.h5

data
  --data.file=F.h5       HDF5 file
  --data.features=NAME   its features, [rows, ...]; default /features
  --data.targets=NAME    its labels or targets; default /targets if it is there; empty: none, predictions only
  --data.task=classification|regression
                         default: as the model file says; for others, classification when targets are integers
  --data.classes=N       refuses a model with another number of outputs
  --data.image=CxHxW     how a TorchScript model takes a row; default: the features' own shape
  --data.channels=first|last
                         how the file's images lie, [rows, C, H, W] or [rows, H, W, C]; default first
  --loss=mse|cross_entropy|bce
                         default: as the model was trained; for others, cross_entropy for classes, else mse
output
  --predictions=OUT.h5   writes probabilities [rows, classes] and labels [rows], or values [rows, outputs]
  --overwrite=true       replace OUT.h5; without it, a file of that name is refused
  --output=text|json     the report on stdout; default text
run
  --run.device=auto|cpu|cuda, --run.engine=auto|torch|resident|by_model, --run.lanes=N,
  --run.threads=N, --run.ranks_per_gpu=N  as for sheaf run

Features reach the model as 32-bit floating point, unscaled: models of a run scale them inside.
)";
}

}  // namespace sheaf

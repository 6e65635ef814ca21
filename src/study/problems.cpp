// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/text.hpp"
#include "study/combinations.hpp"
#include "study/key_defaults.hpp"
#include "study/metrics.hpp"
#include "study/searched_text.hpp"
#include "study/settings.hpp"

namespace sheaf {
namespace {

// Only the first combinations of a larger grid are checked, which takes well under a second. Later candidates of the
// slowest-varying keys may remain unchecked.
constexpr std::int64_t max_combinations_checked = 100000;

using Keys = std::vector<std::string>;

// Problems in the order in which they were found, without duplicates.
class Problems {
 public:
  void add(const Keys& keys, const std::string& sentence) {
    const std::string shown = printable(sentence);  // values may contain any characters
    if (known_.insert(shown).second) list_.push_back({shown, keys});
  }
  const std::vector<StudyProblem>& list() const { return list_; }

 private:
  std::unordered_set<std::string> known_;
  std::vector<StudyProblem> list_;
};

// Whether it is a mistake to set `key` although the value of `cause` makes it ineffective. It is not if only `cause` is
// searched, since `key` is then meant for other candidates. If both are searched, it is in a grid, which would train
// the same model repeatedly.
bool is_mistake(const Study& study, const std::string& key, const std::string& cause) {
  return !is_searched(study, cause) || (is_searched(study, key) && study.search.method != SearchMethod::random);
}

std::string assignment(const Study& study, const std::string& key) {
  return key + " = " + setting_text(study, key);
}

void check_file_data(const Study& study, Problems& problems) {
  if (study.data.file.empty())
    problems.add({"data.source", "data.file"},
                 "data.source = file needs data.file. Set data.file to an HDF5 file, or data.source = synthetic.");
}

void check_synthetic_data(const Study& study, Problems& problems) {
  const DataOptions& data = study.data;
  if (!data.file.empty())
    problems.add(
        {"data.file", "data.source"},
        fmt::format("data.file = {} has no effect (data.source = synthetic). Leave it out, or set data.source = file.",
                    data.file));
  if (!data.weights.empty())
    problems.add(
        {"data.weights", "data.source"},
        fmt::format(
            "data.weights = {} has no effect (data.source = synthetic). Leave it out, or set data.source = file.",
            data.weights));
  if (data.task == Task::classification && data.classes == 0)
    problems.add({"data.task", "data.classes", "data.source"},
                 "synthetic data for classification needs a number of classes, but data.classes = auto. Set "
                 "data.classes.");
  if (data.task == Task::classification && data.outputs != 1)
    problems.add({"data.outputs", "data.task", "data.source"},
                 fmt::format("data.outputs = {} has no effect (data.task = classification). Leave it out, or set "
                             "data.task = regression.",
                             data.outputs));
  const ImageShape& image = data.image;
  if (image.channels != 0 && image.channels * image.height * image.width != data.columns)
    problems.add({"data.image", "data.columns", "data.source"},
                 fmt::format("{} has {} values, but data.columns = {}. Set data.columns = {}.",
                             assignment(study, "data.image"), image.channels * image.height * image.width, data.columns,
                             image.channels * image.height * image.width));
  if (data.draw == Draw::iteration && (study.search.folds > 1 || study.ensemble.members > 1))
    problems.add(
        {"data.draw", "search.folds", "ensemble.members", "data.source"},
        fmt::format(
            "data.draw = iteration cannot be combined with {} (folds and members need the same data in all "
            "iterations). Set data.draw = study.",
            study.search.folds > 1 ? assignment(study, "search.folds") : assignment(study, "ensemble.members")));
  if (data.rows < study.search.folds)
    problems.add({"data.rows", "search.folds", "data.source"},
                 fmt::format("data.rows = {} is less than search.folds = {}. Use more rows or fewer folds.", data.rows,
                             study.search.folds));
}

void check_data(const Study& study, Problems& problems) {
  if (study.data.source == DataSource::file)
    check_file_data(study, problems);
  else
    check_synthetic_data(study, problems);
  if (study.data.task == Task::regression && study.data.classes != 0)
    problems.add({"data.classes", "data.task"}, fmt::format("data.classes = {} has no effect (data.task = regression). "
                                                            "Leave it out, or set data.task = classification.",
                                                            study.data.classes));
  if (study.data.task == Task::classification && study.data.normalize_targets == NormalizeTargets::standard)
    problems.add({"data.normalize_targets", "data.task"},
                 "data.normalize_targets = standard has no effect (data.task = classification). Leave it out, or set "
                 "data.task = regression.");
  if (study.data.validation > 0.0 && study.search.folds > 1)
    problems.add(
        {"data.validation", "search.folds"},
        fmt::format("data.validation = {} cannot be combined with search.folds = {} (the folds select the validation "
                    "rows). Leave out one of them.",
                    *study.data.validation, study.search.folds));
}

// Scaled targets need a last layer whose weights and bias can be converted to the units of the targets.
void check_target_normalization(const Study& study, Problems& problems) {
  if (study.data.normalize_targets != NormalizeTargets::standard) return;
  const bool foreign = is_user_module(study.model.kind);
  if (foreign || !study.model.bias)
    problems.add({"data.normalize_targets", foreign ? "model.kind" : "model.bias"},
                 fmt::format("data.normalize_targets = standard needs one of Sheaf's networks with a bias, but {}. Set "
                             "data.normalize_targets = none.",
                             assignment(study, foreign ? "model.kind" : "model.bias")));
}

bool may_have_hidden(ModelKind kind) {
  return kind == ModelKind::mlp || kind == ModelKind::cnn || kind == ModelKind::automatic;
}

void check_image(const Study& study, Problems& problems) {
  if (study.data.source == DataSource::synthetic && study.data.image.channels == 0)
    problems.add({"model.kind", "data.image", "data.source"},
                 fmt::format("{} needs data.image with synthetic data. Set data.image to CxHxW with "
                             "C * H * W = data.columns = {}.",
                             assignment(study, "model.kind"), study.data.columns));
}

void check_cnn(const Study& study, Problems& problems) {
  const ImageShape& image = study.data.image;
  check_image(study, problems);
  if (!study.model.channels) return;
  const std::size_t poolings = study.model.channels->size();
  if (poolings == 0)
    problems.add({"model.kind", "model.channels"},
                 "model.kind = cnn needs convolutions, but model.channels = none. Set model.channels to the output "
                 "channels of each convolution, e.g. 8 16, or set model.kind = mlp.");
  const std::int64_t side = std::min(image.height, image.width);
  if (image.channels != 0 && (poolings > 62 || (side >> poolings) == 0))
    problems.add({"model.kind", "model.channels", "data.image"},
                 fmt::format("{} is too small for model.channels = {} (each of the {} convolutions halves it). Use "
                             "fewer convolutions or larger images.",
                             assignment(study, "data.image"), setting_text(study, "model.channels"), poolings));
}

void check_model(const Study& study, Problems& problems) {
  const ModelOptions& model = study.model;
  if (model.kind == ModelKind::mlp && model.hidden && model.hidden->empty())
    problems.add(
        {"model.kind", "model.hidden"},
        "model.kind = mlp needs hidden layers, but model.hidden = none. Set model.hidden to their widths, e.g. "
        "64 32, or set model.kind = linear.");
  if (model.kind == ModelKind::cnn) check_cnn(study, problems);
  if (is_residual(model.kind)) check_image(study, problems);
  const bool has_hidden = !hidden_widths(model).empty();
  if (!may_have_hidden(model.kind) && has_hidden && is_mistake(study, "model.hidden", "model.kind"))
    problems.add({"model.kind", "model.hidden"},
                 fmt::format("{} has no effect ({}). Leave it out, or set model.kind = mlp.",
                             assignment(study, "model.hidden"), assignment(study, "model.kind")));
  if (model.kind != ModelKind::torchscript && model.keep_weights &&
      is_mistake(study, "model.keep_weights", "model.kind"))
    problems.add({"model.kind", "model.keep_weights"},
                 fmt::format("model.keep_weights = true has no effect ({}). Leave it out, or set model.kind = "
                             "torchscript:FILE.pt.",
                             assignment(study, "model.kind")));
  const bool own_weights = model.kind == ModelKind::plugin || model.keep_weights;
  if (own_weights && model.initialization != Initialization::pytorch &&
      is_mistake(study, "model.initialization", "model.kind") &&
      is_mistake(study, "model.initialization", "model.keep_weights"))
    problems.add({"model.kind", "model.keep_weights", "model.initialization"},
                 fmt::format("{} has no effect (the model has its own initial weights). Leave it out.",
                             assignment(study, "model.initialization")));
  const bool may_be_cnn = model.kind == ModelKind::cnn || model.kind == ModelKind::automatic;
  if (!may_be_cnn && model.channels && !model.channels->empty() && is_mistake(study, "model.channels", "model.kind"))
    problems.add({"model.kind", "model.channels"},
                 fmt::format("{} has no effect ({}). Leave it out, or set model.kind = cnn.",
                             assignment(study, "model.channels"), assignment(study, "model.kind")));
  if (!is_residual(model.kind) && model.stem != Stem::automatic && is_mistake(study, "model.stem", "model.kind"))
    problems.add({"model.kind", "model.stem"},
                 fmt::format("{} has no effect ({}). Leave it out, or set model.kind = resnet18.",
                             assignment(study, "model.stem"), assignment(study, "model.kind")));
  const bool may_be_mlp = model.kind == ModelKind::mlp || model.kind == ModelKind::automatic;
  if (!may_be_mlp && model.norm != Norm::none && is_mistake(study, "model.norm", "model.kind"))
    problems.add({"model.kind", "model.norm"},
                 fmt::format("{} has no effect ({}). Leave it out, or set model.kind = mlp.",
                             assignment(study, "model.norm"), assignment(study, "model.kind")));
  const bool may_drop_out = model.kind == ModelKind::automatic || (may_have_hidden(model.kind) && has_hidden);
  if (model.dropout > 0 && !may_drop_out && is_mistake(study, "model.dropout", "model.kind") &&
      is_mistake(study, "model.dropout", "model.hidden"))
    problems.add(
        {"model.kind", "model.hidden", "model.dropout"},
        fmt::format("{} has no effect ({}). Leave it out, or set {}.", assignment(study, "model.dropout"),
                    may_have_hidden(model.kind) ? "there is no hidden dense layer" : assignment(study, "model.kind"),
                    may_have_hidden(model.kind) ? "model.hidden" : "model.kind = mlp"));
}

// Keys whose `auto` depends on the data are settled once for all trials.
void check_auto_candidates(const Study& study, Problems& problems) {
  constexpr const char* settled_once[] = {"model.kind", "model.channels", "train.epochs", "train.loss"};
  for (const auto& [key, candidates, sampling] : study.search.keys)
    if (std::find(std::begin(settled_once), std::end(settled_once), key) != std::end(settled_once) &&
        std::find(candidates.begin(), candidates.end(), "auto") != candidates.end())
      problems.add({"search." + key},
                   fmt::format("search.{0} has the candidate auto. List the values of {0} to compare.", key));
}

// Data without validation rows, as far as the study tells.
bool has_no_validation(const Study& study) {
  if (study.search.folds > 1) return false;
  return study.data.validation ? *study.data.validation == 0 : study.data.source == DataSource::synthetic;
}

void check_schedule(const Study& study, Problems& problems) {
  const TrainOptions& train = study.train;
  const TrainOptions defaults;
  const bool is_plateau = train.schedule == Schedule::plateau;
  if (is_plateau && has_no_validation(study))
    problems.add({"train.schedule", "data.validation", "search.folds"},
                 "train.schedule = plateau needs validation rows. Set data.validation, e.g. to 0.1, or search.folds.");
  for (const auto& [key, is_set] : {std::pair("train.plateau_factor", train.plateau_factor != defaults.plateau_factor),
                                    {"train.plateau_patience", train.plateau_patience != defaults.plateau_patience}})
    if (is_set && !is_plateau && is_mistake(study, key, "train.schedule"))
      problems.add({key, "train.schedule"},
                   fmt::format("{} has no effect ({}). Leave it out, or set train.schedule = plateau.",
                               assignment(study, key), assignment(study, "train.schedule")));
  if (train.epochs > 0 && train.warmup_epochs > static_cast<double>(train.epochs))
    problems.add({"train.warmup_epochs", "train.epochs"},
                 fmt::format("{} is more than train.epochs = {}. Use fewer.", assignment(study, "train.warmup_epochs"),
                             train.epochs));
}

void check_train(const Study& study, Problems& problems) {
  const TrainOptions& train = study.train;
  if ((train.loss == LossKind::cross_entropy || train.loss == LossKind::bce) && study.data.task == Task::regression)
    problems.add({"train.loss", "data.task"},
                 fmt::format("{} needs class labels, but data.task = regression. Set data.task = classification, or "
                             "train.loss = mse.",
                             assignment(study, "train.loss")));
  const bool adam = train.optimizer == OptimizerKind::adam || train.optimizer == OptimizerKind::adamw;
  if (adam && train.momentum > 0 && is_mistake(study, "train.momentum", "train.optimizer"))
    problems.add({"train.momentum", "train.optimizer"},
                 fmt::format("train.momentum = {} has no effect ({}). Leave it out, or set train.optimizer = sgd.",
                             train.momentum, assignment(study, "train.optimizer")));
  const auto refuse_unused = [&](const char* key, bool is_set, bool is_used, const char* advice) {
    if (is_set && !is_used && is_mistake(study, key, "train.optimizer"))
      problems.add({key, "train.optimizer"},
                   fmt::format("{} has no effect ({}). Leave it out, or set train.optimizer = {}.",
                               assignment(study, key), assignment(study, "train.optimizer"), advice));
  };
  const TrainOptions defaults;
  refuse_unused("train.beta1", train.beta1 != defaults.beta1, adam, "adam");
  refuse_unused("train.beta2", train.beta2 != defaults.beta2, adam, "adam");
  refuse_unused("train.alpha", train.alpha != defaults.alpha, train.optimizer == OptimizerKind::rmsprop, "rmsprop");
  refuse_unused("train.epsilon", train.epsilon != defaults.epsilon, train.optimizer != OptimizerKind::sgd, "adam");
  if (train.nesterov && train.optimizer != OptimizerKind::sgd && is_mistake(study, "train.nesterov", "train.optimizer"))
    problems.add({"train.nesterov", "train.optimizer"},
                 fmt::format("train.nesterov = true has no effect ({}). Leave it out, or set train.optimizer = sgd.",
                             assignment(study, "train.optimizer")));
  if (train.nesterov && train.optimizer == OptimizerKind::sgd && train.momentum == 0)
    problems.add({"train.nesterov", "train.optimizer", "train.momentum"},
                 "train.nesterov = true needs momentum, but train.momentum = 0. Set train.momentum, e.g. to 0.9.");
}

// LibTorch has one TF32 setting per process.
void check_tf32(const Study& study, Problems& problems) {
  if (study.train.precision != Precision::tf32) return;
  if (study.run.device == DeviceRequest::cpu)
    problems.add({"train.precision", "run.device"},
                 "train.precision = tf32 needs GPUs, but run.device = cpu. Set train.precision = float32, or "
                 "run.device = cuda.");
  if (is_searched(study, "train.precision"))
    problems.add({"train.precision"},
                 "train.precision = tf32 cannot be searched (all models of a rank share this setting). Start a "
                 "separate run with train.precision = tf32.");
}

void check_models(const Study& study, Problems& problems) {
  const bool saves = study.run.models == ModelsSaved::best || study.run.models == ModelsSaved::all;
  if (saves && study.model.kind == ModelKind::plugin)
    problems.add(
        {"run.models", "model.kind"},
        fmt::format("{} cannot save {} (plugin models cannot be saved as TorchScript files). Set run.models = none.",
                    assignment(study, "run.models"), assignment(study, "model.kind")));
}

// Checks the metrics that `key` names.
void check_metrics(const Study& study, const std::string& key, const std::vector<const Metric*>& metrics,
                   Problems& problems) {
  if (metrics.empty()) return;
  for (const Metric* const metric : metrics)
    if (study.data.task != Task::automatic && metric->task != study.data.task)
      problems.add({key, "data.task"}, fmt::format("{} = {} does not apply to {}. Use a different {}, or leave it out.",
                                                   key, metric->name, setting_text(study, "data.task"), key));
  for (const Metric* const metric : metrics)
    if (metric->losses == MetricLosses::probabilities && study.train.loss == LossKind::mse)
      problems.add(
          {key, "train.loss"},
          fmt::format("{} = {} needs probabilities (with train.loss = mse, outputs are not probabilities). Use "
                      "a different {}, or a different train.loss.",
                      key, metric->name, key));
  if (study.search.folds == 1 && study.data.validation == 0.0)
    problems.add({key, "search.folds", "data.validation"},
                 fmt::format("{} has no effect (there are no validation rows). Set search.folds or data.validation.",
                             assignment(study, key)));
}

void check_metrics(const Study& study, Problems& problems) {
  std::vector<const Metric*> metrics;
  if (const Metric* const score = find_metric(study.search.metric)) metrics.push_back(score);
  check_metrics(study, "search.metric", metrics, problems);
  metrics.clear();
  for (const MetricKind metric : study.run.metrics) metrics.push_back(&metric_of(metric));
  check_metrics(study, "run.metrics", metrics, problems);
}

void check_random_search(const Study& study, Problems& problems) {
  const SearchOptions& search = study.search;
  const double combinations = static_cast<double>(Combinations(study).count());
  const bool has_ranges = std::any_of(search.keys.begin(), search.keys.end(),
                                      [](const SearchedKey& key) { return key.sampling != Sampling::list; });
  if (search.trials == 0)
    problems.add({"search.method", "search.trials"},
                 "search.method = random needs a number of trials (search.trials = none). Set search.trials, e.g. to "
                 "100.");
  if (search.keys.empty())
    problems.add({"search.method", "search.trials"},
                 "search.method = random has nothing to search (no searched keys). Add lists or ranges to [search], "
                 "e.g. train.learning_rate = log_uniform(1e-4, 1e-1).");
  else if (!has_ranges && static_cast<double>(search.trials) > combinations)
    problems.add({"search.method", "search.trials"},
                 fmt::format("search.trials = {} is more than the {} of the lists in [search]. Set search.method = "
                             "grid and leave out search.trials, or use ranges such as uniform(0, 0.5).",
                             search.trials, counted(static_cast<std::int64_t>(combinations), "combination")));
}

void check_grid_search(const Study& study, Problems& problems) {
  const SearchOptions& search = study.search;
  if (search.trials > 0)
    problems.add({"search.method", "search.trials"},
                 "search.trials has no effect (search.method = grid trains all combinations). Leave it out, or set "
                 "search.method = random.");
  for (const auto& searched : search.keys)
    if (searched.sampling != Sampling::list)
      problems.add({"search.method", "search.trials", searched.key},
                   fmt::format("search.{} = {} is a range, and a grid needs lists. Set search.trials for a random "
                               "search, or list the values.",
                               searched.key, searched_text(searched)));
  if (search.keys.empty() && search.folds == 1)
    problems.add({"search.method", "search.folds"},
                 "search.method = grid has nothing to search (no searched keys, search.folds = 1). Add candidates to "
                 "[search], e.g. train.learning_rate = 1e-3, 1e-2, or set search.folds.");
}

void check_search(const Study& study, Problems& problems) {
  const SearchOptions& search = study.search;
  check_metrics(study, problems);
  if (search.method == SearchMethod::random) check_random_search(study, problems);
  if (search.method == SearchMethod::grid) check_grid_search(study, problems);
  if (search.method == SearchMethod::none) {
    if (!search.keys.empty())
      problems.add({"search.method"},
                   "searched keys need a search method (search.method = none). Set search.method = grid.");
    if (search.trials > 0)
      problems.add({"search.method", "search.trials"},
                   fmt::format("search.trials = {} has no effect (search.method = none). Set search.method = random.",
                               search.trials));
    for (const auto& [key, count] : {std::pair("search.folds", search.folds), {"search.repeats", search.repeats}})
      if (count > 1)
        problems.add({"search.method", key},
                     fmt::format("{} has no effect (search.method = none). Set search.method = grid, which also "
                                 "cross-validates a study without searched keys.",
                                 assignment(study, key)));
  }
}

void check_iteration_count(const Study& study, Problems& problems) {
  if (planned_iterations(study) <= static_cast<double>(max_iterations)) return;
  Keys keys;
  std::string factors;
  const bool is_random = study.search.method == SearchMethod::random;
  if (is_random) {
    keys.push_back("search.trials");
    factors = fmt::format("search.trials = {} x ", study.search.trials);
  }
  for (const auto& searched : study.search.keys) {
    if (is_random) break;
    keys.push_back(searched.key);
    factors += fmt::format("{} of {} x ", searched.candidates.size(), searched.key);
  }
  for (const auto& [key, factor] : {std::pair("study.iterations", study.study.iterations),
                                    {"search.repeats", study.search.repeats},
                                    {"search.folds", study.search.folds},
                                    {"ensemble.members", study.ensemble.members}}) {
    keys.push_back(key);
    factors += fmt::format("{} = {} x ", key, factor);
  }
  factors.resize(factors.size() - 3);
  problems.add(keys, fmt::format("the study has more than {} iterations ({}). Reduce one of these numbers.",
                                 max_iterations, factors));
}

void check_run(const Study& study, Problems& problems) {
  if (study.run.threads > 1 && study.run.lanes != 1)
    problems.add({"run.threads", "run.lanes"},
                 fmt::format("run.threads = {} needs one lane, but run.lanes = {}. Set run.lanes = 1, or leave out "
                             "run.threads.",
                             study.run.threads, setting_text(study, "run.lanes")));
  if (study.run.threads > 1 && study.run.core_lanes > 0)
    problems.add({"run.threads", "run.core_lanes"},
                 fmt::format("run.threads = {} needs one lane (run.core_lanes = {} adds more). Leave out one of them.",
                             study.run.threads, study.run.core_lanes));
  for (const auto& [key, is_set] :
       {std::pair("run.ranks_per_gpu", study.run.ranks_per_gpu > 1), {"run.core_lanes", study.run.core_lanes > 0}})
    if (is_set && study.run.device == DeviceRequest::cpu)
      problems.add({key, "run.device"}, fmt::format("{} has no effect (run.device = cpu). Leave it out, or set "
                                                    "run.device = auto.",
                                                    assignment(study, key)));
  if (study.run.engine != EngineKind::native) return;
  const auto refuse = [&](const std::string& supported, const std::string& key, const std::string& advice) {
    problems.add({"run.engine", key},
                 fmt::format("run.engine = native supports only {}, but {}. {}, or start a run with run.engine = auto.",
                             supported, assignment(study, key), advice));
  };
  if (study.run.threads > 1) refuse("one thread per lane", "run.threads", "Leave out run.threads");
  if (study.run.device == DeviceRequest::cuda) refuse("CPUs", "run.device", "Set run.device = cpu");
  const Precision precision = study.train.precision;
  if ((precision == Precision::bfloat16 || precision == Precision::tf32) && !is_searched(study, "train.precision"))
    refuse("float32 and float64", "train.precision", "Use a different train.precision");
}

}  // namespace

std::vector<StudyProblem> problems_in(const Study& study) {
  Problems data, model, train, others;
  check_data(study, data);
  const Combinations combinations(study);
  Study trial = study;
  for (std::int64_t number = 0; number < std::min(combinations.count(), max_combinations_checked); ++number) {
    combinations.apply(number, trial);
    check_model(trial, model);
    check_target_normalization(trial, model);
    check_train(trial, train);
    check_schedule(trial, train);
    check_tf32(trial, train);
    check_models(trial, others);
  }
  check_auto_candidates(study, others);
  check_search(study, others);
  check_iteration_count(study, others);
  check_run(study, others);
  std::vector<StudyProblem> problems;
  for (const Problems* section : {&data, &model, &train, &others})
    problems.insert(problems.end(), section->list().begin(), section->list().end());
  return problems;
}

}  // namespace sheaf

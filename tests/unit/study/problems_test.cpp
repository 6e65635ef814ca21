// SPDX-License-Identifier: MIT
#include <algorithm>

#include "study/settings.hpp"
#include "study_builders.hpp"
#include "support/catch.hpp"

using namespace sheaf;

namespace {

using Sentences = std::vector<std::string>;

SearchedKey searched(const std::string& key, const std::vector<std::string>& candidates) {
  return {key, candidates};
}

Sentences sentences_of(const Study& study) {
  Sentences sentences;
  for (const StudyProblem& problem : problems_in(study)) {
    CHECK_FALSE(problem.keys.empty());
    sentences.push_back(problem.sentence);
  }
  return sentences;
}

// Checks that there is exactly one problem, and that its message has this beginning.
void check_one_problem(const Study& study, const std::string& beginning) {
  const Sentences problems = sentences_of(study);
  CAPTURE(problems, beginning);
  CHECK(problems.size() == 1);
  CHECK(std::all_of(problems.begin(), problems.end(),
                    [&](const auto& problem) { return problem.rfind(beginning, 0) == 0 && problem.back() == '.'; }));
}

void check_valid(const Study& study) {
  CHECK(sentences_of(study) == Sentences{});
}

}  // namespace

TEST_CASE("a gradient is clipped by its norm or by its values") {
  check_valid(file_study({{"train.clip_norm", "1"}}));
  check_valid(file_study({{"train.clip_value", "0.5"}}));
  check_one_problem(file_study({{"train.clip_norm", "1"}, {"train.clip_value", "0.5"}}),
                    "train.clip_value = 0.5 has no effect (train.clip_norm = 1). Leave it out, or set train.clip_norm "
                    "= none");
}

TEST_CASE("labels are smoothed for cross entropy only, and compared on validation rows") {
  check_valid(file_study({{"train.label_smoothing", "0.1"}}));
  check_valid(file_study({{"train.label_smoothing", "0.1"}, {"train.loss", "cross_entropy"}}));
  check_one_problem(file_study({{"train.label_smoothing", "0.1"}, {"train.loss", "bce"}}),
                    "train.label_smoothing = 0.1 has no effect (train.loss = bce). Leave it out, or set train.loss = "
                    "cross_entropy");
  const SearchedKey smoothings = searched("train.label_smoothing", {"0", "0.1"});
  check_valid(grid(file_study({{"data.validation", "0.1"}}), {smoothings}));
  check_one_problem(grid(file_study({{"data.validation", "0"}}), {smoothings}),
                    "search.train.label_smoothing needs validation rows");
}

TEST_CASE("poisson needs targets that are not negative, and does not scale them") {
  check_valid(file_study({{"train.loss", "poisson"}}));
  check_valid(file_study({{"train.loss", "poisson"}, {"data.normalize_targets", "none"}}));
  check_one_problem(file_study({{"train.loss", "poisson"}, {"data.normalize_targets", "standard"}}),
                    "data.normalize_targets = standard cannot be combined with train.loss = poisson");
  check_one_problem(file_study({{"train.loss", "poisson"}, {"data.task", "classification"}}),
                    "train.loss = poisson needs numbers as targets");
  check_one_problem(synthetic_study({{"train.loss", "poisson"}, {"data.task", "regression"}}),
                    "train.loss = poisson needs targets >= 0 (those of synthetic data have both signs)");
  check_one_problem(file_study({{"train.loss", "poisson"}, {"run.metrics", "log_loss"}}),
                    "run.metrics = log_loss needs probabilities");
}

TEST_CASE("quantiles are those of one target of a data file, the same in all trials") {
  const Study quantiles = file_study({{"train.loss", "quantile"}, {"train.quantiles", "0.1, 0.9"}});
  check_valid(quantiles);
  check_valid(study_with({{"data.normalize_targets", "standard"}}, quantiles));
  check_one_problem(
      file_study({{"train.quantiles", "0.1"}, {"train.loss", "mae"}}),
      "train.quantiles = 0.1 has no effect (train.loss = mae). Leave it out, or set train.loss = quantile");
  check_one_problem(study_with({{"data.task", "classification"}}, quantiles),
                    "train.loss = quantile needs numbers as targets");
  check_one_problem(synthetic_study({{"train.loss", "quantile"}, {"data.task", "regression"}}),
                    "train.loss = quantile needs a data file");
  check_one_problem(grid(quantiles, {searched("train.quantiles", {"0.1", "0.2"})}),
                    "search.train.quantiles cannot be combined with the loss quantile");
  check_one_problem(grid(file_study(), {searched("train.loss", {"mse", "quantile"})}),
                    "search.train.loss cannot be combined with the loss quantile");
}

TEST_CASE("learning rate schedules are checked") {
  check_one_problem(file_study({{"train.schedule", "plateau"}, {"data.validation", "0"}}),
                    "train.schedule = plateau needs validation rows");
  check_one_problem(synthetic_study({{"train.schedule", "plateau"}}), "train.schedule = plateau needs validation rows");
  check_valid(file_study({{"train.schedule", "plateau"}, {"train.plateau_patience", "0"}}));
  check_one_problem(file_study({{"train.plateau_factor", "0.5"}}),
                    "train.plateau_factor = 0.5 has no effect (train.schedule = constant)");
  check_one_problem(file_study({{"train.schedule", "cosine"}, {"train.plateau_patience", "5"}}),
                    "train.plateau_patience = 5 has no effect (train.schedule = cosine)");
  check_valid(file_study({{"train.schedule", "step"}, {"train.step_factor", "0.5"}, {"train.step_epochs", "2"}}));
  check_one_problem(file_study({{"train.schedule", "exponential"}, {"train.step_factor", "0.5"}}),
                    "train.step_factor = 0.5 has no effect (train.schedule = exponential)");
  check_one_problem(file_study({{"train.schedule", "step"}, {"train.exponential_factor", "0.5"}}),
                    "train.exponential_factor = 0.5 has no effect (train.schedule = step)");
  check_one_problem(file_study({{"train.warmup_epochs", "3"}, {"train.epochs", "2"}}),
                    "train.warmup_epochs = 3 is more than train.epochs = 2");
  check_valid(file_study({{"train.warmup_epochs", "3"}}));
}

TEST_CASE("class weights need classes") {
  check_one_problem(file_study({{"train.class_weights", "balanced"}, {"data.task", "regression"}}),
                    "train.class_weights = balanced has no effect (data.task = regression)");
  check_one_problem(file_study({{"train.class_weights", "balanced"}, {"data.task", "multilabel"}}),
                    "train.class_weights = balanced has no effect (data.task = multilabel). Leave it out, or set "
                    "data.task = classification");
  check_valid(file_study({{"train.class_weights", "balanced"}}));
}

TEST_CASE("mean_pinball needs quantiles") {
  check_one_problem(file_study({{"run.metrics", "mean_pinball"}, {"data.task", "regression"}, {"train.loss", "mae"}}),
                    "run.metrics = mean_pinball needs outputs with quantiles, but train.loss = mae");
  check_valid(file_study({{"run.metrics", "mean_pinball"}, {"data.task", "regression"}, {"train.loss", "quantile"}}));
}

TEST_CASE("weighted validations need weights") {
  check_one_problem(file_study({{"search.weighted", "true"}}), "search.weighted = true has no effect");
  check_valid(file_study({{"search.weighted", "true"}, {"data.weights", "/w"}}));
  check_valid(file_study({{"search.weighted", "true"}, {"train.class_weights", "balanced"}}));
  Study study = file_study({{"search.weighted", "true"}, {"data.weights", "/w"}, {"search.method", "grid"}});
  study.search.keys = {searched("train.class_weights", {"none", "balanced"})};
  check_one_problem(study, "search.weighted = true cannot be combined with search.train.class_weights");
}

TEST_CASE("early stopping is checked") {
  for (const char* key : {"train.patience", "train.best_weights"}) {
    const std::string value = std::string(key) == "train.patience" ? "5" : "true";
    check_one_problem(file_study({{key, value}, {"data.validation", "0"}}),
                      std::string(key) + " = " + value + " needs validation rows");
    check_one_problem(synthetic_study({{key, value}}), std::string(key) + " = " + value + " needs validation rows");
    check_valid(file_study({{key, value}}));
    check_valid(file_study({{key, value}, {"search.folds", "3"}, {"search.method", "grid"}}));
  }
  check_one_problem(
      file_study({{"train.patience", "none"}, {"train.best_weights", "false"}, {"train.min_change", "1"}}),
      "train.min_change = 1 has no effect (the epochs are not compared)");
  check_one_problem(
      file_study({{"train.patience", "none"}, {"train.best_weights", "false"}, {"train.stop_fraction", "0.2"}}),
      "train.stop_fraction = 0.2 has no effect (the epochs are not compared)");
  check_one_problem(file_study({{"data.validation", "0"}, {"train.patience", "none"}, {"train.stop_fraction", "0.2"}}),
                    "train.stop_fraction = 0.2 needs validation rows");
  check_one_problem(file_study({{"train.patience", "5"}, {"train.stop_on", "r2"}, {"data.task", "classification"}}),
                    "train.stop_on = r2 does not apply to classification");
  check_one_problem(file_study({{"train.patience", "5"},
                                {"train.stop_on", "log_loss"},
                                {"data.task", "classification"},
                                {"train.loss", "mse"}}),
                    "train.stop_on = log_loss needs probabilities");
}

TEST_CASE("valid studies have no problems") {
  check_valid(file_study());
  check_valid(synthetic_study());
  check_valid(study_with({{"data.source", "synthetic"}, {"study.iterations", "100"}}));
  check_valid(file_study({{"ensemble.bootstrap", "true"}}));
  check_valid(file_study({{"train.momentum", "0.9"}, {"train.nesterov", "true"}, {"train.optimizer", "sgd"}}));
  check_valid(file_study({{"train.momentum", "0.9"}, {"train.optimizer", "rmsprop"}}));
  check_valid(file_study({{"run.threads", "4"}, {"run.lanes", "1"}}));
}

TEST_CASE("data: data.file is required exactly with data.source = file") {
  check_one_problem({}, "data.source = file needs data.file.");
  check_one_problem(synthetic_study({{"data.file", "d.h5"}}), "data.file = d.h5 has no effect");
}

TEST_CASE("data: weights require a file") {
  check_valid(file_study({{"data.weights", "w"}}));
  check_one_problem(synthetic_study({{"data.weights", "w"}}), "data.weights = w has no effect");
  check_one_problem(synthetic_study({{"data.weights", "w\xff"}}), "data.weights = w? has no effect");
}

TEST_CASE("data: groups, folds, times and tests require a file, and rows are held out in one way") {
  for (const char* key : {"data.groups", "data.folds", "data.time"}) {
    for (const char* value : {"/x", "none", "auto"}) check_valid(file_study({{key, value}}));
    check_one_problem(synthetic_study({{key, "x"}}), std::string(key) + " = x has no effect");
  }
  check_one_problem(synthetic_study({{"data.test", "0.1"}}), "data.test = 0.1 has no effect");
  check_valid(file_study({{"data.groups", "g"}, {"data.folds", "none"}, {"data.time", "none"}}));
  check_one_problem(
      file_study({{"data.groups", "g"}, {"data.time", "file_order"}}),
      "data.groups = g cannot be combined with data.time = file_order (rows are held out by groups, by given "
      "folds or in the order of time). Leave out all but one of them.");
  check_one_problem(file_study({{"data.folds", "f"}, {"data.time", "t"}}),
                    "data.folds = f cannot be combined with data.time = t (");
  check_valid(file_study({{"data.test", "0.2"}, {"run.models", "best"}}));
  check_one_problem(file_study({{"data.test", "0.2"}, {"run.models", "none"}}),
                    "data.test = 0.2 needs the best model, but run.models = none.");
}

TEST_CASE("data: the rows of other files are held out in one way, and in memory") {
  check_valid(file_study({{"data.validation_file", "v.h5"}, {"data.test_file", "t.h5"}}));
  check_valid(file_study({{"data.validation_file", "v.h5"}, {"data.test", "0.1"}, {"data.validation", "0"}}));
  check_valid(file_study({{"data.test_file", "t.h5"}, {"data.validation", "0.1"}, {"data.groups", "g"}}));
  check_valid(grid(file_study({{"data.test_file", "t.h5"}, {"search.folds", "5"}}), {}));
  check_valid(file_study({{"data.validation_file", "v.h5"},
                          {"data.test_file", "t.h5"},
                          {"search.weighted", "true"},
                          {"data.weights", "/w"}}));
  for (const char* key : {"data.validation_file", "data.test_file"}) {
    check_one_problem(synthetic_study({{key, "v.h5"}}), std::string(key) + " = v.h5 has no effect");
    check_one_problem(file_study({{key, "v.h5"}, {"data.mode", "streamed"}}),
                      std::string(key) + " = v.h5 needs rows in memory, but data.mode = streamed.");
  }
  for (const auto& [key, value] :
       Assignments{{"data.validation", "0.1"}, {"data.groups", "g"}, {"data.folds", "f"}, {"data.time", "file_order"}})
    check_one_problem(file_study({{"data.validation_file", "v.h5"}, {key, value}}),
                      "data.validation_file = v.h5 cannot be combined with " + key + " = " + value +
                          " (the validation rows are those of the file). Leave out one of them.");
  check_one_problem(grid(file_study({{"data.validation_file", "v.h5"}, {"search.folds", "5"}}), {}),
                    "data.validation_file = v.h5 cannot be combined with search.folds = 5");
  check_one_problem(file_study({{"data.test_file", "t.h5"}, {"data.test", "0.1"}}),
                    "data.test_file = t.h5 cannot be combined with data.test = 0.1");
  check_one_problem(file_study({{"data.test_file", "t.h5"}, {"run.models", "none"}}),
                    "data.test_file = t.h5 needs the best model, but run.models = none.");
  for (const auto& [key, value] : Assignments{{"train.patience", "5"}, {"run.metrics", "accuracy"}}) {
    const Assignments none = {{"data.validation", "0"}, {key, value}};
    check_one_problem(file_study(none), key + " = " + value);
    check_valid(study_with({{"data.validation_file", "v.h5"}}, file_study(none)));
  }
}

TEST_CASE("search: repeats and a grid are allowed where the file may have folds") {
  check_valid(file_study({{"search.repeats", "2"}}));
  check_valid(grid(file_study({}), {}));
  for (const Assignments& without :
       {Assignments{{"data.folds", "none"}}, {{"data.groups", "g"}}, {{"data.validation_file", "v.h5"}}}) {
    check_one_problem(study_with({{"search.repeats", "2"}}, file_study(without)),
                      "search.repeats = 2 has no effect (search.method = none).");
    check_one_problem(grid(file_study(without), {}), "search.method = grid has nothing to search");
  }
}

TEST_CASE("data: synthetic classification needs data.classes, and regression has none") {
  const Assignments classes = {{"data.task", "classification"}, {"data.classes", "3"}};
  check_valid(synthetic_study(classes));
  check_valid(file_study({{"data.task", "classification"}}));
  check_one_problem(synthetic_study({{"data.task", "classification"}}), "synthetic data for classification needs");
  check_valid(file_study({{"data.classes", "3"}}));
  check_one_problem(file_study({{"data.task", "regression"}, {"data.classes", "3"}}), "data.classes = 3 has no effect");
  check_one_problem(study_with({{"data.outputs", "2"}}, synthetic_study(classes)), "data.outputs = 2 has no effect");
}

TEST_CASE("data: folds and members need common data with enough rows") {
  const Study folds = grid(synthetic_study({{"search.folds", "5"}}), {});
  check_valid(folds);
  check_one_problem(study_with({{"data.draw", "iteration"}}, folds),
                    "data.draw = iteration cannot be combined with search.folds = 5 (");
  check_one_problem(synthetic_study({{"data.draw", "iteration"}, {"ensemble.members", "4"}}),
                    "data.draw = iteration cannot be combined with ensemble.members = 4 (");
  check_valid(study_with({{"data.rows", "5"}}, folds));
  check_one_problem(study_with({{"data.rows", "4"}}, folds), "data.rows = 4 is less than search.folds = 5");
  check_one_problem(study_with({{"data.validation", "0.25"}}, folds),
                    "data.validation = 0.25 cannot be combined with search.folds = 5");
  check_valid(grid(file_study({{"data.draw", "iteration"}, {"search.folds", "5"}}), {}));
}

TEST_CASE("model: each kind requires its own layer settings and refuses others") {
  check_valid(file_study({{"model.kind", "mlp"}, {"model.hidden", "8"}}));
  check_valid(file_study({{"model.kind", "cnn"}, {"model.channels", "8"}}));
  check_valid(file_study({{"model.kind", "cnn"}, {"model.channels", "8"}, {"model.hidden", "8"}}));
  check_valid(file_study({{"model.kind", "mlp"}}));
  check_valid(file_study({{"model.kind", "cnn"}}));
  check_one_problem(file_study({{"model.kind", "mlp"}, {"model.hidden", "none"}}),
                    "model.kind = mlp needs hidden layers, but model.hidden = none.");
  check_one_problem(file_study({{"model.kind", "cnn"}, {"model.channels", "none"}}),
                    "model.kind = cnn needs convolutions, but model.channels = none.");
  check_one_problem(file_study({{"model.kind", "linear"}, {"model.hidden", "16 8"}}),
                    "model.hidden = 16 8 has no effect (model.kind = linear)");
  check_one_problem(file_study({{"model.kind", "mlp"}, {"model.hidden", "8"}, {"model.channels", "8"}}),
                    "model.channels = 8 has no effect (model.kind = mlp)");
  check_one_problem(file_study({{"model.kind", "linear"}, {"model.dropout", "0.5"}}),
                    "model.dropout = 0.5 has no effect (model.kind = linear)");
  check_one_problem(file_study({{"model.kind", "cnn"}, {"model.channels", "8"}, {"model.dropout", "0.5"}}),
                    "model.dropout = 0.5 has no effect (there is no hidden dense layer)");
}

TEST_CASE("model: a kind that follows from the data accepts the layer settings of each kind") {
  check_valid(file_study({{"model.hidden", "16 8"}}));
  check_valid(file_study({{"model.channels", "8"}}));
  check_valid(file_study({{"model.dropout", "0.5"}}));
  check_valid(file_study({{"run.engine", "native"}}));
}

TEST_CASE("data: scaled targets need a regression and a network with a known last layer") {
  const Assignments scaled = {{"data.normalize_targets", "standard"}};
  check_valid(file_study(scaled));
  check_valid(study_with({{"data.task", "regression"}}, file_study(scaled)));
  check_one_problem(study_with({{"data.task", "classification"}}, file_study(scaled)),
                    "data.normalize_targets = standard has no effect (data.task = classification).");
  check_one_problem(study_with({{"model.bias", "no"}}, file_study(scaled)),
                    "data.normalize_targets = standard needs one of Sheaf's networks with a bias, but model.bias = ");
  check_one_problem(study_with({{"model.kind", "plugin:a.so"}}, file_study(scaled)),
                    "data.normalize_targets = standard needs one of Sheaf's networks with a bias, but model.kind = ");
  check_one_problem(grid(file_study(scaled), {searched("model.bias", {"true", "false"})}),
                    "data.normalize_targets = standard needs");
}

TEST_CASE("search: an auto that is settled once for all trials is not a candidate") {
  for (const char* key : {"model.kind", "model.channels", "train.epochs", "train.loss"})
    check_one_problem(grid(file_study({{"model.kind", "cnn"}}), {searched(key, {"auto"})}),
                      std::string("search.") + key + " has the candidate auto.");
  check_valid(grid(file_study(), {searched("train.learning_rate", {"auto", "0.1"})}));
  check_valid(grid(file_study(), {searched("model.hidden", {"auto", "64"})}));
}

TEST_CASE("model: a resnet needs images, and a model from a file has no layer settings") {
  check_valid(file_study({{"model.kind", "resnet18"}}));
  check_valid(synthetic_study({{"model.kind", "resnet50"}, {"data.columns", "64"}, {"data.image", "1x8x8"}}));
  check_one_problem(synthetic_study({{"model.kind", "resnet50"}}),
                    "model.kind = resnet50 needs data.image with synthetic data");
  check_valid(file_study({{"model.kind", "resnet50"}, {"model.stem", "imagenet"}}));
  check_one_problem(file_study({{"model.stem", "small"}}), "model.stem = small has no effect (model.kind = auto)");
  check_one_problem(file_study({{"model.kind", "resnet18"}, {"model.hidden", "8"}}),
                    "model.hidden = 8 has no effect (model.kind = resnet18)");
  check_valid(file_study({{"model.kind", "torchscript:a.pt"}, {"model.keep_weights", "yes"}}));
  check_one_problem(file_study({{"model.kind", "plugin:a.so"}, {"model.keep_weights", "yes"}}),
                    "model.keep_weights = true has no effect (model.kind = plugin:a.so)");
}

TEST_CASE("model: kernels, activations and biases require a network that has them") {
  check_valid(file_study({{"model.kind", "cnn"}, {"model.kernel", "5"}, {"model.activation", "tanh"}}));
  check_valid(file_study({{"model.kernel", "5"}, {"model.activation", "tanh"}, {"model.bias", "no"}}));
  check_valid(file_study({{"model.kind", "linear"}, {"model.bias", "no"}}));
  check_valid(file_study({{"model.kind", "resnet18"}, {"model.activation", "tanh"}, {"model.bias", "no"}}));
  check_one_problem(file_study({{"model.kind", "mlp"}, {"model.kernel", "5"}}),
                    "model.kernel = 5 has no effect (model.kind = mlp). Leave it out, or set model.kind = cnn.");
  check_one_problem(file_study({{"model.kind", "linear"}, {"model.activation", "tanh"}}),
                    "model.activation = tanh has no effect (model.kind = linear)");
  check_one_problem(file_study({{"model.kind", "torchscript:a.pt"}, {"model.bias", "no"}}),
                    "model.bias = false has no effect (model.kind = torchscript:a.pt)");
}

TEST_CASE("model: an embedding requires a network of dense layers") {
  check_valid(file_study({{"model.embedding", "piecewise"}}));
  check_valid(file_study({{"model.embedding", "piecewise"}, {"model.kind", "linear"}}));
  check_valid(file_study({{"model.embedding", "piecewise"}, {"model.kind", "mlp"}, {"data.mode", "streamed"}}));
  for (const char* kind : {"cnn", "resnet18", "torchscript:a.pt", "plugin:a.so"})
    check_one_problem(file_study({{"model.embedding", "piecewise"}, {"model.kind", kind}}),
                      std::string("model.embedding = piecewise has no effect (model.kind = ") + kind +
                          "). Leave it out, or set model.kind = mlp.");
}

TEST_CASE("model: an initialization requires weights that are drawn") {
  check_valid(file_study({{"model.kind", "torchscript:a.pt"}, {"model.initialization", "he"}}));
  check_one_problem(file_study({{"model.kind", "plugin:a.so"}, {"model.initialization", "he"}}),
                    "model.initialization = he has no effect");
  check_one_problem(
      file_study({{"model.kind", "torchscript:a.pt"}, {"model.initialization", "he"}, {"model.keep_weights", "yes"}}),
      "model.initialization = he has no effect");
}

TEST_CASE("model: the image of a cnn must match the columns and be large enough for its poolings") {
  const Study cnn = synthetic_study({{"model.kind", "cnn"}, {"model.channels", "4 8 8"}, {"data.columns", "64"}});
  check_valid(study_with({{"data.image", "1x8x8"}}, cnn));
  check_one_problem(cnn, "model.kind = cnn needs data.image with synthetic data");
  check_one_problem(study_with({{"data.image", "2x8x8"}}, cnn), "data.image = 2x8x8 has 128 values");
  check_one_problem(study_with({{"data.image", "1x16x4"}}, cnn),
                    "data.image = 1x16x4 is too small for model.channels = 4 8 8");
  std::string many;
  for (int layer = 0; layer < 64; ++layer) many += "1 ";
  check_one_problem(study_with({{"data.image", "1x8x8"}, {"model.channels", many}}, cnn),
                    "data.image = 1x8x8 is too small");
}

TEST_CASE("train: the loss must match the task") {
  for (const char* loss : {"cross_entropy", "bce"}) {
    check_valid(file_study({{"train.loss", loss}}));
    check_one_problem(file_study({{"data.task", "regression"}, {"train.loss", loss}}),
                      std::string("train.loss = ") + loss + " needs class labels, but data.task = regression.");
    check_valid(file_study({{"train.loss", loss}, {"data.task", "classification"}}));
  }
  check_valid(file_study({{"train.loss", "mse"}, {"data.task", "classification"}}));
  check_valid(file_study({{"train.loss", "bce"}, {"data.task", "multilabel"}}));
  for (const char* loss : {"cross_entropy", "mse", "poisson"})
    check_one_problem(file_study({{"data.task", "multilabel"}, {"train.loss", loss}}),
                      std::string("train.loss = ") + loss +
                          " does not fit data.task = multilabel (each label needs a probability of its own). Set "
                          "train.loss = bce");
}

TEST_CASE("train: candidates of the loss are named") {
  check_valid(grid(file_study(), {searched("train.loss", {"mse", "cross_entropy"})}));
  check_one_problem(grid(file_study(), {searched("train.loss", {"mse", "auto"})}),
                    "search.train.loss has the candidate");
}

TEST_CASE("train: momentum requires an optimizer that supports it") {
  for (const char* optimizer : {"adam", "adamw"})
    check_one_problem(file_study({{"train.optimizer", optimizer}, {"train.momentum", "0.9"}}),
                      std::string("train.momentum = 0.9 has no effect (train.optimizer = ") + optimizer);
  check_one_problem(file_study({{"train.nesterov", "true"}, {"train.optimizer", "sgd"}}),
                    "train.nesterov = true needs momentum");
  check_one_problem(file_study({{"train.nesterov", "true"}, {"train.optimizer", "rmsprop"}, {"train.momentum", "0.9"}}),
                    "train.nesterov = true has no effect (train.optimizer = rmsprop)");
}

TEST_CASE("train: constants of an optimizer require this optimizer") {
  check_one_problem(file_study({{"train.alpha", "0.5"}}), "train.alpha = 0.5 has no effect (train.optimizer = adam)");
  for (const char* key : {"train.beta1", "train.beta2", "train.epsilon"})
    check_one_problem(file_study({{key, "0.5"}, {"train.optimizer", "sgd"}}),
                      std::string(key) + " = 0.5 has no effect (train.optimizer = sgd)");
  check_valid(file_study({{"train.beta1", "0.5"}, {"train.beta2", "0.5"}, {"train.epsilon", "0.5"}}));
  check_valid(file_study({{"train.alpha", "0.5"}, {"train.epsilon", "0.5"}, {"train.optimizer", "rmsprop"}}));
  check_valid(grid(file_study({{"train.alpha", "0.5"}}), {searched("train.optimizer", {"adam", "rmsprop"})}));
}

TEST_CASE("search: keys, folds and repeats need a grid, and a grid needs one of them") {
  Study study = file_study();
  study.search.keys = {searched("train.epochs", {"1", "2"})};
  check_one_problem(study, "searched keys need a search method (search.method = none). Set search.method = grid.");
  apply_setting(study, "search.trials", "5");
  apply_setting(study, "search.folds", "3");
  check_one_problem(study, "searched keys need a search method (search.method = none). Set search.method = random.");
  check_one_problem(file_study({{"search.folds", "3"}}), "search.folds = 3 has no effect (search.method = none)");
  check_one_problem(file_study({{"search.repeats", "3"}, {"data.folds", "none"}}),
                    "search.repeats = 3 has no effect (search.method = none)");
  for (const std::string key : {"search.factor", "search.min_epochs"})
    check_one_problem(file_study({{key, "2"}}),
                      key + " = 2 has no effect (search.method = auto). Leave it out, or set search.method = halving.");
  check_one_problem(file_study({{"search.interval", "2"}}),
                    "search.interval = 2 has no effect (search.method = auto). "
                    "Leave it out, or set search.method = median.");
  check_one_problem(grid(file_study({{"data.folds", "none"}}), {}), "search.method = grid has nothing to search");
  check_valid(grid(file_study({{"search.folds", "3"}, {"search.repeats", "2"}}), {}));
  check_valid(grid(file_study(), {searched("train.epochs", {"1"})}));
}

TEST_CASE("search: halving without a second stage gets advice that helps") {
  const SearchedKey rates = searched("train.learning_rate", {"0.1", "0.2", "0.3", "0.4"});
  const auto halving = [](const Assignments& values, const std::vector<SearchedKey>& keys) {
    return study_with({{"search.method", "halving"}}, grid(file_study(values), keys));
  };
  check_valid(halving({{"train.epochs", "3"}}, {rates}));
  check_one_problem(halving({{"search.factor", "100"}}, {rates}),
                    "search.method = halving has no second stage (it has 4 trials, and search.factor = 100). Search "
                    "more trials, reduce search.factor, or set search.method = grid.");
  check_one_problem(halving({}, {searched("train.learning_rate", {"0.1"})}),
                    "search.method = halving has no second stage (it has 1 trial, and search.factor = 3). Search "
                    "more trials, or set search.method = grid.");
  check_one_problem(halving({{"train.epochs", "5"}, {"search.min_epochs", "6"}}, {rates}),
                    "search.method = halving has no second stage (search.min_epochs = 6 times search.factor = 3 is "
                    "more than train.epochs = 5). Increase train.epochs, reduce search.min_epochs, or set "
                    "search.method = grid.");
  check_one_problem(halving({{"train.epochs", "2"}}, {rates}),
                    "search.method = halving has no second stage (search.min_epochs = 1 times search.factor = 3 is "
                    "more than train.epochs = 2). Increase train.epochs, reduce search.factor, or set "
                    "search.method = grid.");
  check_one_problem(halving({{"train.epochs", "1"}}, {rates}),
                    "search.method = halving has no second stage (search.min_epochs = 1 times search.factor = 3 is "
                    "more than train.epochs = 1). Increase train.epochs, or set search.method = grid.");
}

TEST_CASE("search: certain racing ranks trials by the means of their members, which ensembles do not") {
  const auto racing = [](const std::string& rule, const std::string& members) {
    return grid(
        file_study(
            {{"search.method", "grid"}, {"search.folds", "3"}, {"search.racing", rule}, {"ensemble.members", members}}),
        {searched("train.learning_rate", {"0.1", "0.2"})});
  };
  check_valid(racing("certain", "1"));
  check_valid(racing("forgiving", "2"));
  check_one_problem(
      racing("certain", "2"),
      "search.racing = certain cannot be combined with ensemble.members = 2 (trials race with the means of "
      "their members, but ensembles are ranked). Set search.racing = forgiving.");
}

TEST_CASE("search: hyperband without a second stage, or with too few combinations, gets advice that helps") {
  const SearchedKey range{"train.learning_rate", {"0.1", "0.2"}, Sampling::uniform};
  const SearchedKey rates = searched("train.learning_rate", {"0.1", "0.2", "0.3", "0.4"});
  const auto hyperband = [](const Assignments& values, const std::vector<SearchedKey>& keys) {
    return study_with({{"search.method", "hyperband"}}, grid(file_study(values), keys));
  };
  check_valid(hyperband({{"train.epochs", "81"}}, {range}));
  check_valid(hyperband({{"train.epochs", "auto"}}, {range}));  // not settled
  check_valid(hyperband({{"train.epochs", "auto"}}, {rates}));
  check_valid(hyperband({{"train.epochs", "3"}, {"search.trials", "3"}}, {range}));
  check_valid(hyperband({{"train.epochs", "9"}, {"search.trials", "4"}}, {rates}));
  check_one_problem(hyperband({{"train.epochs", "9"}}, {rates}),
                    "one pass of search.method = hyperband has 17 trials, which is more than the 4 combinations of the "
                    "lists in [search]. Set search.trials = 4 to train each of them once.");
  check_one_problem(hyperband({{"train.epochs", "9"}, {"search.trials", "5"}}, {rates}),
                    "search.trials = 5 is more than the 4 combinations of the lists in [search]. Set search.trials = 4 "
                    "to train each of them once.");
  check_one_problem(hyperband({{"train.epochs", "9"}}, {searched("train.learning_rate", {"0.1", "0.2"})}),
                    "one pass of search.method = hyperband has 17 trials, which is more than the 2 combinations of the "
                    "lists in [search]. Set search.method = grid to train each of them once.");
  check_one_problem(hyperband({}, {}), "search.method = hyperband has nothing to search");
  check_one_problem(hyperband({{"train.epochs", "9"}, {"search.trials", "2"}}, {range}),
                    "search.method = hyperband has no second stage (it has 2 trials, and search.factor = 3). Search "
                    "more trials, reduce search.factor, or set search.method = random.");
  check_one_problem(hyperband({{"train.epochs", "5"}, {"search.min_epochs", "6"}}, {range}),
                    "search.method = hyperband has no second stage (search.min_epochs = 6 times search.factor = 3 is "
                    "more than train.epochs = 5). Increase train.epochs, reduce search.min_epochs, or set "
                    "search.method = random and search.trials.");
  check_one_problem(hyperband({{"train.epochs", "9"}}, {range, searched("train.epochs", {"3", "9"})}),
                    "search.method = hyperband cannot search train.epochs");
  check_one_problem(study_with({{"search.repeats", "1000000"}, {"train.epochs", "1000000"}, {"search.factor", "2"}},
                               hyperband({}, {range})),
                    "the study has more than 4294967295 iterations (1111429 trials of one pass x");
}

TEST_CASE("search: median stopping without a second stage gets advice that helps") {
  const SearchedKey rates = searched("train.learning_rate", {"0.1", "0.2"});
  const auto median = [](const Assignments& values, const std::vector<SearchedKey>& keys) {
    return study_with({{"search.method", "median"}}, grid(file_study(values), keys));
  };
  check_valid(median({{"train.epochs", "11"}}, {rates}));
  check_valid(median({{"train.epochs", "13"}, {"search.min_epochs", "12"}}, {rates}));
  check_valid(median({{"train.epochs", "auto"}, {"search.interval", "1000"}}, {rates}));  // not settled
  check_one_problem(median({{"train.epochs", "11"}}, {searched("train.learning_rate", {"0.1"})}),
                    "search.method = median has no second stage (it has 1 trial). Search more trials, or set "
                    "search.method = grid.");
  check_one_problem(median({{"train.epochs", "10"}}, {rates}),
                    "search.method = median has no second stage (train.epochs = 10 is not more than search.interval = "
                    "10). Increase train.epochs, reduce search.interval, or set search.method = grid.");
  check_one_problem(median({{"train.epochs", "12"}, {"search.min_epochs", "12"}}, {rates}),
                    "search.method = median has no second stage (train.epochs = 12 is not more than search.min_epochs "
                    "= 12). Increase train.epochs, reduce search.min_epochs, or set search.method = grid.");
  check_one_problem(median({{"train.epochs", "9"}, {"search.min_epochs", "12"}, {"search.trials", "2"}}, {rates}),
                    "search.method = median has no second stage (train.epochs = 9 is not more than search.interval = "
                    "10 and search.min_epochs = 12). Increase train.epochs, reduce search.interval and "
                    "search.min_epochs, or set search.method = random.");
  check_one_problem(median({{"train.epochs", "1"}}, {rates}),
                    "search.method = median has no second stage (train.epochs = 1 is not more than search.interval = "
                    "10 and search.min_epochs = 1). Increase train.epochs, or set search.method = grid.");
}

TEST_CASE("search: halving without trials has one problem") {
  const auto halving = [](const std::vector<SearchedKey>& keys) {
    return study_with({{"search.method", "halving"}}, grid(file_study(), keys));
  };
  check_one_problem(halving({}), "search.method = halving has nothing to search");
  const SearchedKey range{"train.learning_rate", {"0.1", "0.2"}, Sampling::uniform};
  check_one_problem(halving({range}),
                    "search.train.learning_rate = uniform(0.1, 0.2) is a range, and search.trials is not set. Set "
                    "search.trials, or list the values.");
  check_valid(study_with({{"search.trials", "9"}}, halving({range})));
}

TEST_CASE("search: every combination is checked, and each message is reported once") {
  const SearchedKey kinds = searched("model.kind", {"linear", "mlp"});
  check_valid(grid(file_study({{"model.hidden", "8"}}), {kinds}));
  check_valid(grid(file_study(), {kinds}));
  check_one_problem(grid(file_study({{"model.kind", "mlp"}}),
                         {searched("model.hidden", {"8", "none", "16"}), searched("train.epochs", {"1", "2", "3"})}),
                    "model.kind = mlp needs hidden layers, but model.hidden = none.");
  const SearchedKey optimizers = searched("train.optimizer", {"sgd", "adam"});
  check_valid(grid(file_study({{"train.momentum", "0.9"}, {"train.nesterov", "true"}}), {optimizers}));
  check_valid(
      grid(file_study({{"model.kind", "mlp"}, {"model.hidden", "8"}}), {searched("model.dropout", {"0", "0.5"})}));
  check_valid(grid(file_study({{"model.kind", "mlp"}, {"model.dropout", "0.5"}, {"model.hidden", "8"}}),
                   {searched("model.kind", {"linear", "mlp"})}));
}

TEST_CASE("search: a key may have no effect if a key that decides it is searched") {
  const SearchedKey kinds = searched("model.kind", {"linear", "mlp"});
  const SearchedKey momenta = searched("train.momentum", {"0", "0.9"});
  check_valid(grid(file_study(), {kinds, searched("model.hidden", {"16"})}));
  check_valid(
      grid(file_study(), {kinds, searched("model.hidden", {"16", "32"}), searched("model.dropout", {"0", "0.5"})}));
  check_valid(grid(file_study(), {searched("train.optimizer", {"sgd", "adam"}), momenta}));
  check_valid(grid(file_study(), {momenta, searched("train.optimizer", {"adam", "sgd"})}));
  check_one_problem(grid(file_study(), {momenta}), "train.momentum = 0.9 has no effect (train.optimizer = adam)");
  check_valid(grid(file_study(), {searched("train.optimizer", {"adam", "adamw"}), momenta}));
  check_valid(grid(file_study({{"train.momentum", "0.9"}}), {searched("train.optimizer", {"adam", "adamw"})}));
  check_one_problem(
      grid(file_study({{"model.kind", "cnn"}, {"model.hidden", "none"}}), {searched("model.dropout", {"0", "0.5"})}),
      "model.dropout = 0.5 has no effect (there is no hidden dense layer)");
}

TEST_CASE("search: combinations without effect do not count") {
  // 65536 * 4 combinations, of which a quarter is skipped: 2^32 - 2^16 iterations, then 2^32 + 2^17.
  std::vector<std::string> many;
  for (int i = 1; i <= 65536; ++i) many.push_back(std::to_string(i));
  const std::vector<SearchedKey> keys = {searched("train.learning_rate", many),
                                         searched("train.optimizer", {"sgd", "adam"}),
                                         searched("train.momentum", {"0", "0.9"})};
  check_valid(grid(file_study({{"study.iterations", "21845"}}), keys));
  check_one_problem(grid(file_study({{"study.iterations", "21846"}}), keys), "the study has more than 4294967295 iter");
}

TEST_CASE("search: more than 2^32 - 1 iterations are refused without overflow") {
  check_valid(file_study({{"study.iterations", "4294967295"}}));
  check_one_problem(file_study({{"study.iterations", "4294967295"}, {"ensemble.members", "2"}}),
                    "the study has more than 4294967295 iterations (study.iterations = 4294967295 x");
  check_one_problem(grid(file_study({{"study.iterations", "4294967295"},
                                     {"search.repeats", "4294967295"},
                                     {"search.folds", "4294967295"},
                                     {"ensemble.members", "4294967295"}}),
                         {searched("train.epochs", {"1", "2"})}),
                    "the study has more than 4294967295 iterations (2 of train.epochs x");
  check_valid(file_study({{"study.iterations", "65535"}, {"ensemble.members", "65537"}}));
  check_one_problem(file_study({{"study.iterations", "65536"}, {"ensemble.members", "65536"}}), "the study has more");
}

TEST_CASE("search: a grid that is too large to enumerate is refused quickly") {
  std::vector<std::string> hundred;
  for (int i = 1; i <= 100; ++i) hundred.push_back(std::to_string(i));
  std::vector<SearchedKey> keys;
  for (const char* key : {"train.epochs", "train.batch_size", "train.learning_rate", "train.weight_decay",
                          "train.epsilon", "model.hidden"})
    keys.push_back(searched(key, hundred));
  check_one_problem(grid(file_study({{"model.kind", "mlp"}}), keys), "the study has more than 4294967295 iterations");
}

TEST_CASE("run: run.threads requires one lane") {
  check_one_problem(file_study({{"run.threads", "2"}}), "run.threads = 2 needs one lane, but run.lanes = auto.");
  check_one_problem(file_study({{"run.threads", "2"}, {"run.lanes", "4"}}),
                    "run.threads = 2 needs one lane, but run.lanes = 4.");
  check_one_problem(file_study({{"run.threads", "2"}, {"run.lanes", "1"}, {"run.core_lanes", "3"}}),
                    "run.threads = 2 needs one lane (run.core_lanes = 3 adds more). Leave out one of them.");
  check_valid(file_study({{"run.lanes", "2"}, {"run.core_lanes", "3"}}));
}

TEST_CASE("run: keys of ranks with a GPU have no effect on the CPU") {
  for (const std::string key : {"run.core_lanes", "run.ranks_per_gpu"}) {
    check_one_problem(file_study({{key, "2"}, {"run.device", "cpu"}}),
                      key + " = 2 has no effect (run.device = cpu). Leave it out, or set run.device = auto.");
    check_valid(file_study({{key, "2"}}));
  }
}

TEST_CASE("search: a metric must match the task and needs validation rows") {
  const Assignments classes = {{"data.task", "classification"}, {"train.loss", "cross_entropy"}};
  check_valid(study_with({{"search.metric", "accuracy"}, {"data.validation", "0.2"}}, file_study(classes)));
  check_valid(study_with({{"search.metric", "loss"}, {"data.validation", "0.2"}}, file_study(classes)));
  check_one_problem(study_with({{"search.metric", "r2"}, {"data.validation", "0.2"}}, file_study(classes)),
                    "search.metric = r2 does not apply to classification");
  check_one_problem(study_with({{"search.metric", "accuracy"}, {"data.validation", "0"}}, file_study(classes)),
                    "search.metric = accuracy has no effect (there are no validation rows)");
  check_valid(study_with({{"search.metric", "accuracy"}}, file_study(classes)));
  check_valid(study_with({{"run.metrics", "accuracy"}, {"data.validation", "0.2"}}, file_study(classes)));
  check_one_problem(study_with({{"run.metrics", "accuracy, r2"}, {"data.validation", "0.2"}}, file_study(classes)),
                    "run.metrics = r2 does not apply to classification");
  check_one_problem(study_with({{"search.metric", "log_loss"}, {"train.loss", "mse"}, {"data.validation", "0.2"}},
                               file_study(classes)),
                    "search.metric = log_loss needs probabilities");
  check_one_problem(study_with({{"run.metrics", "accuracy"}, {"data.validation", "0"}}, file_study(classes)),
                    "run.metrics = accuracy has no effect (there are no validation rows)");
  check_valid(study_with({{"search.metric", "loss"}, {"data.validation", "0"}}, file_study(classes)));
  const Assignments labels = {{"data.task", "multilabel"}, {"data.validation", "0.2"}};
  check_valid(
      study_with({{"search.metric", "f1_macro"}, {"run.metrics", "hamming_loss, log_loss"}}, file_study(labels)));
  for (const char* metric : {"balanced_accuracy", "matthews", "top_k:2", "ece", "r2"})
    check_one_problem(study_with({{"run.metrics", metric}}, file_study(labels)),
                      std::string("run.metrics = ") + metric + " does not apply to multilabel");
  check_one_problem(study_with({{"search.metric", "hamming_loss"}, {"data.validation", "0.2"}}, file_study(classes)),
                    "search.metric = hamming_loss does not apply to classification");
}

TEST_CASE("model: only an mlp and a cnn can have norms, and batch norms need batches") {
  check_valid(file_study({{"model.kind", "mlp"}, {"model.norm", "layer"}}));
  check_valid(file_study({{"model.norm", "layer"}}));  // model.kind = auto
  check_one_problem(file_study({{"model.kind", "linear"}, {"model.norm", "layer"}}),
                    "model.norm = layer has no effect (model.kind = linear). Leave it out, or set model.kind = mlp.");
  for (const char* kind : {"resnet18", "torchscript:a.pt"})
    check_one_problem(file_study({{"model.kind", kind}, {"model.norm", "layer"}}), "model.norm = layer has no effect");
  check_valid(grid(file_study({{"model.norm", "layer"}}), {searched("model.kind", {"linear", "mlp"})}));
  for (const char* kind : {"mlp", "cnn", "auto"})
    check_valid(file_study({{"model.kind", kind}, {"model.norm", "batch"}}));
  check_one_problem(file_study({{"model.kind", "cnn"}, {"model.norm", "layer"}}),
                    "model.norm = layer has no effect (there is no hidden dense layer)");
  check_valid(file_study({{"model.kind", "cnn"}, {"model.norm", "layer"}, {"model.hidden", "8"}}));
  check_one_problem(file_study({{"model.kind", "mlp"}, {"model.norm", "batch"}, {"train.batch_size", "1"}}),
                    "model.norm = batch needs batches of several rows, but train.batch_size = 1");
  check_valid(file_study({{"model.kind", "mlp"}, {"model.norm", "batch"}, {"train.batch_size", "2"}}));
}

TEST_CASE("run: the native engine supports only one thread per lane, on CPUs") {
  const Assignments native = {{"run.engine", "native"}};
  check_valid(file_study(native));
  check_valid(file_study({{"run.engine", "torch"}, {"run.threads", "2"}, {"run.lanes", "1"}}));
  check_one_problem(study_with({{"run.threads", "2"}, {"run.lanes", "1"}}, file_study(native)),
                    "run.engine = native supports only one thread per lane, but run.threads = 2.");
  check_one_problem(study_with({{"run.device", "cuda"}}, file_study(native)),
                    "run.engine = native supports only CPUs, but run.device = cuda.");
  check_valid(study_with({{"train.precision", "float64"}}, file_study(native)));
  for (const char* precision : {"bfloat16", "tf32"})
    check_one_problem(
        study_with({{"train.precision", precision}}, file_study(native)),
        std::string("run.engine = native supports only float32 and float64, but train.precision = ") + precision + ".");
}

TEST_CASE("train: tf32 needs GPUs and cannot be searched") {
  const Study tf32 = file_study({{"train.precision", "tf32"}});
  check_valid(tf32);
  check_one_problem(study_with({{"run.device", "cpu"}}, tf32),
                    "train.precision = tf32 needs GPUs, but run.device = cpu. Set train.precision = float32, or "
                    "run.device = cuda.");
  check_one_problem(grid(file_study({}), {searched("train.precision", {"float32", "tf32"})}),
                    "train.precision = tf32 cannot be searched (all models of a rank share this setting). Start a "
                    "separate run with train.precision = tf32.");
  check_valid(grid(file_study({}), {searched("train.precision", {"float32", "float64", "bfloat16"})}));
}

TEST_CASE("all problems are reported, in the order of the sections") {
  const Sentences problems =
      sentences_of(grid(study_with({{"run.threads", "2"},
                                    {"train.loss", "bce"},
                                    {"data.classes", "3"},
                                    {"data.task", "regression"},
                                    {"model.hidden", "none"},
                                    {"model.channels", "none"}}),
                        {searched("train.momentum", {"0.5"}), searched("model.kind", {"cnn", "mlp"})}));
  const Sentences beginnings = {"data.source", "data.classes",   "model.kind = cnn", "model.kind = mlp",
                                "train.loss",  "train.momentum", "run.threads"};
  CAPTURE(problems);
  REQUIRE(problems.size() == beginnings.size());
  for (std::size_t i = 0; i < problems.size(); ++i) CHECK(problems[i].rfind(beginnings[i], 0) == 0);
}

// Every key that can be searched, as a key of a grid with two values.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "study/parse_study.hpp"
#include "study/plan.hpp"
#include "study/settings.hpp"
#include "study/settings_table.hpp"
#include "support/catch.hpp"

using namespace sheaf;

namespace {

struct Searched {
  std::string key;
  std::string first, second;  // in canonical form
  std::string with{};         // a key with which it has an effect, as an assignment
  std::string only_alone{};   // why trials cannot differ in this key; empty: they can
};

const std::vector<Searched>& searched_keys() {
  const std::string needs_same_rows = "train.stop_fraction cannot be searched (all trials have the same rows)",
                    needs_same_outputs =
                        "cannot be combined with the loss quantile (its trials would have different "
                        "outputs)";
  static const std::vector<Searched> keys = {
      {"data.normalize", "none", "robust"},
      {"model.kind", "linear", "mlp"},
      {"model.hidden", "16", "64 32"},
      {"model.channels", "4", "8 16", "model.kind = cnn"},
      {"model.kernel", "3", "5", "model.kind = cnn"},
      {"model.stem", "small", "imagenet", "model.kind = resnet18"},
      {"model.embedding", "none", "piecewise"},
      {"model.categories", "one_hot", "embedding"},
      {"model.activation", "relu", "tanh"},
      {"model.norm", "none", "batch"},
      {"model.dropout", "0", "0.5"},
      {"model.bias", "true", "false"},
      {"model.initialization", "pytorch", "he"},
      {"model.keep_weights", "false", "true", "model.kind = torchscript:net.pt"},
      {"model.eta", "0.1", "0.3", "model.kind = boosted_trees"},
      {"model.max_depth", "2", "5", "model.kind = boosted_trees"},
      {"model.max_leaves", "none", "3", "model.kind = boosted_trees"},
      {"model.subsample", "0.5", "1", "model.kind = boosted_trees"},
      {"model.colsample_bytree", "0.4", "1", "model.kind = boosted_trees"},
      {"model.colsample_bynode", "0.4", "1", "model.kind = boosted_trees"},
      {"model.min_child_weight", "0.01", "20", "model.kind = boosted_trees"},
      {"model.lambda", "0", "5", "model.kind = boosted_trees"},
      {"model.alpha", "0", "2", "model.kind = boosted_trees"},
      {"model.max_bin", "4", "256", "model.kind = boosted_trees"},
      {"model.max_cat_to_onehot", "1", "100", "model.kind = boosted_trees"},
      {"train.epochs", "3", "5"},
      {"train.batch_size", "16", "full"},
      {"train.shuffle", "true", "false"},
      {"train.loss", "mse", "huber"},
      {"train.huber_delta", "1", "2", "train.loss = huber"},
      {"train.quantiles", "0.5", "0.1 0.9", "train.loss = quantile", needs_same_outputs},
      {"train.label_smoothing", "0", "0.1", "train.loss = cross_entropy"},
      {"train.reduction", "mean", "sum"},
      {"train.class_weights", "none", "balanced"},
      {"train.precision", "float32", "float64"},
      {"train.optimizer", "sgd", "adam"},
      {"train.learning_rate", "0.1", "0.01"},
      {"train.schedule", "constant", "cosine"},
      {"train.warmup_epochs", "0", "0.5"},
      {"train.plateau_factor", "0.1", "0.5", "train.schedule = plateau"},
      {"train.plateau_patience", "1", "2", "train.schedule = plateau"},
      {"train.step_factor", "0.1", "0.5", "train.schedule = step"},
      {"train.step_epochs", "1", "2", "train.schedule = step"},
      {"train.exponential_factor", "0.9", "0.5", "train.schedule = exponential"},
      {"train.patience", "none", "2"},
      {"train.best_weights", "false", "true"},
      {"train.stop_on", "loss", "accuracy", "train.patience = 2"},
      {"train.min_change", "0", "0.1", "train.patience = 2"},
      {"train.stop_fraction", "0", "0.2", "train.patience = 2", needs_same_rows},
      {"train.clip_norm", "none", "1"},
      {"train.clip_value", "none", "1"},
      {"train.l1", "0", "0.001"},
      {"train.average", "none", "ema"},
      {"train.average_decay", "0.9", "0.5", "train.average = ema"},
      {"train.momentum", "0", "0.9", "train.optimizer = sgd"},
      {"train.nesterov", "false", "true", "train.momentum = 0.9\ntrain.optimizer = sgd"},
      {"train.weight_decay", "0", "0.001"},
      {"train.beta1", "0.9", "0.8", "train.optimizer = adam"},
      {"train.beta2", "0.999", "0.9", "train.optimizer = adam"},
      {"train.alpha", "0.99", "0.9", "train.optimizer = rmsprop"},
      {"train.epsilon", "1e-08", "0.0001", "train.optimizer = adam"},
  };
  return keys;
}

// A study of a file with validation rows that searches the key.
std::string study_text(const Searched& searched) {
  std::string text = "data.file = d.h5\ndata.validation = 0.2\n" + searched.with + "\n";
  if (searched.key != "data.normalize") text += "data.normalize = none\n";  // a plan needs a value
  if (searched.key == "train.stop_on") text += "data.task = classification\n";
  return text + fmt::format("search.{} = {}, {}\n", searched.key, searched.first, searched.second);
}

// Why the study is refused; empty: it is not.
std::string refusal_of(const std::string& text) try {
  parse_study_text(text, "s.cfg", {});
  return "";
} catch (const UsageError& error) {
  return error.what();
}

Study study_of(const Trial& trial) {
  Study study;
  study.data.normalize = trial.normalize;
  study.model = trial.model;
  study.train = trial.train;
  return study;
}

}  // namespace

TEST_CASE("each key that can be searched gives the trials of a grid its values, or is refused with the reason") {
  for (const Searched& searched : searched_keys()) {
    CAPTURE(searched.key);
    const std::string refusal = refusal_of(study_text(searched));
    if (!searched.only_alone.empty()) {
      CHECK_THAT(refusal, ContainsSubstring(searched.only_alone));
      CHECK_THAT(refusal, ContainsSubstring("Set " + searched.key));
      continue;
    }
    REQUIRE(refusal.empty());
    const Study study = parse_study_text(study_text(searched), "s.cfg", {});
    const Plan plan(study);
    REQUIRE(plan.trial_count() == 2);
    for (std::int64_t number = 0; number < 2; ++number) {
      const std::string& value = number == 0 ? searched.first : searched.second;
      const Trial trial = plan.trial(number);
      CHECK(trial.values == std::vector<std::string>{value});
      CHECK(setting_text(study_of(trial), searched.key) == value);
    }
    CHECK(study_file_text(parse_study_text(study_file_text(study), "stored", {})) == study_file_text(study));
  }
}

TEST_CASE("data.normalize and all keys of [model] and [train] can be searched, and all of them are tested") {
  std::vector<std::string> tested, sections;
  for (const Searched& searched : searched_keys()) tested.push_back(searched.key);
  for (const SettingInfo& setting : all_settings())
    if (setting.key == "data.normalize" || setting.key.rfind("model.", 0) == 0 || setting.key.rfind("train.", 0) == 0)
      sections.push_back(setting.key);
  CHECK(searchable_keys() == sections);
  std::sort(tested.begin(), tested.end());
  std::sort(sections.begin(), sections.end());
  CHECK(tested == sections);
}

TEST_CASE("auto of data.normalize follows from the file, so it is no value of a trial") {
  CHECK_THAT(refusal_of("data.file = d.h5\nsearch.data.normalize = auto, none\n"),
             ContainsSubstring("search.data.normalize has the candidate auto. List the values of data.normalize to "
                               "compare."));
  CHECK_THAT(refusal_of("data.file = d.h5\nsearch.data.normalize = uniform(0, 1)\n"),
             ContainsSubstring("it does not take numbers"));
  CHECK_THAT(refusal_of("data.file = d.h5\ndata.normalize = none\nsearch.data.normalize = none, robust\n"),
             ContainsSubstring("data.normalize is set in [data] and has candidates in [search]. Remove one of them."));
}

// SPDX-License-Identifier: MIT
#include "study/settings.hpp"
#include "study/settings_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/error.hpp"
#include "study/metrics.hpp"
#include "study_builders.hpp"
#include "support/catch.hpp"

using namespace sheaf;

namespace {

std::string refusal(const std::string& key, const std::string& text) {
  Study study;
  const std::string before = key.find('.') == std::string::npos ? "" : study_file_text(study);
  try {
    apply_setting(study, key, text);
  } catch (const UsageError& error) {
    CHECK((before.empty() || study_file_text(study) == before));
    return error.what();
  }
  return "accepted";
}

bool accepts(const std::string& key, const std::string& text) {
  return refusal(key, text) == "accepted";
}

// Whether any text is valid; that of search.start may be a path.
bool is_text(const SettingInfo& setting) {
  return setting.values == "text" || setting.values.rfind("name", 0) == 0 || setting.key == "search.start";
}

}  // namespace

// All other keys are part of a run's fingerprint. Adding a key to this list, or removing one, changes the fingerprint,
// so that existing runs no longer resume.
TEST_CASE("the keys that do not affect results are exactly these") {
  std::vector<std::string> keys;
  for (const auto& setting : settings_table())
    if (!setting.decides_results) keys.push_back(setting.info.key);
  CHECK(keys == std::vector<std::string>{"study.name",
                                         "data.file",
                                         "data.validation_file",
                                         "data.test_file",
                                         "run.output",
                                         "run.partition",
                                         "run.device",
                                         "run.lanes",
                                         "run.threads",
                                         "run.ranks_per_gpu",
                                         "run.core_lanes",
                                         "run.time_limit",
                                         "run.checkpoint_interval",
                                         "run.network_timeout",
                                         "run.array",
                                         "run.on_failure",
                                         "run.retries",
                                         "run.models",
                                         "run.progress",
                                         "run.log_every"});
}

TEST_CASE("every setting has a unique key, a help text, and a default that it accepts") {
  std::set<std::string> keys;
  for (const auto& setting : all_settings()) {
    CAPTURE(setting.key);
    CHECK(keys.insert(setting.key).second);
    CHECK(setting.key.find('.') != std::string::npos);
    CHECK_FALSE(setting.values.empty());
    CHECK(setting.help.back() == '.');
    CHECK(setting_text(Study{}, setting.key) == setting.default_value);
    CHECK(accepts(setting.key, setting.default_value));
  }
  CHECK(keys.size() == 133);
}

TEST_CASE("every setting refuses invalid values with a message that has the key and the value") {
  for (const auto& setting : all_settings()) {
    for (const std::string text : {" 5", "5 ", "\"5", "\n", "a\tb", "\x01"}) {
      CAPTURE(setting.key, text);
      if (setting.values.rfind("integers", 0) == 0 && text.find('5') != std::string::npos)
        continue;  // blanks separate integers
      if (setting.values.rfind("integers", 0) == 0 && text == "\n") continue;
      const std::string message = refusal(setting.key, text);
      CHECK(message.rfind(setting.key + " cannot be '", 0) == 0);
      CHECK(message.find("Allowed: ") != std::string::npos);
      CHECK(message.find('\n') == std::string::npos);
    }
    if (is_text(setting)) continue;
    for (const std::string text :
         {"what ever", "1e3x", "0x10", "--1", "nan", "inf", "-inf", "1e999", "1,5", "\xff\xfe"}) {
      CAPTURE(setting.key, text);
      CHECK(refusal(setting.key, text).rfind(setting.key + " cannot be '", 0) == 0);
    }
  }
}

TEST_CASE("numbers are checked against their range, including its bounds") {
  struct Range {
    const char* key;
    std::vector<std::string> inside, outside;
  };
  const std::vector<std::string> probability_in = {"0", "0.5", "0.999999"},
                                 probability_out = {"-0.001", "1", "1.5", ""};
  const std::vector<std::string> count_in = {"1", "4294967295"},
                                 count_out = {"0", "-1", "4294967296", "1.0", "1e3", ""};
  const std::vector<std::string> positive_in = {"1e-3", ".5", "3"}, positive_out = {"0", "-1", "+1", "1e-400", ""};
  const std::vector<Range> ranges = {
      {"study.seed", {"0", "18446744073709551615"}, {"-1", "18446744073709551616", "1.5", ""}},
      {"study.iterations", count_in, count_out},
      {"data.classes", {"2", "auto", "Auto"}, {"1", "0", "-2"}},
      {"data.validation", probability_in, probability_out},
      {"data.test", probability_in, probability_out},
      {"data.image", {"1x8x8", "3x1x32", "auto", "1X8X8"}, {"8x8", "0x8x8", "1x8x8x8", "-1x8x8", "1x8x", "xx"}},
      {"data.memory", {"1", "auto"}, {"0", "-1", "1.5"}},
      {"data.window", {"1", "auto"}, {"0", "-1"}},
      {"data.read_ahead", {"1", "64"}, {"0", "65"}},
      {"data.rows", {"1", "1000000000000"}, {"0", "1000000000001"}},
      {"data.columns", {"1", "1000000"}, {"0", "1000001"}},
      {"data.outputs", {"1"}, {"0"}},
      {"data.noise", {"0", "2"}, {"-0.1"}},
      {"model.hidden", {"16", "64 32", "none", "", "1000000", "None"}, {"0", "64,32", "-3", "64 x", "1000001"}},
      {"model.channels", {"8 16"}, {"8 0"}},
      {"model.kernel", {"1", "3", "99"}, {"0", "2", "-3", "101"}},
      {"model.dropout", probability_in, probability_out},
      {"model.eta", {"1e-6", "0.3", "1"}, {"0", "1e-7", "1.1", "nan"}},
      {"model.max_depth", {"1", "30", "none"}, {"0", "31", "2.5"}},
      {"model.max_leaves", {"2", "1048576", "none"}, {"0", "1", "1048577"}},
      {"model.subsample", {"1e-6", "1"}, {"0", "1.01"}},
      {"model.colsample_bytree", {"1e-6", "1"}, {"0", "1.01"}},
      {"model.colsample_bynode", {"1e-6", "1"}, {"0", "1.01"}},
      {"model.min_child_weight", {"0", "1e9"}, {"-1", "1.1e9", "nan"}},
      {"model.lambda", {"0", "1e9"}, {"-1", "1.1e9"}},
      {"model.alpha", {"0", "1e9"}, {"-1", "1.1e9"}},
      {"model.max_bin", {"2", "65536"}, {"1", "65537"}},
      {"model.max_cat_to_onehot", {"1", "65536"}, {"0", "65537"}},
      {"train.epochs", {"1", "1000000"}, {"0", "-5", "1000001", "9223372036854775808", "ten", "1e3"}},
      {"train.batch_size", {"1", "full"}, {"0", "-1", "all"}},
      {"train.learning_rate", positive_in, positive_out},
      {"train.huber_delta", {"1e-12", "1", "1e12"}, {"0", "-1", "1e-300", "9e-13", "1.1e12", ""}},
      {"train.quantiles", {"0.5", "0.1 0.9", "0.1, 0.5, 0.9"}, {"", "0", "1", "0.9 0.1", "0.5 0.5", "0.5 x", "none"}},
      {"train.label_smoothing", probability_in, probability_out},
      {"train.warmup_epochs", {"0", "0.5", "3"}, {"-1", "nan"}},
      {"train.plateau_factor", {"0.1", "0.999"}, {"0", "1", "-0.5"}},
      {"train.patience", {"1", "1000000", "none", "auto"}, {"0", "-1", "1.5", "1000001"}},
      {"train.min_change", {"0", "0.5"}, {"-1", "nan"}},
      {"train.stop_fraction", {"0", "0.5"}, {"-0.1", "1"}},
      {"train.plateau_patience", {"0", "1000000"}, {"-1", "1.5"}},
      {"train.step_factor", {"0.1", "0.999"}, {"0", "1", "-0.5"}},
      {"train.step_epochs", {"1", "1000000"}, {"0", "-1", "1.5"}},
      {"train.exponential_factor", {"0.1", "0.999"}, {"0", "1", "-0.5"}},
      {"train.clip_norm", {"1e-12", "1", "1e12", "none"}, {"0", "-1", "9e-13", "1.1e12", "nan", ""}},
      {"train.clip_value", {"1e-12", "1", "1e12", "none"}, {"0", "-1", "9e-13", "1.1e12", "nan", ""}},
      {"train.l1", {"0", "1e-4"}, {"-1e-4", "nan", ""}},
      {"train.average_decay", probability_in, probability_out},
      {"train.class_weights",
       {"none", "balanced", "1:2", "cat:2, dog:0.5", "a b:1e-3,c:d:0"},
       {"", "cat", "cat:", ":2", "cat:-1", "cat:inf", "cat:1e13", "cat:1,", "cat:1, cat:2", "cat:1;dog"}},
      {"train.momentum", probability_in, probability_out},
      {"train.weight_decay", {"0", "1e-4"}, {"-1e-4"}},
      {"train.beta1", probability_in, probability_out},
      {"train.beta2", probability_in, probability_out},
      {"train.alpha", probability_in, probability_out},
      {"train.epsilon", positive_in, positive_out},
      {"ensemble.members", count_in, count_out},
      {"search.folds", count_in, count_out},
      {"search.trials", {"none", "1", "4294967295"}, {"0", "-1", "4294967296", "1.5"}},
      {"search.repeats", count_in, count_out},
      {"search.earlier_repeats", {"none", "1", "1 3 4294967295"}, {"0", "-1", "1.5", "1, 3"}},
      {"search.batch", {"auto", "1", "4294967295"}, {"0", "-1", "4294967296", "1.5"}},
      {"search.patience", {"none", "1", "4294967295"}, {"0", "-1", "4294967296", "1.5"}},
      {"search.time", {"none", "1", "1000000000", "90s", "1h30m"}, {"0", "-1", "1000000001", "1.5"}},
      {"search.start",
       {"none", "train.learning_rate = 0.1", "train.epochs=1,model.hidden = 64 32; train.epochs = 2", "runs/first",
        "\"runs/a, b\"", "/runs/rate=0.1", "train.epochs"},
       {"", "train.epochs =", "train.epochs = 1;", "train.epochs = 1, train.epochs = 2", "\"runs"}},
      {"search.factor", {"2", "1000"}, {"1", "1001", "2.5"}},
      {"search.interval", {"1", "1000000"}, {"0", "-1", "1000001", "2.5"}},
      {"search.min_epochs", {"1", "1000000"}, {"0", "-1", "1000001"}},
      {"run.lanes", {"1", "65536", "auto"}, {"0", "65537"}},
      {"run.threads", {"1", "65536"}, {"0", "65537"}},
      {"run.stack",
       {"1", "1024", "auto", "256 in 60000 MiB", "1024 in 1 MiB"},
       {"0", "1025", "8 in 0 MiB", "8 in MiB", "8 in 9", "8 in 9 GiB", "in 9 MiB", "8 in "}},
      {"run.ranks_per_gpu", {"1"}, {"0"}},
      {"run.core_lanes", {"0", "65536"}, {"-1", "65537"}},
      {"run.checkpoint_interval", {"0.01", "1", "1e6", "none", "1m"}, {"0", "0.009", "-1", "1000001", "nan"}},
      {"run.network_timeout", {"1", "none", "1m"}, {"0", "-1", "1x"}},
      {"run.retries", {"0", "1000"}, {"-1", "1001"}},
      {"run.log_every", {"1", "auto", "1000000"}, {"0", "-1", "1.5", "none"}}};
  for (const auto& range : ranges) {
    for (const auto& text : range.inside) {
      CAPTURE(range.key, text);
      CHECK(accepts(range.key, text));
    }
    for (const auto& text : range.outside) {
      CAPTURE(range.key, text);
      CHECK_FALSE(accepts(range.key, text));
    }
  }
  // The list above has all settings with numbers.
  for (const auto& setting : all_settings()) {
    if (setting.values.find("integer") == std::string::npos && setting.values.find("number") == std::string::npos)
      continue;
    CAPTURE(setting.key);
    CHECK(std::any_of(ranges.begin(), ranges.end(), [&](const Range& range) { return setting.key == range.key; }));
  }
}

TEST_CASE("every name of a choice is accepted and printed unchanged; typing errors get the nearest name") {
  for (const auto& setting : all_settings()) {
    if (setting.values.find(" | ") == std::string::npos) continue;
    std::string names = setting.values + " | ";
    for (std::size_t end; (end = names.find(" | ")) != std::string::npos; names.erase(0, end + 3)) {
      std::string name = names.substr(0, end);
      if (name == "top_k:N") name = "top_k:2";
      if (name == "pinball:Q") name = "pinball:0.5";
      CAPTURE(setting.key, name);
      const Study study = study_with({{setting.key, name}});
      const std::string canonical = name == "static" ? "block" : name == "dynamic" ? "factoring" : name;
      CHECK(setting_text(study, setting.key) == canonical);
      const bool has_text = name.find(':') != std::string::npos || is_text(setting);  // names of files and data sets
      if (!has_text) CHECK_FALSE(accepts(setting.key, name + "x" + name));
    }
    CHECK_FALSE(accepts(setting.key, ""));
  }
  CHECK(refusal("train.optimizer", "adma") ==
        "train.optimizer cannot be 'adma'. Allowed: sgd | adam | adamw | rmsprop | nadam. Did you mean 'adam'?");
  CHECK(refusal("model.kind", "transformer") ==
        "model.kind cannot be 'transformer'. Allowed: auto | linear | mlp | cnn | resnet18 | resnet50 | "
        "boosted_trees | torchscript:FILE.pt | plugin:FILE.so.");
  CHECK_THAT(refusal("run.metrics", "r2, top_k:0"), ContainsSubstring(" top_k:N needs an integer of at least 1"));
  CHECK_THAT(refusal("run.metrics", "r2, f1_score"), ContainsSubstring(" Use f1_macro for 'f1_score'."));
  CHECK_THAT(refusal("run.metrics", "r2, mse, r2"), ContainsSubstring(" 'r2' occurs twice."));
  CHECK_THAT(refusal("run.metrics", "r2, zebra"), ContainsSubstring(" 'zebra' is none of them."));
  CHECK_THAT(refusal("run.metrics", "r2, roc_au"), ContainsSubstring(" Did you mean 'roc_auc'?"));
  CHECK_THAT(refusal("search.metric", "los"), ContainsSubstring(" Did you mean 'loss'?"));
  CHECK_THAT(refusal("search.metric", "f1"), ContainsSubstring(" f1:CLASS needs a class"));
  CHECK(refusal("model.kind", "resnet34").find("Did you mean 'resnet") != std::string::npos);
  CHECK(study_with({{"model.bias", "off"}}).model.bias == false);
  CHECK(study_with({{"train.nesterov", "yes"}}).train.nesterov == true);
}

TEST_CASE("a name of an earlier version is refused with its new name") {
  CHECK(refusal("data.normalise", "standard") == "unknown key 'data.normalise'. Use data.normalize.");
  CHECK(refusal("model.initialisation", "he") == "unknown key 'model.initialisation'. Use model.initialization.");
  CHECK(
      refusal("run.engine", "resident") ==
      "run.engine cannot be 'resident'. Allowed: auto | torch | native | xgboost | by_model | by_device. Use native.");
  CHECK(refusal("data.mode", "resident") ==
        "data.mode cannot be 'resident'. Allowed: auto | memory | streamed. Use memory.");
}

TEST_CASE("times have units or the formats of Slurm; a number alone is seconds") {
  const auto seconds = [](const std::string& text) {
    return study_with({{"run.time_limit", text}}).run.time_limit.seconds;
  };
  CHECK(seconds("90") == 90);
  CHECK(seconds("1H30M") == 5400);
  CHECK(seconds("45:30") == 45 * 60 + 30);
  CHECK(seconds("90:00") == 90 * 60);
  CHECK(seconds("1:30:05") == 5405);
  CHECK(seconds("2-12") == 60 * 3600);
  CHECK(seconds("2-12:30") == 60 * 3600 + 1800);
  CHECK(seconds("2-12:30:05") == 60 * 3600 + 1805);
  CHECK(seconds("0:01") == 1);
  for (const char* text : {"0:00", ":30", "1:", "1::2", "1:2:3:4", "-1", "1-", "1-2-3", "1-2:3:4:5", "1:30m", "1.5:00",
                           "9999999999999999:00", "3650-00:00:01", "1 :30"}) {
    CAPTURE(text);
    CHECK_FALSE(accepts("run.time_limit", text));
  }
  CHECK(study_with({{"run.checkpoint_interval", "1:30"}}).run.checkpoint_interval == 90);
  CHECK(study_with({{"run.checkpoint_interval", "0.5"}}).run.checkpoint_interval == 0.5);
  CHECK(study_with({{"run.network_timeout", "5m"}}).run.network_timeout == 300);
  CHECK_FALSE(accepts("run.network_timeout", "1000000:00"));
  CHECK_FALSE(accepts("run.network_timeout", "0:00"));
}

TEST_CASE("names, keywords and truth values are accepted in any case") {
  CHECK(study_with({{"train.optimizer", "AdamW"}}).train.optimizer == OptimizerKind::adamw);
  CHECK(study_with({{"model.kind", "TorchScript:Net.pt"}}).model.file == "Net.pt");
  CHECK(study_with({{"search.metric", "R2"}}).search.metric == "r2");
  for (const char* text : {"R2, accuracy", "r2,accuracy", "r2 Accuracy", " r2 ,  accuracy"})
    CHECK(study_with({{"run.metrics", text}}).run.metrics ==
          std::vector<MetricChoice>{MetricKind::r2, MetricKind::accuracy});
  CHECK(study_with({{"search.metric", "F1:New York"}}).search.metric == "f1:New York");
  CHECK(setting_text(study_with({{"run.metrics", "Recall:A,top_k:2 pinball:.5"}}), "run.metrics") ==
        "recall:A, top_k:2, pinball:.5");
  CHECK(setting_text(study_with({{"run.metrics", "r2,accuracy"}}), "run.metrics") == "r2, accuracy");
  const auto spaced =
      study_with({{"run.metrics", "f1:Versi color, r2 mse, recall:a"}}).run.metrics;  // names have spaces
  REQUIRE(spaced.size() == 4);
  CHECK(spaced[0].parameter == "Versi color");
  CHECK(spaced[3].parameter == "a");
  CHECK(study_with({{"run.metrics", "f1:a r2"}}).run.metrics.size() == 2);
  CHECK(study_with({{"run.metrics", "none"}}).run.metrics.empty());
  for (const char* text : {"r2, r2", "r3", "r2;accuracy", "f1:a, f1:a", "top_k:0"})
    CHECK_FALSE(accepts("run.metrics", text));
  CHECK(study_with({{"train.batch_size", "Full"}}).train.batch_size == 0);
  CHECK(study_with({{"run.time_limit", "NONE"}}).run.time_limit.kind == TimeLimit::Kind::none);
  CHECK(study_with({{"run.array", "Auto"}}).run.array.kind == ArrayTask::Kind::by_slurm);
  CHECK(study_with({{"run.checkpoint_interval", "None"}}).run.checkpoint_interval == 0);
  CHECK(study_with({{"model.hidden", "None"}}).model.hidden->empty());
  CHECK_FALSE(study_with({{"model.hidden", "AUTO"}}).model.hidden);
  CHECK(study_with({{"data.image", "1X8X8"}}).data.image.width == 8);
  CHECK(study_with({{"data.image", "AUTO"}}).data.image.width == 0);
  for (const char* yes : {"true", "True", "YES", "on", "1"})
    CHECK(study_with({{"train.nesterov", yes}}).train.nesterov);
  for (const char* no : {"false", "False", "NO", "Off", "0"})
    CHECK_FALSE(study_with({{"train.shuffle", no}}).train.shuffle);
  for (const char* other : {"", "2", "t", "01", "truee"}) CHECK_FALSE(accepts("train.shuffle", other));
}

TEST_CASE("model.kind of a model from a file has the kind and the file name") {
  const Study study = study_with({{"model.kind", "torchscript:models/net: 2.pt"}});
  CHECK(study.model.kind == ModelKind::torchscript);
  CHECK(study.model.file == "models/net: 2.pt");
  CHECK(setting_text(study, "model.kind") == "torchscript:models/net: 2.pt");
  CHECK(setting_text(study_with({{"model.kind", "plugin:a.so"}}, study), "model.kind") == "plugin:a.so");
  CHECK(study_with({{"model.kind", "mlp"}}, study).model.file.empty());
  for (const char* text : {"torchscript", "torchscript:", "plugin: a.so", "mlp:a.pt", ":a.pt", "plugin:\"a"})
    CHECK_FALSE(accepts("model.kind", text));
}

TEST_CASE("values are stored in the members of their keys") {
  const Study study = study_with({{"study.seed", "18446744073709551615"},
                                  {"data.image", "3x8x16"},
                                  {"data.file", "my data/a=b [1].h5"},
                                  {"model.hidden", "64  32"},
                                  {"train.batch_size", "full"},
                                  {"train.learning_rate", "1e-3"},
                                  {"run.partition", "static"}});
  CHECK(study.study.seed == 18446744073709551615u);
  CHECK(study.data.image.channels == 3);
  CHECK(study.data.image.height == 8);
  CHECK(study.data.image.width == 16);
  CHECK(study.data.file == "my data/a=b [1].h5");
  CHECK(study.model.hidden == std::vector<std::int64_t>{64, 32});
  CHECK(study.train.batch_size == 0);
  CHECK(study.train.learning_rate == 1e-3);
  CHECK(study.run.partition == PartitionKind::block);
  CHECK(setting_text(study, "model.hidden") == "64 32");
  CHECK(setting_text(study, "train.batch_size") == "full");
  CHECK(setting_text(study, "train.learning_rate") == "0.001");
  CHECK(setting_text(study, "data.image") == "3x8x16");
}

TEST_CASE("numbers are printed with the fewest digits that restore the same bits") {
  for (const double value : {0.1, 1.0 / 3, 1e-8, 123456789.0, 2.2250738585072014e-308}) {
    Study study;
    study.train.learning_rate = value;
    const std::string text = setting_text(study, "train.learning_rate");
    CHECK(study_with({{"train.learning_rate", text}}).train.learning_rate == value);
    CHECK(text.size() <= 23);
  }
}

TEST_CASE("texts with control characters or outer spaces are refused without quotes") {
  for (const char* key : {"study.name", "data.file", "data.features", "data.targets", "data.weights", "data.groups",
                          "data.folds", "data.time", "run.output"}) {
    CAPTURE(key);
    CHECK(accepts(key, "a b"));
    CHECK(accepts(key, "\xc3\xa9t\xc3\xa9"));
    CHECK(accepts(key, "a#b"));
    CHECK(accepts(key, "\" a #b\""));
    for (const char* text : {" a", "a ", "a\nb", "\ta", "\"a"}) CHECK_FALSE(accepts(key, text));
  }
  CHECK(accepts("data.file", ""));
  CHECK(accepts("data.weights", ""));
  CHECK(accepts("run.output", ""));
  CHECK_FALSE(accepts("data.features", ""));
  CHECK_FALSE(accepts("data.groups", ""));
  CHECK_FALSE(accepts("study.name", ""));
  CHECK_FALSE(accepts("study.name", "a/b"));
  CHECK_FALSE(accepts("study.name", ".."));
}

TEST_CASE("the message for an unknown key suggests the nearest key") {
  CHECK(refusal("train.epoch", "5") == "unknown key 'train.epoch'. Did you mean 'train.epochs'?");
  CHECK(refusal("epochs", "5") == "unknown key 'epochs'. Did you mean 'train.epochs'?");
  CHECK(refusal("train.hidden", "5") == "unknown key 'train.hidden'. Did you mean 'model.hidden'?");
  CHECK(refusal("search.hidden", "5") == "unknown key 'search.hidden'. Did you mean 'search.model.hidden'?");
  CHECK(refusal("zzz", "5") == "unknown key 'zzz'. Use --help to list the keys.");
  CHECK(refusal("", "5") == "unknown key ''. Use --help to list the keys.");
}

TEST_CASE("several values of a key that can be searched lead to the searched key") {
  const std::string advice = " To compare several values, set search.train.learning_rate.";
  for (const char* text : {"1e-3, 1e-2", "1e-3,1e-2", "log_uniform(1e-4, 1e-1)"})
    CHECK(refusal("train.learning_rate", text) ==
          fmt::format("train.learning_rate cannot be '{}'. Allowed: number > 0, or auto.{}", text, advice));
  CHECK_THAT(refusal("model.activation", "relu, tanh"), EndsWith("set search.model.activation."));
  CHECK_THAT(refusal("model.hidden", "16, 64 32"), EndsWith("set search.model.hidden."));
  for (const char* text : {"fast, slow", "1e-3,", ",", "1e-3 1e-2", "sum(1, 2)"})
    CHECK_THAT(refusal("train.learning_rate", text), !ContainsSubstring("search"));
  CHECK_THAT(refusal("search.folds", "3, 5"), !ContainsSubstring("search.search"));
}

TEST_CASE("the help has the upper limit of an integer, unless it is large") {
  const auto values = [](const std::string& key) { return find_setting(key)->info.values; };
  CHECK(values("search.factor") == "integer from 2 to 1000");
  CHECK(values("model.kernel") == "odd integer from 1 to 99");
  CHECK(values("run.retries") == "integer from 0 to 1000");
  CHECK(values("train.epochs") == "integer >= 1, or auto");
  CHECK(values("run.lanes") == "integer >= 1, or auto");
}

TEST_CASE("messages shorten long values and replace unprintable characters") {
  const std::string message = refusal("train.epochs", std::string(5000000, 'x'));
  CHECK(message ==
        "train.epochs cannot be '" + std::string(60, 'x') + "...'. Allowed: integer from 1 to 1000000, or auto.");
  CHECK(refusal(std::string(5000000, 'k'), "1").size() < 200);
  CHECK(refusal("train.epochs", "1\r\n2\x1b[0m") ==
        "train.epochs cannot be '1??2?[0m'. Allowed: integer from 1 to 1000000, or auto.");
  const std::string accented =
      std::string(59, 'x') + "\xc3\xa9\xc3\xa9";  // the cut is inside the first accented character
  CHECK(refusal("train.epochs", accented).find("'" + std::string(59, 'x') + "...'") != std::string::npos);
}

TEST_CASE("every integer has a limit, except the seed") {
  for (const Setting& setting : settings_table()) {
    if (setting.kind != ValueKind::integer) continue;
    CAPTURE(setting.info.key, setting.allowed);
    for (const char* text : {"9223372036854775807", "9223372036854775806", "4611686018427387904", "1000000000001"})
      CHECK(static_cast<bool>(setting.setter(text)) == (setting.info.key == "study.seed"));
    CHECK(setting.allowed.find(" to ") != std::string::npos);
  }
}

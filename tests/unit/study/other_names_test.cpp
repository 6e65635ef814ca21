// SPDX-License-Identifier: MIT
#include "study/other_names.hpp"

#include <algorithm>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "study/settings.hpp"
#include "study/settings_table.hpp"
#include "support/catch.hpp"

using namespace sheaf;

namespace {

using Names = std::vector<std::string>;

bool is_key(std::string_view name) {
  return std::any_of(all_settings().begin(), all_settings().end(),
                     [&](const auto& setting) { return setting.key == name; });
}

std::string last_part(const std::string& key) {
  return key.substr(key.find('.') + 1);
}

bool is_last_part_of_a_key(std::string_view name) {
  return std::any_of(all_settings().begin(), all_settings().end(),
                     [&](const auto& setting) { return last_part(setting.key) == name; });
}

std::string hint(const std::string& word) {
  return unknown_name_hint(word, all_keys(), "");
}

std::string value_hint(const std::string& key, const std::string& word) {
  return unknown_value_hint(key, word, {});
}

}  // namespace

TEST_CASE("names in other tools are different from each other and from all keys") {
  std::set<std::string_view> words;
  const auto check = [&](std::string_view word) {
    CAPTURE(word);
    CHECK(words.insert(word).second);
    CHECK(word.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_.") == word.npos);
  };
  for (const Setting& setting : settings_table())
    for (const auto& name : setting.other_names) {
      check(name);
      CHECK_FALSE(is_last_part_of_a_key(name));
    }
  for (const OtherName& other : other_names()) check(other.word);
}

TEST_CASE("a name that Sheaf does not have is no key and no value") {
  for (const auto& [word, key, note] : other_names()) {
    CAPTURE(word);
    CHECK(note.size() > 5);
    if (!key.empty()) {
      CHECK(is_key(key));
      for (const auto& setting : all_settings())
        if (last_part(setting.key) == word) CHECK(note.find(setting.key) != note.npos);
      continue;
    }
    CHECK(note.back() == '.');
    const bool has_section = word.find('.') != word.npos;
    CHECK_FALSE((has_section ? is_key(word) : is_last_part_of_a_key(word)));
    for (const Setting& setting : settings_table())
      CHECK(std::find(setting.names.begin(), setting.names.end(), word) == setting.names.end());
  }
}

TEST_CASE("notes name keys that exist") {
  const std::regex key_like("(study|data|model|train|ensemble|search|run)[.][a-z0-9_]+");
  int named = 0;
  for (const OtherName& other : other_names()) {
    const std::string note(other.note);
    for (auto found = std::sregex_iterator(note.begin(), note.end(), key_like); found != std::sregex_iterator();
         ++found) {
      CAPTURE(other.word, found->str());
      CHECK(is_key(found->str()));
      ++named;
    }
  }
  CHECK(named > 5);
}

TEST_CASE("every other value has a value that its key accepts, and is not accepted itself") {
  for (const Setting& setting : settings_table())
    for (const auto& [name, value] : setting.other_values) {
      CAPTURE(setting.info.key, name, value);
      CHECK(setting.setter(value));
      CHECK_FALSE(setting.setter(name));
    }
}

TEST_CASE("a word of another tool leads to the key with its meaning") {
  for (const char* word :
       {"lr", "LR", "train.lr", "optimizer.lr", "learning-rate-init", "mlpclassifier__learning_rate_init"})
    CHECK(hint(word) == " Use train.learning_rate.");
  CHECK(hint("step_size") == " Use train.step_epochs.");
  CHECK(hint("gamma") ==
        " Use train.step_factor with train.schedule = step, or train.exponential_factor with exponential.");
  CHECK(hint("search.lr") == " Use search.train.learning_rate.");
  CHECK(hint("search.train.lr") == " Use search.train.learning_rate.");
  CHECK(hint("search.random_state") == " Use study.seed.");
  CHECK(hint("data.normalise") == " Use data.normalize.");
  CHECK(hint("model.layer_norm") == " Use model.norm=layer.");
  CHECK(hint("model.batch_norm") == " Use model.norm=batch.");
  CHECK(hint("n_jobs") == " Use run.lanes.");
  CHECK(
      hint("alpha") ==
      " Use train.weight_decay for an L2 penalty (alpha of scikit-learn, divided by the batch size), train.alpha with "
      "rmsprop, or model.alpha with boosted_trees.");
  CHECK(hint("label_smooth") == " Use train.label_smoothing.");
  CHECK(hint("max_grad_norm") == " Use train.clip_norm.");
  CHECK(hint("clipvalue") == " Use train.clip_value.");
  CHECK(hint("train.early_stopping") == " Use train.patience.");
  CHECK(hint("train.class_weight") == " Use train.class_weights.");
}

TEST_CASE("options of a command are named with their dashes, and only those that it has") {
  CHECK(unknown_name_hint("normalise", {"resize", "normalize"}, "--") == " Use --normalize.");
  CHECK(unknown_name_hint("lr", {"resize", "normalize"}, "--").empty());
  CHECK(unknown_name_hint("device", {"run.device"}, "--") == " Did you mean '--run.device'?");
}

TEST_CASE("a word with a section may mean something else than without") {
  CHECK(hint("num_workers") == " Use run.lanes.");
  CHECK_THAT(hint("data.num_workers"), StartsWith(" Sheaf reads data without worker processes."));
  CHECK(hint("weights") == " Did you mean 'data.weights'?");
  CHECK_THAT(hint("model.weights"), StartsWith(" Sheaf has no pretrained models."));
  CHECK_THAT(hint("Model.Weights"), StartsWith(" Sheaf has no pretrained models."));
  CHECK_THAT(hint("search.model.weights"), StartsWith(" Sheaf has no pretrained models."));
  CHECK(hint("eta") == " Did you mean 'model.eta'?");
  CHECK(hint("search.train.eta") == " Did you mean 'search.model.eta'?");
  CHECK(hint("search.eta") == " Use search.factor.");
}

TEST_CASE("a name with the right section and another last part is not similar") {
  CHECK(hint("train.emb").empty());
  CHECK(hint("data.pin_memories").empty());
  CHECK(hint("train.epohcs") == " Did you mean 'train.epochs'?");
}

TEST_CASE("the targets of CSV files and of other files have different options") {
  const Names import = {"label", "targets", "format"}, evaluate = {"data.targets", "label"};
  for (const char* word : {"target", "y", "labels", "target_s"})
    CHECK(unknown_name_hint(word, import, "--") == " Use --label for CSV files, or --targets for other files.");
  CHECK(unknown_name_hint("target", evaluate, "--") ==
        " Use --label for CSV files, or --data.targets for other files.");
  CHECK(hint("target") == " Use data.targets.");
}

TEST_CASE("the last part of a key leads to the keys that have it") {
  CHECK(hint("epochs") == " Did you mean 'train.epochs'?");
  CHECK(hint("batch-size") == " Did you mean 'train.batch_size'?");
  CHECK(hint("channels") == " Did you mean 'data.channels' or 'model.channels'?");
  CHECK(hint("model.channel") == " Did you mean 'model.channels'?");
  CHECK(hint("search.hidden") == " Did you mean 'search.model.hidden'?");
  CHECK(hint("zzz").empty());
}

TEST_CASE("a value of another tool leads to the value with its meaning") {
  CHECK(value_hint("train.loss", "Categorical_Crossentropy") == " Use cross_entropy.");
  CHECK(value_hint("train.schedule", "OneCycleLR") == " Use one_cycle.");
  CHECK(value_hint("run.engine", "resident") == " Use native.");
  CHECK(value_hint("train.loss", "resident").empty());
  CHECK(unknown_value_hint("train.optimizer", "adma", {"sgd", "adam"}) == " Did you mean 'adam'?");
}

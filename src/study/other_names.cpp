// SPDX-License-Identifier: MIT
#include "study/other_names.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "core/text.hpp"
#include "study/settings_table.hpp"

namespace sheaf {
namespace {

// Longer texts are not typing errors: they are not compared with known names, which would take time and memory.
constexpr std::size_t longest_typo = 100;

std::string first_part(const std::string& key) {
  return key.substr(0, key.find('.'));
}

// The part before the last one: "train" of "train.epochs" and of "search.train.epochs"; the word itself if it has none.
std::string section_part(const std::string& key) {
  const std::string sections = key.substr(0, key.rfind('.'));
  return sections.substr(sections.rfind('.') + 1);
}

// The last part of a key, also of "classifier__alpha" as in scikit-learn, in the spelling of the tables.
std::string last_part(const std::string& key) {
  std::string part = key.substr(key.rfind('.') + 1);
  if (const std::size_t step = part.rfind("__"); step != part.npos) part = part.substr(step + 2);
  part = lower_case(part);
  std::replace(part.begin(), part.end(), '-', '_');
  return part;
}

// Whether a key is a searched one, such as search.train.epochs.
bool is_searched_key(const std::string& name) {
  return std::count(name.begin(), name.end(), '.') > 1;
}

// The name in `known` that `key` has there: the searched key if `word` is in [search], the key, or an option with the
// name of its last part. Empty if there is none.
std::string known_name_of(const std::string& key, const std::string& word, const std::vector<std::string>& known) {
  std::vector<std::string> candidates = {key, key.substr(key.find('.') + 1)};
  if (first_part(word) == "search") candidates.insert(candidates.begin(), "search." + key);
  for (const auto& candidate : candidates)
    if (std::find(known.begin(), known.end(), candidate) != known.end()) return candidate;
  return "";
}

// Commands that read several kinds of files have one option for the targets of CSV files and one for those of others.
bool is_targets_option(const std::string& name, const std::vector<std::string>& known) {
  return last_part(name) == "targets" && std::find(known.begin(), known.end(), "label") != known.end();
}

std::string targets_options(const std::string& name, const std::string& dashes) {
  return fmt::format(" Use {0}label for CSV files, or {0}{1} for other files.", dashes, name);
}

// The entry for a word of another tool, from the rows of the keys or the table of other names.
std::optional<OtherName> other_name(const std::string& word) {
  for (const Setting& setting : settings_table())
    for (const auto& name : setting.other_names)
      if (name == word) return OtherName{name, setting.info.key, ""};
  for (const OtherName& other : other_names())
    if (other.word == word) return other;
  return std::nullopt;
}

// The sentence for a word of another tool; an entry with the section of the word comes first.
std::string other_name_hint(const std::string& word, const std::vector<std::string>& known, const std::string& dashes) {
  const std::string part = last_part(word);
  auto other = other_name(section_part(lower_case(word)) + "." + part);
  if (!other) other = other_name(part);
  if (!other) return "";
  if (other->key.empty()) return fmt::format(" {}", other->note);
  const std::string name = known_name_of(std::string(other->key), word, known);
  if (name.empty()) return "";
  if (is_targets_option(name, known)) return targets_options(name, dashes);
  return fmt::format(" Use {}{}{}.", dashes, name, other->note);
}

// The name in `known` that is most similar to `word`. The last parts must also be similar: in "train.ema" and
// "train.beta1" only the section is.
std::string similar_name(const std::string& word, const std::vector<std::string>& known) {
  const std::string nearest = nearest_name(word, known);
  return nearest.empty() || nearest_name(last_part(word), {last_part(nearest)}).empty() ? "" : nearest;
}

// The names in `known` with the same last part as `word`: only those of its section if there are any, and searched keys
// only if there are no others.
std::vector<std::string> namesakes_of(const std::string& word, const std::vector<std::string>& known) {
  std::vector<std::string> namesakes;
  for (const auto& name : known)
    if (last_part(name) == last_part(word)) namesakes.push_back(name);
  const auto keep = [&](const auto& is_preferred) {
    if (std::any_of(namesakes.begin(), namesakes.end(), is_preferred))
      namesakes.erase(std::stable_partition(namesakes.begin(), namesakes.end(), is_preferred), namesakes.end());
  };
  keep([&](const std::string& name) { return first_part(name) == first_part(word); });
  keep([](const std::string& name) { return !is_searched_key(name); });
  return namesakes;
}

}  // namespace

const std::vector<OtherName>& other_names() {
  static const std::vector<OtherName> names = {
      {"decay", "train.weight_decay", " for an L2 penalty, or train.schedule for the learning rate"},
      {"gamma", "train.step_factor", " with train.schedule = step, or train.exponential_factor with exponential"},
      {"gpus", "run.device", " = cuda, with one rank per GPU"},
      {"n_gpus", "run.device", " = cuda, with one rank per GPU"},
      {"num_gpus", "run.device", " = cuda, with one rank per GPU"},
      {"alpha", "train.weight_decay",
       " for an L2 penalty (alpha of scikit-learn, divided by the batch size), train.alpha with rmsprop, or "
       "model.alpha "
       "with boosted_trees"},
      {"n_estimators", "ensemble.members", ", or train.epochs with model.kind = boosted_trees"},
      {"model.learning_rate", "train.learning_rate", ", or model.eta with model.kind = boosted_trees"},
      {"model.reg_lambda", "model.lambda", " with model.kind = boosted_trees"},
      {"model.reg_alpha", "model.alpha", " with model.kind = boosted_trees"},
      {"model.gamma", "", "Sheaf has no least gain of a split. model.min_child_weight limits the size of leaves."},
      {"betas", "train.beta1", " and train.beta2"},
      {"param_distributions", "",
       "Write a list or a range for each key under [search], for example train.learning_rate = log_uniform(1e-4, "
       "1e-1)."},
      {"param_grid", "",
       "Write the candidates of each key under [search], for example train.learning_rate = 1e-3, 1e-2."},
      {"search_space", "",
       "Write the candidates of each key under [search], for example train.learning_rate = 1e-3, 1e-2."},
      {"l1_ratio", "", "Set the two penalties: train.l1 and train.weight_decay (L2)."},
      {"swa", "", "Sheaf has no stochastic weight averaging. train.average = ema averages the weights of all steps."},
      {"pretrained", "",
       "Sheaf has no pretrained models. model.kind = torchscript:FILE.pt with model.keep_weights = true starts from "
       "the "
       "weights of a file."},
      {"model.weights", "",
       "Sheaf has no pretrained models. model.kind = torchscript:FILE.pt with model.keep_weights = true starts from "
       "the "
       "weights of a file."},
      {"augment", "", "Sheaf has no augmentation of images yet."},
      {"augmentation", "", "Sheaf has no augmentation of images yet."},
      {"transform", "", "Sheaf has no augmentation of images yet. `sheaf preprocess` resizes and scales images."},
      {"transforms", "", "Sheaf has no augmentation of images yet. `sheaf preprocess` resizes and scales images."},
      {"pin_memory", "", "Sheaf has no such key; it copies data to GPUs without one."},
      {"data.num_workers", "",
       "Sheaf reads data without worker processes. run.lanes is the number of models that a rank trains at a time."},
      {"data.n_workers", "",
       "Sheaf reads data without worker processes. run.lanes is the number of models that a rank trains at a time."},
      {"data.workers", "",
       "Sheaf reads data without worker processes. run.lanes is the number of models that a rank trains at a time."},
      {"stratify", "", "Sheaf always stratifies the folds of a classification."},
      {"pruner", "", "Set search.method = halving, hyperband or median to stop bad trials early."},
      {"direction", "", "Sheaf has no such key. search.metric determines whether higher or lower is better."},
      {"warm_start", "", "Sheaf has no warm start yet. `sheaf resume` continues a run."},
      {"layer_norm", "model.norm", "=layer"},
      {"layernorm", "model.norm", "=layer"},
      {"layer_normalization", "model.norm", "=layer"},
      {"batch_norm", "model.norm", "=batch"},
      {"batch_normalization", "model.norm", "=batch"},
      {"min_samples_leaf", "model.min_child_weight", " with model.kind = boosted_trees"},
      {"min_data_in_leaf", "model.min_child_weight", " with model.kind = boosted_trees"},
      {"tree_method", "", "Sheaf always grows trees on histograms (hist). model.max_bin is the number of intervals."},
      {"grow_policy", "model.max_leaves", ", with which trees grow leaf by leaf (lossguide)"},
  };
  return names;
}

std::string unknown_name_hint(const std::string& word, const std::vector<std::string>& known,
                              const std::string& dashes) {
  if (word.size() > longest_typo) return "";
  if (std::string hint = other_name_hint(word, known, dashes); !hint.empty()) return hint;
  std::vector<std::string> meant = namesakes_of(word, known);
  if (meant.empty()) meant.push_back(similar_name(word, known));
  if (meant.front().empty()) return "";
  if (is_targets_option(meant.front(), known)) return targets_options(meant.front(), dashes);
  for (auto& name : meant) name = fmt::format("'{}{}'", dashes, name);
  return fmt::format(" Did you mean {}?", fmt::join(meant, " or "));
}

std::string unknown_value_hint(const std::string& key, const std::string& word, const std::vector<std::string>& names) {
  if (word.size() > longest_typo) return "";
  if (const Setting* const setting = find_setting(key)) {
    for (const auto& [name, value] : setting->other_values)
      if (name == lower_case(word)) return fmt::format(" Use {}.", value);
    if (setting->advice) return setting->advice(word);
  }
  return did_you_mean(word, names);
}

}  // namespace sheaf

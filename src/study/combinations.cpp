// SPDX-License-Identifier: MIT
#include "study/combinations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "core/error.hpp"
#include "core/text.hpp"
#include "study/brackets.hpp"
#include "study/effect.hpp"
#include "study/search_spaces.hpp"
#include "study/settings.hpp"
#include "study/study.hpp"
#include "study/value_types.hpp"

namespace sheaf {
namespace {

// Each makes a block, which takes about a microsecond and 100 bytes.
constexpr int max_deciding_choices = 100000;

}  // namespace

std::int64_t trial_count(const Study& study) {
  const SearchOptions& search = study.search;
  if (search.trials > 0) return search.trials;
  const std::int64_t known = first_trial_of_space(search, search.earlier.size());
  if (!search.draws_trials()) return std::min(known + Combinations(study).count(), max_iterations + 1);
  if (search.method_row().trials == TrialSource::scheduled) {
    if (study.train.epochs == 0) return 0;
    const auto rungs = rung_epochs(study.train.epochs, search.factor, search.min_epochs);
    const auto sizes = bracket_sizes(static_cast<std::int64_t>(rungs.size()), search.factor);
    return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
  }
  const double per_trial = static_cast<double>(study.study.iterations) * static_cast<double>(search.repeats) *
                           static_cast<double>(search.folds) * static_cast<double>(study.ensemble.members);
  const auto most = static_cast<std::int64_t>(static_cast<double>(max_iterations) / per_trial);
  return std::max<std::int64_t>(1, has_ranges(search) ? most : std::min(most, known + Combinations(study).count()));
}

double planned_iterations(const Study& study) {
  auto count = static_cast<double>(trial_count(study));
  for (const std::int64_t factor :
       {study.study.iterations, study.search.repeats, study.search.folds, study.ensemble.members})
    count *= static_cast<double>(factor);
  return count;
}

double expected_iterations(const Study& study, std::int64_t most) {
  const double planned = planned_iterations(study);
  const bool may_end_early = study.search.time > 0 || study.search.patience > 0;
  return may_end_early ? std::min(planned, static_cast<double>(most)) : planned;
}

std::vector<ModelKind> model_kinds(const Study& study) {
  for (const auto& searched : keys_of_all_spaces(study.search)) {
    if (searched.key != "model.kind") continue;
    std::vector<ModelKind> kinds;
    for (const auto& candidate : searched.candidates) kinds.push_back(model_source().read(candidate)->kind);
    return kinds;
  }
  return {study.model.kind};
}

std::set<ScalingKind> scaling_kinds(const Study& study) {
  // The values of a key in all trials.
  const auto values_of = [&study](const char* key, auto value) {
    std::set<decltype(value(study))> values;
    for (const auto& searched : keys_of_all_spaces(study.search)) {
      if (searched.key != key) continue;
      Study point;
      for (const auto& candidate : searched.candidates) {
        apply_setting(point, searched.key, candidate);
        values.insert(value(point));
      }
    }
    if (values.empty()) values.insert(value(study));
    return values;
  };
  const auto embeddings = values_of("model.embedding", [](const Study& point) { return point.model.embedding; });
  std::set<ScalingKind> kinds;
  Trial trial;
  for (const Normalize value :
       values_of("data.normalize", [](const Study& point) -> Normalize { return point.data.normalize; }))
    for (const ModelKind kind : model_kinds(study))
      for (const Embedding embedding : embeddings) {
        trial.normalize = value;
        trial.model.kind = kind;
        trial.model.embedding = embedding;
        kinds.insert(scaling_kind(trial));
      }
  return kinds;
}

Combinations::Combinations(const Study& study) {
  for (const auto& searched : study.search.keys) {
    assert(!searched.candidates.empty());
    Key key{searched.key, searched.candidates, {}, find_setting(searched.key)};
    key.setters.reserve(searched.candidates.size());
    for (const auto& candidate : searched.candidates) key.setters.push_back(value_setter(searched.key, candidate));
    keys_.push_back(std::move(key));
  }
  const bool is_grid = !study.search.draws_trials();
  if (is_grid) add_blocks(study);
  if (causes_.empty()) {
    blocks_.clear();
    const std::vector<bool> all(keys_.size(), true);
    add_block(std::vector<std::size_t>(keys_.size(), 0), all, all);
  }
  const std::vector<bool> all(keys_.size(), true);
  for (const Block& block : blocks_) kept_ += size_of(block, all);
  for (const EarlierSpace& space : study.search.earlier)
    if (is_grid) leave_out(space.keys);
  number_blocks();
}

// Leaves out the combinations that a grid of other candidates has.
void Combinations::leave_out(const std::vector<SearchedKey>& known) {
  std::vector<std::vector<bool>> is_known;
  for (const Key& key : keys_) {
    auto& of_key = is_known.emplace_back(key.candidates.size(), false);
    for (const SearchedKey& searched : known)
      for (std::size_t candidate = 0; searched.key == key.name && candidate < key.candidates.size(); ++candidate)
        of_key[candidate] = std::find(searched.candidates.begin(), searched.candidates.end(),
                                      key.candidates[candidate]) != searched.candidates.end();
  }
  std::vector<Block> left;
  for (const Block& block : blocks_)
    for (Block& part : without(block, is_known)) left.push_back(std::move(part));
  blocks_ = std::move(left);
}

// The combinations of a block with an unknown candidate, as disjoint blocks: one for each key that varies, in which it
// has its unknown candidates, the keys before it their known ones, and the keys after it all.
std::vector<Combinations::Block> Combinations::without(const Block& block,
                                                       const std::vector<std::vector<bool>>& is_known) const {
  for (std::size_t key = 0; key < keys_.size(); ++key)
    if (block.strides[key] == 0 && block.has_effect[key] && !is_known[key][block.choice[key]]) return {block};
  std::vector<Block> parts;
  Block rest = block;
  rest.varying.resize(keys_.size());
  for (std::size_t key = 0; key < keys_.size(); ++key) {
    if (block.strides[key] == 0) continue;
    std::vector<std::size_t> known, unknown;
    for (std::size_t index = 0; index < varying_count(block, key); ++index) {
      const std::size_t candidate = varying_candidate(block, key, index);
      (is_known[key][candidate] ? known : unknown).push_back(candidate);
    }
    if (!unknown.empty()) {
      parts.push_back(rest);
      parts.back().varying[key] = unknown;
    }
    if (known.empty()) return parts;
    rest.varying[key] = std::move(known);
  }
  return parts;
}

std::size_t Combinations::varying_count(const Block& block, std::size_t key) const {
  return block.varying.empty() || block.varying[key].empty() ? keys_[key].candidates.size() : block.varying[key].size();
}

std::size_t Combinations::varying_candidate(const Block& block, std::size_t key, std::size_t index) const {
  return block.varying.empty() || block.varying[key].empty() ? index : block.varying[key][index];
}

// Numbers the combinations of all blocks.
void Combinations::number_blocks() {
  count_ = 0;
  for (Block& block : blocks_) {
    block.begin = count_;
    std::int64_t size = 1;
    for (std::size_t key = keys_.size(); key-- > 0;) {
      if (block.strides[key] == 0) continue;
      block.strides[key] = size;
      const auto candidates = static_cast<std::int64_t>(varying_count(block, key));
      size = candidates > max_iterations / size ? max_iterations + 1 : size * candidates;
    }
    count_ = std::min(count_ + size, max_iterations + 1);
  }
}

// The searched keys that decide the effect of other searched keys.
std::vector<std::size_t> Combinations::deciding_keys() const {
  std::vector<std::size_t> deciding;
  double choices = 1;
  std::string names;
  for (std::size_t key = 0; key < keys_.size(); ++key) {
    const auto is_decided = [&](const Key& other) { return is_decided_by(*other.setting, keys_[key].name); };
    if (std::none_of(keys_.begin(), keys_.end(), is_decided)) continue;
    deciding.push_back(key);
    choices *= static_cast<double>(keys_[key].candidates.size());
    names += (names.empty() ? "" : ", ") + keys_[key].name;
  }
  if (choices > max_deciding_choices)
    throw UsageError(
        fmt::format("the searched keys that decide the effect of other searched keys have {:.4g} combinations (the "
                    "maximum is {}). Search fewer values of {}.",
                    choices, max_deciding_choices, names));
  return deciding;
}

// Adds a block for each choice of the deciding keys in which none of them has no effect and another candidate than its
// first.
void Combinations::add_blocks(const Study& study) {
  const std::vector<std::size_t> deciding = deciding_keys();
  std::vector<std::size_t> choice(keys_.size(), 0);
  Study point = study;
  do {
    std::vector<bool> varies(keys_.size(), true), has_effect(keys_.size(), true);
    for (const std::size_t key : deciding) {
      keys_[key].setters[choice[key]](point);
      varies[key] = false;
    }
    bool is_skipped = false;
    for (std::size_t key = 0; key < keys_.size(); ++key) {
      const Condition* const failed = failed_condition(*keys_[key].setting, point);
      if (failed == nullptr) continue;
      varies[key] = has_effect[key] = false;
      is_skipped = is_skipped || choice[key] > 0;
      if (keys_[key].candidates.size() > 1) add_cause(key, *failed, point);
    }
    if (!is_skipped) add_block(choice, varies, std::move(has_effect));
  } while (next_choice(choice, deciding));
}

void Combinations::add_block(std::vector<std::size_t> choice, const std::vector<bool>& varies,
                             std::vector<bool> has_effect) {
  Block block{0, std::move(choice), std::vector<std::int64_t>(keys_.size(), 0), std::move(has_effect)};
  for (std::size_t key = 0; key < keys_.size(); ++key) block.strides[key] = varies[key] ? 1 : 0;
  blocks_.push_back(std::move(block));
}

void Combinations::add_cause(std::size_t key, const Condition& condition, const Study& study) {
  const auto is_same = [&](const Cause& cause) { return cause.key == key && cause.condition == &condition; };
  auto cause = std::find_if(causes_.begin(), causes_.end(), is_same);
  if (cause == causes_.end()) cause = causes_.insert(causes_.end(), {key, &condition, {}});
  const std::string value = setting_text(study, condition.keys[0]);
  if (std::find(cause->values.begin(), cause->values.end(), value) == cause->values.end())
    cause->values.push_back(value);
}

// The number of combinations of a block's keys that vary and for which `counts` is true.
double Combinations::size_of(const Block& block, const std::vector<bool>& counts) const {
  double size = 1;
  for (std::size_t key = 0; key < keys_.size(); ++key)
    if (counts[key] && block.strides[key] > 0) size *= static_cast<double>(varying_count(block, key));
  return size;
}

std::size_t Combinations::candidate_index(std::int64_t number, std::size_t key) const {
  assert(number >= 0 && number < count_);
  const auto after = std::upper_bound(blocks_.begin(), blocks_.end(), number,
                                      [](std::int64_t wanted, const Block& block) { return wanted < block.begin; });
  const Block& block = *(after - 1);
  if (block.strides[key] == 0) return block.choice[key];
  const std::size_t count = varying_count(block, key);
  return varying_candidate(block, key, static_cast<std::size_t>((number - block.begin) / block.strides[key]) % count);
}

std::optional<std::int64_t> Combinations::number_of(const std::vector<std::string>& values) const {
  assert(blocks_.size() == 1 && blocks_.front().varying.empty());
  std::int64_t number = 0;
  for (std::size_t key = 0; key < keys_.size(); ++key) {
    const auto& candidates = keys_[key].candidates;
    const auto found = std::find(candidates.begin(), candidates.end(), values[key]);
    if (found == candidates.end()) return std::nullopt;
    number += blocks_.front().strides[key] * (found - candidates.begin());
  }
  return number;
}

void Combinations::apply(std::int64_t number, Study& study) const {
  for (std::size_t key = 0; key < keys_.size(); ++key) keys_[key].setters[candidate_index(number, key)](study);
}

void Combinations::apply(const std::vector<std::size_t>& choice, Study& study) const {
  for (std::size_t key = 0; key < keys_.size(); ++key) keys_[key].setters[choice[key]](study);
}

void Combinations::for_each_distinct(const KeyFilter& selects, const VisitChoice& visit) const {
  std::vector<bool> selected, others;
  for (const Key& key : keys_) {
    selected.push_back(selects(key.name));
    others.push_back(!selected.back());
  }
  // Blocks with the same choices of the selected keys, in the order of the first one.
  struct Group {
    const Block* first;
    double combinations;  // for each choice
  };
  std::vector<Group> groups;
  std::map<std::vector<std::int64_t>, std::size_t> group_of;
  for (const Block& block : blocks_) {
    std::vector<std::int64_t> choices;
    for (std::size_t key = 0; key < keys_.size(); ++key) {
      if (!selected[key]) continue;
      choices.push_back(block.strides[key] > 0 ? -1 : static_cast<std::int64_t>(block.choice[key]));
      if (block.strides[key] == 0 || block.varying.empty()) continue;
      choices.insert(choices.end(), block.varying[key].begin(), block.varying[key].end());
      choices.push_back(-1);
    }
    const auto [group, is_new] = group_of.emplace(std::move(choices), groups.size());
    if (is_new) groups.push_back({&block, 0});
    groups[group->second].combinations += size_of(block, others);
  }
  for (const auto& [block, combinations] : groups) {
    std::vector<std::size_t> varying;
    for (std::size_t key = 0; key < keys_.size(); ++key)
      if (selected[key] && block->strides[key] > 0) varying.push_back(key);
    std::vector<std::size_t> choice = block->choice;
    for (std::size_t key = 0; key < keys_.size(); ++key)
      if (block->strides[key] > 0) choice[key] = varying_candidate(*block, key, 0);
    do visit(choice, combinations);
    while (next_choice(*block, choice, varying));
  }
}

bool Combinations::next_choice(std::vector<std::size_t>& choice, const std::vector<std::size_t>& varying) const {
  for (auto key = varying.rbegin(); key != varying.rend(); ++key) {
    if (++choice[*key] < keys_[*key].candidates.size()) return true;
    choice[*key] = 0;
  }
  return false;
}

bool Combinations::next_choice(const Block& block, std::vector<std::size_t>& choice,
                               const std::vector<std::size_t>& keys) const {
  for (auto key = keys.rbegin(); key != keys.rend(); ++key) {
    std::size_t index = choice[*key];
    if (!block.varying.empty() && !block.varying[*key].empty()) {
      const auto& varying = block.varying[*key];
      index =
          static_cast<std::size_t>(std::lower_bound(varying.begin(), varying.end(), choice[*key]) - varying.begin());
    }
    const bool is_last = index + 1 == varying_count(block, *key);
    choice[*key] = varying_candidate(block, *key, is_last ? 0 : index + 1);
    if (!is_last) return true;
  }
  return false;
}

std::string Combinations::skipped_text() const {
  if (causes_.empty()) return "";
  double total = 1;
  for (const Key& key : keys_) total *= static_cast<double>(key.candidates.size());
  std::string text = fmt::format("{:.0f} of {:.0f} combinations", total - kept_, total);
  for (const auto& [key, condition, values] : causes_) {
    text += fmt::format("{} {} has no effect ", &values == &causes_.front().values ? ":" : ";", keys_[key].name);
    text += condition->reason.empty() ? fmt::format("with {} = {}", condition->keys[0], listed(values))
                                      : "if " + condition->reason;
  }
  return text;
}

}  // namespace sheaf

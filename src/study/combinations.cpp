// SPDX-License-Identifier: MIT
#include "study/combinations.hpp"

#include <algorithm>
#include <cassert>
#include <cstddef>

#include "study/value_types.hpp"

namespace sheaf {

double planned_iterations(const Study& study) {
  const bool is_random = study.search.draws_trials();
  double count = is_random ? static_cast<double>(study.search.trials) : 1;
  for (const auto& searched : study.search.keys)
    count *= is_random ? 1 : static_cast<double>(searched.candidates.size());
  for (const std::int64_t factor :
       {study.study.iterations, study.search.repeats, study.search.folds, study.ensemble.members})
    count *= static_cast<double>(factor);
  return count;
}

std::vector<ModelKind> model_kinds(const Study& study) {
  for (const auto& searched : study.search.keys) {
    if (searched.key != "model.kind") continue;
    std::vector<ModelKind> kinds;
    for (const auto& candidate : searched.candidates) kinds.push_back(model_source().read(candidate)->kind);
    return kinds;
  }
  return {study.model.kind};
}

bool has_plugin_models(const Study& study) {
  const auto kinds = model_kinds(study);
  return std::find(kinds.begin(), kinds.end(), ModelKind::plugin) != kinds.end();
}

Combinations::Combinations(const Study& study) {
  for (const auto& searched : study.search.keys) {
    assert(!searched.candidates.empty());
    Key key{searched.key, searched.candidates, {}, 1};
    key.setters.reserve(searched.candidates.size());
    for (const auto& candidate : searched.candidates) key.setters.push_back(value_setter(searched.key, candidate));
    keys_.push_back(std::move(key));
  }
  for (auto key = keys_.rbegin(); key != keys_.rend(); ++key) {
    key->stride = count_;
    const auto candidates = static_cast<std::int64_t>(key->candidates.size());
    count_ = candidates > max_iterations / count_ ? max_iterations + 1 : count_ * candidates;
  }
}

std::size_t Combinations::candidate_index(std::int64_t number, std::size_t key) const {
  assert(number >= 0 && number < count_);
  return static_cast<std::size_t>(number / keys_[key].stride) % keys_[key].candidates.size();
}

void Combinations::apply(std::int64_t number, Study& study) const {
  for (std::size_t key = 0; key < keys_.size(); ++key) keys_[key].setters[candidate_index(number, key)](study);
}

void Combinations::for_each_distinct(const KeyFilter& selects,
                                     const std::function<void(std::int64_t number)>& visit) const {
  std::vector<const Key*> selected;
  for (const Key& key : keys_)
    if (selects(key.name)) selected.push_back(&key);
  std::vector<std::size_t> chosen(selected.size(), 0);
  for (std::int64_t number = 0;;) {
    visit(number);
    std::size_t key = selected.size();
    for (; key > 0; --key) {
      number += selected[key - 1]->stride;
      if (++chosen[key - 1] < selected[key - 1]->candidates.size()) break;
      number -= static_cast<std::int64_t>(chosen[key - 1]) * selected[key - 1]->stride;
      chosen[key - 1] = 0;
    }
    if (key == 0) return;
  }
}

}  // namespace sheaf

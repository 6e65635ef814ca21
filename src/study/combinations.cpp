// SPDX-License-Identifier: MIT
#include "study/combinations.hpp"

#include <algorithm>
#include <cassert>
#include <cstddef>

#include "study/settings.hpp"

namespace sheaf {

// Sets only the keys that change: mostly one. Setting all of them, a large grid would take seconds.
void for_each_combination(const Study& study, std::int64_t most, const VisitCombination& visit) {
  const auto& keys = study.search.keys;
  assert(std::none_of(keys.begin(), keys.end(), [](const auto& searched) { return searched.candidates.empty(); }));
  Study point = study;
  std::vector<std::size_t> chosen(keys.size(), 0);
  std::vector<std::string> values(keys.size());
  const auto choose = [&](std::size_t key, std::size_t candidate) {
    chosen[key] = candidate;
    values[key] = keys[key].candidates[candidate];
    apply_setting(point, keys[key].key, values[key]);
  };
  for (std::size_t key = 0; key < keys.size(); ++key) choose(key, 0);
  for (std::int64_t number = 0; number < most; ++number) {
    visit(point, values);
    std::size_t key = keys.size();
    while (key > 0 && chosen[key - 1] + 1 == keys[key - 1].candidates.size()) choose(--key, 0);
    if (key == 0) return;
    choose(key - 1, chosen[key - 1] + 1);
  }
}

}  // namespace sheaf

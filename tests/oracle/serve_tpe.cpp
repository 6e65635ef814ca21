// Answers requests to TPE, one line each, from the standard input: for compare_tpe.py and bench/search_quality.py.
//   search SEED             begins a search without keys
//   key SAMPLING ENDS       adds a key: "uniform 0 1", "list a b"; all keys come before the first trial
//   trial COST FOLDS VALUES adds a finished trial; FOLDS: of a pruned trial, or "-"; a value "-": no effect
//   pending VALUES          adds a pending trial for the next requests
//   point VALUES            prints the logarithms of the densities of each group, below and above
//   draw                    prints the values of the next trial, and forgets the pending ones
// SPDX-License-Identifier: MIT
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "support/tpe_cases.hpp"

using namespace sheaf;

int main() {
  std::uint64_t seed = 0;
  std::int64_t draws = 0;  // since the search began
  std::vector<SearchedKey> keys;
  std::vector<TrialValues> pending;
  std::optional<Tpe> tpe;
  for (std::string text; std::getline(std::cin, text);) {
    std::istringstream line(text);
    std::string word;
    line >> word;
    if (word == "search") {
      line >> seed;
      keys.clear();
      pending.clear();
      tpe.reset();
      draws = 0;
    } else if (word == "key") {
      keys.push_back(test::read_key(line));
    } else if (word == "trial") {
      if (!tpe) tpe.emplace(keys, seed);
      const auto [values, result] = test::read_trial(line, keys.size());
      tpe->add(values, result);
    } else if (word == "pending") {
      pending.push_back(test::read_trial_values(line, keys.size()));
    } else if (word == "point" && tpe) {
      std::vector<std::string> values;
      for (const auto& value : test::read_trial_values(line, keys.size())) values.push_back(value.value());
      for (const double density : test::densities_at(values, tpe->models(pending), *tpe))
        std::printf("%.17g ", density);
      std::printf("\n");
    } else if (word == "draw" && tpe) {
      for (const std::string& value : tpe->draw(draws++, pending)) std::printf("%s ", value.c_str());
      std::printf("\n");
      pending.clear();
    }
    std::fflush(stdout);
  }
  return 0;
}

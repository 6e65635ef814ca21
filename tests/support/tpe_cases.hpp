// Reads the histories of trials that tests/oracle/tpe_cases.py writes.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <istream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "search/tpe.hpp"

namespace sheaf::test {

struct TpeCase {
  struct Point {
    std::vector<std::string> values;  // of all keys
    std::vector<double> densities;    // of each group, below and above: logarithms
  };

  std::string name;
  std::vector<SearchedKey> keys;
  std::vector<std::pair<TrialValues, TpeResult>> trials;
  std::vector<TrialValues> pending;
  std::vector<std::vector<std::size_t>> groups;
  std::vector<Point> points;
};

/// A searched key from words such as "uniform 0 1" or "list a b".
inline SearchedKey read_key(std::istream& line) {
  SearchedKey key;
  std::string word;
  line >> word;
  key.sampling = word == "uniform"       ? Sampling::uniform
                 : word == "log_uniform" ? Sampling::log_uniform
                 : word == "integer"     ? Sampling::integer
                 : word == "log_integer" ? Sampling::log_integer
                                         : Sampling::list;
  while (line >> word) key.candidates.push_back(word);
  return key;
}

/// `count` values of a trial; "-": the key has no effect.
inline TrialValues read_trial_values(std::istream& line, std::size_t count) {
  TrialValues values(count);
  std::string word;
  for (auto& value : values)
    if (line >> word && word != "-") value = word;
  return values;
}

/// The cost, the folds of a pruned trial or "-", then the values.
inline std::pair<TrialValues, TpeResult> read_trial(std::istream& line, std::size_t count) {
  std::string cost, folds;
  line >> cost >> folds;
  TpeResult result;
  result.cost = std::stod(cost);  // accepts inf
  if (folds != "-") result.pruned_after = std::stoll(folds);
  return {read_trial_values(line, count), result};
}

/// Reads the next case, without one at the end of the file: its name is then empty.
inline TpeCase read_tpe_case(std::istream& file) {
  TpeCase found;
  for (std::string text; std::getline(file, text) && text != "end";) {
    std::istringstream line(text);
    std::string word;
    line >> word;
    const std::size_t count = found.keys.size();
    if (word == "case") {
      std::getline(line >> std::ws, found.name);
    } else if (word == "key") {
      found.keys.push_back(read_key(line));
    } else if (word == "trial") {
      found.trials.push_back(read_trial(line, count));
    } else if (word == "pending") {
      found.pending.push_back(read_trial_values(line, count));
    } else if (word == "group") {
      auto& group = found.groups.emplace_back();
      for (std::size_t key = 0; line >> key;) group.push_back(key);
    } else if (word == "point") {
      auto& point = found.points.emplace_back();
      while (line >> word && word != "densities") point.values.push_back(word);
      for (double density = 0; line >> density;) point.densities.push_back(density);
    }
  }
  return found;
}

inline Tpe tpe_of(const TpeCase& read, std::uint64_t seed) {
  Tpe tpe(read.keys, seed);
  for (const auto& [values, result] : read.trials) tpe.add(values, result);
  return tpe;
}

/// The logarithms of the densities at a point, below and above, of each model.
inline std::vector<double> densities_at(const std::vector<std::string>& values, const std::vector<TpeModel>& models,
                                        const Tpe& tpe) {
  std::vector<double> densities;
  for (const TpeModel& model : models) {
    std::vector<double> point;
    point.reserve(model.keys.size());
    for (const std::size_t key : model.keys) point.push_back(tpe.position(key, values[key]));
    densities.push_back(model.below.log_density(point));
    densities.push_back(model.above.log_density(point));
  }
  return densities;
}

}  // namespace sheaf::test

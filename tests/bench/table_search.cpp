// Searches in a table of trained configurations, without training, for search_tables.py: one line per seed.
//   table_search TABLE METHOD TRIALS BATCH RACING SEEDS
// TRIALS: 0: as the method says; BATCH: 0: auto; RACING: none or forgiving. The numbers of a line: the configuration of
// the best trial, the epochs that all trials have trained, the trained iterations, and the pruned ones. TABLE is a
// text: "folds F epochs E"; for each key "KEY SAMPLING LEVELS"; "losses"; then for each configuration (the last key
// varies fastest) and fold the validation losses after each epoch, "nan" if training has diverged. Drawn values stand
// for the nearest level of a range.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/simulated_search.hpp"
#include "search/leaderboard.hpp"
#include "study/searched_text.hpp"
#include "support/regression_study.hpp"

using namespace sheaf;
using namespace sheaf::bench;

namespace {

class Table {
 public:
  explicit Table(const std::string& path) {
    std::ifstream file(path);
    std::string line, word;
    std::getline(file, line);
    std::istringstream(line) >> word >> folds_ >> word >> epochs_;
    while (std::getline(file, line) && line != "losses") {
      std::istringstream words(line);
      SearchedKey key;
      words >> key.key >> word;
      key.sampling = sampling_named(word).value_or(Sampling::list);
      while (words >> word) key.candidates.push_back(word);
      keys_.push_back(key);
    }
    while (file >> word) losses_.push_back(std::strtod(word.c_str(), nullptr));
    std::int64_t count = folds_ * epochs_;
    for (const SearchedKey& key : keys_) count *= static_cast<std::int64_t>(key.candidates.size());
    if (count == 0 || count != static_cast<std::int64_t>(losses_.size())) throw std::runtime_error("no table: " + path);
  }

  /// The searched keys. Without `draws`, all levels are candidates.
  std::vector<SearchedKey> keys(bool draws) const {
    std::vector<SearchedKey> keys = keys_;
    for (SearchedKey& key : keys) {
      if (draws && key.sampling != Sampling::list) key.candidates = {key.candidates.front(), key.candidates.back()};
      if (!draws) key.sampling = Sampling::list;
    }
    return keys;
  }
  std::int64_t folds() const { return folds_; }
  std::int64_t epochs() const { return epochs_; }

  std::int64_t configuration(const Plan& plan, std::int64_t trial) const {
    std::int64_t number = 0;
    for (std::size_t key = 0; key < keys_.size(); ++key)
      number =
          number * static_cast<std::int64_t>(keys_[key].candidates.size()) + level(keys_[key], plan.value(trial, key));
    return number;
  }
  KnownResult result(const Plan& plan, const Iteration& iteration) const {
    const std::int64_t end = plan.stage(iteration.stage).to_epoch.value_or(epochs_);
    const std::int64_t row = configuration(plan, iteration.trial) * folds_ + iteration.fold;
    const double loss = losses_[static_cast<std::size_t>(row * epochs_ + end - 1)];
    return {std::isfinite(loss) ? IterationStatus::finished : IterationStatus::diverged, loss, loss, loss};
  }

 private:
  static std::int64_t level(const SearchedKey& key, const std::string& value) {
    const bool is_log = key.sampling == Sampling::log_uniform || key.sampling == Sampling::log_integer;
    const auto place = [&](const std::string& text) { return is_log ? std::log(std::stod(text)) : std::stod(text); };
    const auto is_nearer = [&](const std::string& a, const std::string& b) {
      if (key.sampling == Sampling::list) return a == value && b != value;
      return std::abs(place(a) - place(value)) < std::abs(place(b) - place(value));
    };
    return std::min_element(key.candidates.begin(), key.candidates.end(), is_nearer) - key.candidates.begin();
  }

  std::int64_t folds_ = 0, epochs_ = 0;
  std::vector<SearchedKey> keys_;  // of ranges: all levels, ascending
  std::vector<double> losses_;
};

SearchMethod method_named(const std::string& name) {
  for (const SearchMethodRow& row : search_method_table)
    if (name == row.name) return row.kind;
  throw std::runtime_error("unknown method: " + name);
}

std::int64_t best_trial(const Study& study, const SimulatedSearch& search, const Table& table) {
  Leaderboard leaderboard(search.plan, ranking_of(study));
  std::vector<bool> is_trained(static_cast<std::size_t>(search.plan.iteration_count()));
  for (const TimedIteration& iteration : search.iterations)
    is_trained[static_cast<std::size_t>(iteration.number)] = true;
  for (std::int64_t number = 0; number < search.plan.iteration_count(); ++number) {
    IterationResult result;
    result.iteration = number;
    result.status = IterationStatus::pruned;
    if (is_trained[static_cast<std::size_t>(number)]) {
      const KnownResult known = table.result(search.plan, search.plan.iteration(number));
      result.status = known.status;
      result.final_loss = result.validation_loss = result.validation_score = known.validation_loss;
    }
    leaderboard.add(result, nullptr);
  }
  return leaderboard.ranked().front().trial;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 7) return 2;
  const Table table(argv[1]);
  Study study = test::regression_study();
  study.model.kind = ModelKind::mlp;  // with all keys of the table
  study.search.method = method_named(argv[2]);
  study.search.trials = std::atoll(argv[3]);
  study.search.batch = std::atoll(argv[4]);
  study.search.racing = std::string(argv[5]) == "forgiving" ? Racing::forgiving : Racing::none;
  study.search.folds = table.folds();
  study.search.keys = table.keys(study.search.draws_trials());
  study.train.epochs = table.epochs();
  const auto result_of = [&](const Plan& plan, const Iteration& iteration) { return table.result(plan, iteration); };
  for (std::int64_t seed = 1; seed <= std::atoll(argv[6]); ++seed) {
    study.study.seed = static_cast<std::uint64_t>(seed);
    const SimulatedSearch search = simulate_search(study, 1, result_of);
    std::int64_t epochs = 0;
    for (const TimedIteration& timed : search.iterations) {
      const Iteration iteration = search.plan.iteration(timed.number);
      epochs += search.plan.stage(iteration.stage).epochs_of(iteration.trial, table.epochs()).count();
    }
    std::printf("%lld %lld %zu %lld\n",
                static_cast<long long>(table.configuration(search.plan, best_trial(study, search, table))),
                static_cast<long long>(epochs), search.iterations.size(), static_cast<long long>(search.pruned));
  }
  return 0;
}

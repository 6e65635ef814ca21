// SPDX-License-Identifier: MIT
#include "search/greedy_ensemble.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <limits>
#include <numeric>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "core/random/random_stream.hpp"
#include "support/catch.hpp"

using namespace sheaf;

namespace {

constexpr float not_finite = std::numeric_limits<float>::quiet_NaN();

// Owns the arrays of a selection.
struct Library {
  Task task = Task::classification;
  std::int64_t rows = 0, outputs = 0;
  std::vector<std::int64_t> labels;
  std::vector<float> targets, weights;
  std::vector<std::vector<float>> candidates;

  HeldOutTargets held_out() const {
    const bool has_classes = task == Task::classification;
    return {task,
            rows,
            outputs,
            has_classes ? labels.data() : nullptr,
            has_classes ? nullptr : targets.data(),
            weights.empty() ? nullptr : weights.data()};
  }
  CandidatePredictions predictions() const {
    CandidatePredictions pointers;
    for (const auto& candidate : candidates) pointers.push_back(candidate.data());
    return pointers;
  }
};

std::optional<GreedySelection> select(const Library& library, std::int64_t threads = 1) {
  return select_greedily(library.held_out(), library.predictions(), {library.weights.begin(), library.weights.end()},
                         threads);
}

std::optional<GreedyEnsemble> ensemble(const Library& library, std::uint64_t seed = 3, std::int64_t threads = 1) {
  return greedy_ensemble(library.held_out(), library.predictions(), seed, threads);
}

// Candidates of different quality. Those of a classification have noisy probabilities of three classes.
Library drawn(Task task, std::int64_t rows, std::size_t candidates) {
  RandomStream stream(5, Purpose::drawn_value);
  const auto noise = [&] { return static_cast<float>(stream.normal()); };
  Library library{task, rows, task == Task::classification ? 3 : 2, {}, {}, {}, {}};
  for (std::int64_t row = 0; row < rows; ++row) {
    library.labels.push_back(static_cast<std::int64_t>(stream.below(3)));
    for (std::int64_t output = 0; output < library.outputs; ++output)
      library.targets.push_back(task == Task::regression ? noise() : static_cast<float>(stream.below(2)));
  }
  for (std::size_t number = 0; number < candidates; ++number) {
    const float quality = 1 + stream.uniform();
    auto& candidate = library.candidates.emplace_back();
    for (std::int64_t index = 0; index < rows * library.outputs; ++index) {
      const std::int64_t row = index / library.outputs, output = index % library.outputs;
      const float target = library.targets[static_cast<std::size_t>(index)];
      if (task == Task::regression)
        candidate.push_back(target + (2.2f - quality) * noise());
      else if (task == Task::multilabel)
        candidate.push_back(1 / (1 + std::exp(quality * (1 - 2 * target) + noise())));
      else
        candidate.push_back(
            std::exp((library.labels[static_cast<std::size_t>(row)] == output ? quality : 0) + noise()));
    }
    if (task != Task::classification) continue;
    for (auto of_row = candidate.begin(); of_row != candidate.end(); of_row += 3) {
      const float sum = std::accumulate(of_row, of_row + 3, 0.0f);
      std::transform(of_row, of_row + 3, of_row, [sum](float power) { return power / sum; });
    }
  }
  return library;
}

constexpr Task all_tasks[] = {Task::classification, Task::multilabel, Task::regression};

bool same(const GreedySelection& one, const GreedySelection& other) {
  return one.chosen == other.chosen && one.losses == other.losses && one.best_steps == other.best_steps;
}

// The same except for the order of sums.
bool agree(const GreedySelection& one, const GreedySelection& other) {
  return one.chosen == other.chosen && one.best_steps == other.best_steps &&
         std::equal(one.losses.begin(), one.losses.end(), other.losses.begin(), other.losses.end(),
                    [](double loss, double other_loss) { return std::abs(loss / other_loss - 1) < 1e-12; });
}

struct OracleCase {
  std::string name;
  Library models;
  GreedySelection selection;
};

// Targets and predictions are stored as multiples of 1/4096.
OracleCase read_case(std::istream& file) {
  OracleCase next;
  Library& library = next.models;
  for (std::string text; std::getline(file, text) && text != "end";) {
    std::istringstream line(text);
    std::string word;
    line >> word;
    if (word == "case") {
      std::getline(line >> std::ws, next.name);
      continue;
    }
    if (word == "task") {
      std::string task;
      line >> task >> library.rows >> library.outputs;
      library.task = task == "classification" ? Task::classification
                     : task == "multilabel"   ? Task::multilabel
                                              : Task::regression;
      continue;
    }
    if (word == "candidate") library.candidates.emplace_back();
    for (std::string value; line >> value;) {
      if (word == "targets" && library.task == Task::classification)
        library.labels.push_back(std::stoll(value));
      else if (word == "targets")
        library.targets.push_back(std::stof(value) / 4096);
      else if (word == "weights")
        library.weights.push_back(std::stof(value));
      else if (word == "candidate")
        library.candidates.back().push_back(std::stof(value) / 4096);
      else if (word == "chosen")
        next.selection.chosen.push_back(std::stoul(value));
      else if (word == "losses")
        next.selection.losses.push_back(std::stod(value));
      else if (word == "best")
        next.selection.best_steps = std::stoul(value);
    }
  }
  return next;
}

}  // namespace

TEST_CASE("greedy selections and their losses are those of scikit-learn's losses") {
  std::ifstream file(GREEDY_ENSEMBLE_CASES);
  REQUIRE(file.is_open());
  std::string comment;
  std::getline(file, comment);
  int cases = 0;
  for (OracleCase next = read_case(file); !next.name.empty(); next = read_case(file), ++cases) {
    CAPTURE(next.name);
    const auto selection = select(next.models);
    REQUIRE(selection);
    CHECK(selection->chosen == next.selection.chosen);
    CHECK(selection->best_steps == next.selection.best_steps);
    REQUIRE(selection->losses.size() == GreedySelection::steps);
    for (std::size_t step = 0; step < GreedySelection::steps; ++step) {
      const double expected = next.selection.losses[step];
      CAPTURE(step, expected, selection->losses[step]);
      CHECK(std::abs(selection->losses[step] - expected) < 1e-12 * std::max(1.0, expected));
    }
  }
  CHECK(cases == 40);
}

TEST_CASE("a selection is not worse than the best candidate on the rows that select it") {
  for (const Task task : all_tasks) {
    const Library library = drawn(task, 2500, 12);
    const auto found = ensemble(library);
    REQUIRE(found);
    REQUIRE(found->parts.size() == 1);
    const GreedySelection& part = found->parts.front();
    const auto best = std::min_element(found->single_losses.begin(), found->single_losses.end());
    CHECK(part.chosen.front() == static_cast<std::size_t>(best - found->single_losses.begin()));
    CHECK(part.losses.front() == *best);
    CHECK(found->loss < 0.99 * *best);
    CHECK(found->loss == Approx(part.losses[part.best_steps - 1]).epsilon(1e-12));
    CHECK(found->weights == part.weights(12));
    CHECK(std::accumulate(found->weights.begin(), found->weights.end(), 0.0) == Approx(1));
    CHECK(same(part, *select(library)));
  }
}

TEST_CASE("with few rows, an ensemble is the mean of the selections of 20 bootstraps") {
  for (const Task task : all_tasks) {
    for (const bool has_weights : {false, true}) {
      Library library = drawn(task, 150, 6);
      if (has_weights)
        for (std::int64_t row = 0; row < library.rows; ++row)
          library.weights.push_back(static_cast<float>(row % 4) / 2);
      const auto found = ensemble(library, 9);
      REQUIRE(found);
      REQUIRE(found->parts.size() == 20);
      std::vector<double> mean(6);
      for (std::uint64_t number = 0; number < 20; ++number) {
        std::vector<std::size_t> weighted_rows;
        for (std::size_t row = 0; row < 150; ++row)
          if (!has_weights || library.weights[row] > 0) weighted_rows.push_back(row);
        std::vector<double> weights(150);
        RandomStream stream(9, Purpose::ensemble_rows, number);
        for (std::size_t draw = 0; draw < weighted_rows.size(); ++draw) {
          const std::size_t row = weighted_rows[stream.below(weighted_rows.size())];
          weights[row] += has_weights ? double{library.weights[row]} : 1;
        }
        const auto part = select_greedily(library.held_out(), library.predictions(), weights, 1);
        REQUIRE(part);
        CHECK(agree(*part, found->parts[static_cast<std::size_t>(number)]));
        for (std::size_t candidate = 0; candidate < 6; ++candidate) mean[candidate] += part->weights(6)[candidate] / 20;
      }
      for (std::size_t candidate = 0; candidate < 6; ++candidate)
        CHECK(found->weights[candidate] == Approx(mean[candidate]).margin(1e-12));
      CHECK(std::accumulate(mean.begin(), mean.end(), 0.0) == Approx(1));
      CHECK(found->loss < *std::min_element(found->single_losses.begin(), found->single_losses.end()));
    }
  }
}

TEST_CASE("the loss of an ensemble is that of the weighted mean of the predictions") {
  Library library = drawn(Task::classification, 100, 5);
  const auto found = ensemble(library);
  REQUIRE(found);
  double loss = 0;
  for (std::size_t row = 0; row < 100; ++row) {
    double probability = 0;
    for (std::size_t candidate = 0; candidate < 5; ++candidate)
      probability += found->weights[candidate] *
                     double{library.candidates[candidate][row * 3 + static_cast<std::size_t>(library.labels[row])]};
    loss -= std::log(probability) / 100;
  }
  CHECK(found->loss == Approx(loss).epsilon(1e-12));
}

TEST_CASE("ensembles do not depend on the number of threads, but on the seed") {
  const Library library = drawn(Task::multilabel, 300, 10);
  const auto one = ensemble(library, 1, 1), several = ensemble(library, 1, 3), other = ensemble(library, 2, 1);
  REQUIRE((one && several && other));
  CHECK(one->weights == several->weights);
  CHECK(one->loss == several->loss);
  CHECK(one->single_losses == several->single_losses);
  for (std::size_t part = 0; part < 20; ++part) CHECK(same(one->parts[part], several->parts[part]));
  CHECK(one->weights != other->weights);
  CHECK(one->single_losses == other->single_losses);
}

TEST_CASE("weights of ensembles stay the same in all versions") {
  const auto small = ensemble(drawn(Task::regression, 50, 3)), large = ensemble(drawn(Task::regression, 2000, 3));
  REQUIRE((small && large));
  CHECK(small->parts.front().weights(3) == std::vector<double>{12 / 34.0, 7 / 34.0, 15 / 34.0});
  CHECK(small->weights[0] == Approx(0.36704246664885071).epsilon(1e-12));
  CHECK(large->weights == std::vector<double>{4 / 37.0, 7 / 37.0, 26 / 37.0});
}

TEST_CASE("the order of the rows does not matter to a selection") {
  for (const Task task : all_tasks) {
    const Library library = drawn(task, 400, 8);
    Library reversed = library;
    std::reverse(reversed.labels.begin(), reversed.labels.end());
    const auto reverse_rows = [](std::vector<float>& values) {  // of two or three outputs, which change places, too
      std::reverse(values.begin(), values.end());
    };
    reverse_rows(reversed.targets);
    for (auto& candidate : reversed.candidates) reverse_rows(candidate);
    for (std::int64_t& label : reversed.labels) label = 2 - label;
    const auto one = select(library), other = select(reversed);
    REQUIRE((one && other));
    CHECK(one->chosen == other->chosen);
    CHECK(one->best_steps == other->best_steps);
    for (std::size_t step = 0; step < GreedySelection::steps; ++step)
      CHECK(one->losses[step] == Approx(other->losses[step]).epsilon(1e-12));
  }
}

TEST_CASE("of equal candidates the first is chosen, and of equally good numbers of steps the smallest") {
  for (const Task task : all_tasks) {
    Library library = drawn(task, 100, 4);
    const std::vector<std::vector<float>> candidates = library.candidates;
    const auto alone = select(library);
    library.candidates.insert(library.candidates.end(), candidates.begin(), candidates.end());
    const auto doubled = select(library);
    REQUIRE((alone && doubled));
    CHECK(same(*alone, *doubled));
    library.candidates = {candidates[1], candidates[1], candidates[1]};
    const auto equal = select(library);
    REQUIRE(equal);
    CHECK(equal->chosen == std::vector<std::size_t>(GreedySelection::steps, 0));
    CHECK(equal->losses == std::vector<double>(GreedySelection::steps, equal->losses[0]));
    CHECK(equal->best_steps == 1);
  }
}

TEST_CASE("a useless constant candidate is not in an ensemble") {
  Library library = drawn(Task::regression, 2000, 4);
  library.candidates.emplace_back(library.targets.size(), 100.0f);
  const auto found = ensemble(library);
  REQUIRE(found);
  CHECK(found->weights[4] == 0);
  CHECK(found->single_losses[4] > 9000);
}

TEST_CASE("a candidate that is sure and wrong in all rows has a finite loss") {
  for (const Task task : {Task::classification, Task::multilabel}) {
    Library library = drawn(task, 2000, 2);
    library.candidates[0].assign(library.targets.size(), 0);
    library.targets.assign(library.targets.size(), 1);
    const auto found = ensemble(library);
    REQUIRE(found);
    CHECK(found->single_losses[0] == Approx(52 * std::log(2)).epsilon(1e-12));  // of a probability of 2^-52
    CHECK(found->weights[0] == 0);
  }
}

TEST_CASE("the only candidate has the weight 1") {
  for (const std::int64_t rows : {1, 30, 2000}) {
    const auto found = ensemble(drawn(Task::classification, rows, 1));
    REQUIRE(found);
    CHECK(found->weights.size() == 1);
    CHECK(found->weights[0] == Approx(1));
    CHECK(found->loss == Approx(found->single_losses[0]));
  }
}

TEST_CASE("candidates whose predictions are not all finite are not selected") {
  for (const Task task : all_tasks) {
    Library library = drawn(task, 60, 5);
    const auto all = ensemble(library);
    REQUIRE(all);
    library.candidates.insert(library.candidates.begin(), library.candidates[0]);
    library.candidates.front()[7] = not_finite;
    library.candidates.push_back(library.candidates.back());
    library.candidates.back().front() = std::numeric_limits<float>::infinity();
    const auto found = ensemble(library);
    REQUIRE(found);
    CHECK(found->weights.front() == 0);
    CHECK(found->weights.back() == 0);
    CHECK(std::isnan(found->single_losses.front()));
    CHECK(std::isnan(found->single_losses.back()));
    CHECK(std::vector<double>(found->weights.begin() + 1, found->weights.end() - 1) == all->weights);
    CHECK(found->loss == all->loss);
    for (auto& candidate : library.candidates) candidate[11] = not_finite;
    CHECK_FALSE(ensemble(library));
    CHECK_FALSE(select(library));
  }
}

TEST_CASE("there is no ensemble without candidates, rows or weights") {
  CHECK_FALSE(ensemble(drawn(Task::classification, 10, 0)));
  CHECK_FALSE(ensemble(drawn(Task::regression, 0, 3)));
  Library library = drawn(Task::multilabel, 10, 3);
  library.weights.assign(10, 0);
  CHECK_FALSE(ensemble(library));
  CHECK_FALSE(select(library));
}

TEST_CASE("rows without weight change nothing") {
  for (const Task task : all_tasks) {
    for (const std::int64_t rows : {200, 2000}) {
      Library library = drawn(task, rows, 5);
      library.weights.assign(static_cast<std::size_t>(rows), 1);
      const auto without = ensemble(library);
      REQUIRE(without);
      for (int row = 0; row < 100; ++row) {  // before the others
        library.labels.insert(library.labels.begin(), 1);
        library.weights.insert(library.weights.begin(), 0.0f);
        const auto width = static_cast<std::size_t>(library.outputs);
        library.targets.insert(library.targets.begin(), width, 1.0f);
        for (auto& candidate : library.candidates) candidate.insert(candidate.begin(), width, not_finite);
      }
      library.rows += 100;
      const auto with = ensemble(library);
      REQUIRE(with);
      CHECK(with->weights == without->weights);
      CHECK(with->loss == without->loss);
      CHECK(with->parts.size() == (rows == 200 ? 20 : 1));
      REQUIRE(with->parts.size() == without->parts.size());
      for (std::size_t part = 0; part < with->parts.size(); ++part)
        CHECK(same(with->parts[part], without->parts[part]));
    }
  }
}

TEST_CASE("the expected time of a selection follows from its losses and threads") {
  const auto seconds = [](Task task, std::int64_t rows, std::int64_t outputs, std::int64_t threads) {
    return expected_selection_seconds(task, rows, outputs, 50, threads);
  };
  // Measured: 0.56 s for 10 classes, 2.8 s for 10 labels, 1.2 s for 10 values (tests/bench/README.md).
  CHECK(seconds(Task::classification, 100'000, 10, 1) == Approx(0.6));
  CHECK(seconds(Task::multilabel, 100'000, 10, 1) == Approx(2.8));
  CHECK(seconds(Task::regression, 100'000, 10, 1) == Approx(1.4));
  CHECK(seconds(Task::classification, 100'000, 10, 4) == Approx(0.15));
  CHECK(seconds(Task::classification, 100'000, 10, 1000) == Approx(0.6 / 50));
  CHECK(seconds(Task::classification, 1000, 10, 1) == Approx(20 * 0.006));  // bootstraps
  CHECK(expected_selection_seconds(Task::classification, 1000, 10, 0, 4) == 0);
}

// SPDX-License-Identifier: MIT
#include "search/key_importance.hpp"

#include <cmath>
#include <fstream>
#include <limits>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/tpe_cases.hpp"

using namespace sheaf;
using namespace sheaf::test;

namespace {

// A history of trials that tests/oracle/importance_cases.py has written, and Optuna's importances.
struct ImportanceCase {
  std::string name;
  std::vector<SearchedKey> keys;
  std::vector<TrialValues> trials;
  std::vector<double> costs, importances;

  std::vector<KeyCells> cells() const {
    std::vector<KeyCells> cells;
    for (std::size_t key = 0; key < keys.size(); ++key) {
      TrialValues values;
      for (const TrialValues& trial : trials) values.push_back(trial[key]);
      cells.push_back(cells_of(keys[key], values));
    }
    return cells;
  }
};

ImportanceCase read_case(std::istream& file) {
  ImportanceCase found;
  for (std::string text; std::getline(file, text) && text != "end";) {
    std::istringstream line(text);
    std::string word;
    line >> word;
    if (word == "case") {
      std::getline(line >> std::ws, found.name);
    } else if (word == "key") {
      found.keys.push_back(read_key(line));
    } else if (word == "trial") {
      line >> word;
      found.costs.push_back(std::stod(word));  // accepts inf
      found.trials.push_back(read_trial_values(line, found.keys.size()));
    } else {
      for (double importance = 0; line >> importance;) found.importances.push_back(importance);
    }
  }
  return found;
}

// A grid of two lists, of 2 and 3 candidates.
std::vector<KeyCells> grid() {
  return {{true, 2, {0, 0, 0, 1, 1, 1}}, {true, 3, {0, 1, 2, 0, 1, 2}}};
}

}  // namespace

TEST_CASE("importances of keys are those of Optuna") {
  std::ifstream file(IMPORTANCE_CASES);
  REQUIRE(file.is_open());
  std::string comment;
  std::getline(file, comment);
  int cases = 0;
  for (ImportanceCase next = read_case(file); !next.name.empty(); next = read_case(file), ++cases) {
    CAPTURE(next.name);
    const std::vector<double> importances = key_importances(next.cells(), next.costs);
    REQUIRE(importances.size() == next.importances.size());
    for (std::size_t key = 0; key < importances.size(); ++key) {
      CAPTURE(key, importances[key], next.importances[key]);
      CHECK(std::abs(importances[key] - next.importances[key]) < 1e-6);
    }
  }
  CHECK(cases == 19);
}

TEST_CASE("the variance of an additive grid is divided among its keys") {
  // Effects of -1 and 1, and of -3, 0 and 3: variances of 1 and 6.
  const auto shares = variance_shares(grid(), {-4, -1, 2, -2, 1, 4});
  CHECK(shares[0] == Approx(1.0 / 7));
  CHECK(shares[1] == Approx(6.0 / 7));
}

TEST_CASE("interactions belong to no key") {
  const auto shares = variance_shares({{true, 2, {0, 0, 1, 1}}, {true, 2, {0, 1, 0, 1}}}, {1, -1, -1, 1});
  CHECK(shares == std::vector<double>{0, 0});
}

TEST_CASE("variance shares: scores that are not finite do not count, and equal scores have no shares") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(variance_shares(grid(), {2, 2, nan, 2, 2, 2}) == std::vector<double>{0, 0});
  CHECK(variance_shares({{true, 2, {0, 1, 1}}}, {1, 3, nan})[0] == Approx(1));
  CHECK(variance_shares(grid(), std::vector<double>(6, nan)) == std::vector<double>{0, 0});
}

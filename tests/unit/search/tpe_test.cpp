// SPDX-License-Identifier: MIT
#include "search/tpe.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "core/random/random_stream.hpp"
#include "support/catch.hpp"
#include "support/tpe_cases.hpp"

using namespace sheaf;
using namespace sheaf::test;

TEST_CASE("groups and densities of models are those of Optuna") {
  std::ifstream file(TPE_CASES);
  REQUIRE(file.is_open());
  std::string comment;
  std::getline(file, comment);
  int cases = 0;
  for (TpeCase next = read_tpe_case(file); !next.name.empty(); next = read_tpe_case(file), ++cases) {
    CAPTURE(next.name);
    const Tpe tpe = tpe_of(next, 0);
    const std::vector<TpeModel> models = tpe.models(next.pending);
    REQUIRE(models.size() == next.groups.size());
    for (std::size_t group = 0; group < models.size(); ++group) CHECK(models[group].keys == next.groups[group]);
    for (const TpeCase::Point& point : next.points) {
      const std::vector<double> densities = densities_at(point.values, models, tpe);
      REQUIRE(densities.size() == point.densities.size());
      for (std::size_t index = 0; index < densities.size(); ++index) {
        CAPTURE(point.values, index, densities[index], point.densities[index]);
        CHECK(std::abs(densities[index] - point.densities[index]) <
              1e-9 * std::max(1.0, std::abs(point.densities[index])));
      }
    }
  }
  CHECK(cases == 37);
}

namespace {

const std::vector<SearchedKey> mixed = {{"train.learning_rate", {"0.0001", "0.1"}, Sampling::log_uniform},
                                        {"train.optimizer", {"sgd", "adam", "lion"}},
                                        {"model.hidden", {"16", "256"}, Sampling::log_integer},
                                        {"model.dropout", {"0", "0.5"}, Sampling::uniform},
                                        {"model.layers", {"1", "5"}, Sampling::integer}};

TrialValues values_of(const std::vector<std::string>& values) {
  return {values.begin(), values.end()};
}

// Lowest near a learning rate of 0.001 and a dropout of 0.1, with adam.
double cost_of(const Tpe& tpe, const TrialValues& values) {
  return std::abs(tpe.position(0, *values[0]) - 1.0 / 3) + std::abs(tpe.position(3, *values[3]) - 0.2) +
         (values[1] == "adam" ? 0 : 1);
}

// The values of the trial that follows the finished and the pending ones.
std::vector<std::string> next_draw(const Tpe& tpe, const std::vector<TrialValues>& pending) {
  return tpe.draw(tpe.finished_count() + static_cast<std::int64_t>(pending.size()), pending);
}

// A search of mixed keys whose trials so far are random.
Tpe search(std::int64_t trials, std::uint64_t seed = 5) {
  Tpe tpe(mixed, seed);
  RandomStream stream(7, Purpose::drawn_value);
  for (std::int64_t trial = 0; trial < trials; ++trial) {
    TrialValues values;
    for (std::size_t key = 0; key < mixed.size(); ++key)
      values.emplace_back(tpe.value(
          key, mixed[key].sampling == Sampling::list ? static_cast<double>(stream.below(3)) : stream.uniform_double()));
    tpe.add(values, {cost_of(tpe, values), {}});
  }
  return tpe;
}

}  // namespace

TEST_CASE("a draw depends only on the seed, the finished trials and the pending ones") {
  const std::vector<TrialValues> pending = {{"0.01", "adam", "32", "0.1", "2"}};
  const Tpe tpe = search(30);
  const auto first = next_draw(tpe, pending);
  CHECK(next_draw(tpe, {}) != first);
  CHECK(next_draw(tpe, pending) == first);
  CHECK(next_draw(search(30), pending) == first);
  CHECK(next_draw(search(30, 6), pending) != first);
  Tpe longer = search(31);
  CHECK(next_draw(longer, pending) != first);
}

TEST_CASE("draws stay the same in all versions") {
  CHECK(next_draw(search(10), {}) == std::vector<std::string>{"0.0485691", "adam", "40", "0.321096", "1"});
  CHECK(next_draw(search(60), {{"0.01", "adam", "32", "0.1", "2"}}) ==
        std::vector<std::string>{"0.00312443", "adam", "21", "0.236294", "1"});
}

TEST_CASE("trials are drawn near the best ones") {
  Tpe tpe = search(20);
  double cost = 0;  // 1.2 on average in a random search
  constexpr int trials = 60;
  for (int trial = 0; trial < trials; ++trial) {
    const TrialValues values = values_of(next_draw(tpe, {}));
    cost += cost_of(tpe, values) / trials;
    tpe.add(values, {cost_of(tpe, values), {}});
  }
  CHECK(cost < 0.4);
}

TEST_CASE("pending trials count as bad, and not among the finished ones") {
  const Tpe tpe = search(40);
  const std::vector<std::string> drawn = next_draw(tpe, {});
  const auto ratio = [&](const std::vector<TrialValues>& pending) {
    const auto densities = densities_at(drawn, tpe.models(pending), tpe);
    return std::pair(densities[0], densities[0] - densities[1]);
  };
  const auto [alone_below, alone] = ratio({});
  const auto [below, repelled] = ratio(std::vector<TrialValues>(20, values_of(drawn)));
  CHECK(below == alone_below);
  CHECK(repelled < alone - 2);
}

TEST_CASE("drawn values are in their ranges, with at most six significant digits") {
  Tpe tpe = search(10);
  for (int trial = 0; trial < 200; ++trial) {
    const auto values = next_draw(tpe, {});
    for (const std::size_t key : {0, 3}) {
      const double value = std::stod(values[key]);
      CHECK(value >= std::stod(mixed[key].candidates[0]));
      CHECK(value <= std::stod(mixed[key].candidates[1]));
      const auto digits = values[key].find_first_of("123456789");
      CHECK((digits == std::string::npos || values[key].substr(digits).size() <= 7));
    }
    for (const std::size_t key : {2, 4}) {
      CHECK(std::to_string(std::stoll(values[key])) == values[key]);
      CHECK(std::stoll(values[key]) >= std::stoll(mixed[key].candidates[0]));
      CHECK(std::stoll(values[key]) <= std::stoll(mixed[key].candidates[1]));
    }
    tpe.add(values_of(values), {static_cast<double>(trial % 7), {}});
  }
}

TEST_CASE("costs that are not finite are equally bad, and worse than all others") {
  const double infinity = std::numeric_limits<double>::infinity();
  std::vector<std::vector<std::string>> drawn;
  for (const double worst : {infinity, -infinity, std::numeric_limits<double>::quiet_NaN(), 1e9}) {
    Tpe tpe = search(20);
    for (int trial = 0; trial < 15; ++trial) tpe.add({"0.05", "lion", "20", "0.4", "5"}, {worst, {}});
    drawn.push_back(next_draw(tpe, {}));
  }
  CHECK(drawn == std::vector(4, drawn[3]));
}

TEST_CASE("keys without effect get values, too, and their trials do not count for other keys") {
  Tpe tpe(mixed, 1);
  for (int trial = 0; trial < 20; ++trial)
    tpe.add({"0.001",
             trial % 2 == 0 ? "sgd" : "adam",
             {},
             trial % 2 == 0 ? std::optional<std::string>("0.3") : std::nullopt,
             "2"},
            {static_cast<double>(trial), {}});
  const auto models = tpe.models({{"0.001", "sgd", "16", {}, "2"}});
  REQUIRE(models.size() == 3);
  CHECK(models[0].keys == std::vector<std::size_t>{0, 1, 4});
  CHECK(models[1].keys == std::vector<std::size_t>{2});
  CHECK(models[2].keys == std::vector<std::size_t>{3});
  for (const std::string& value : next_draw(tpe, {})) CHECK_FALSE(value.empty());
}

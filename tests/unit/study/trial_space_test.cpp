// SPDX-License-Identifier: MIT
#include "study/trial_space.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "study/parse_study.hpp"
#include "study/settings.hpp"
#include "study/study.hpp"
#include "support/catch.hpp"

using namespace sheaf;

namespace {

Study random_study(const std::string& search, std::int64_t trials) {
  return parse_study_text(
      "[data]\nfile = x.h5\nvalidation = 0.2\n[search]\n" + search + "\ntrials = " + std::to_string(trials) + "\n",
      "test", {});
}

std::vector<double> numbers_of(const TrialSpace& space, std::size_t key) {
  std::vector<double> numbers;
  for (std::int64_t trial = 0; trial < space.count(); ++trial) numbers.push_back(std::stod(space.value(trial, key)));
  return numbers;
}

// The largest distance between the distribution of `values` and the uniform one on [0, 1].
double distance_from_uniform(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  double largest = 0;
  for (std::size_t index = 0; index < values.size(); ++index)
    largest = std::max(
        largest, std::abs(values[index] - (static_cast<double>(index) + 0.5) / static_cast<double>(values.size())));
  return largest;
}

constexpr double kolmogorov_limit =
    1.95;  // exceeded with a probability of 0.001, times the root of the number of values

}  // namespace

TEST_CASE("the values of a random search are distributed as their ranges say") {
  constexpr std::int64_t trials = 20000;
  const TrialSpace space(
      random_study("train.learning_rate = log_uniform(1e-4, 1e-1)\nmodel.dropout = uniform(0, 0.5)\n"
                   "model.hidden = log_integer(16, 256)\ntrain.batch_size = integer(8, 11)\n"
                   "train.optimizer = adam, sgd\n",
                   trials));
  CHECK(space.count() == trials);
  auto rates = numbers_of(space, 0), dropout = numbers_of(space, 1);
  for (double& rate : rates) rate = std::log(rate / 1e-4) / std::log(1e3);
  for (double& value : dropout) value *= 2;
  const double limit = kolmogorov_limit / std::sqrt(static_cast<double>(trials));
  CHECK(distance_from_uniform(rates) < limit);
  CHECK(distance_from_uniform(dropout) < limit);
  std::map<std::string, std::int64_t> widths, sizes, optimizers;
  for (std::int64_t trial = 0; trial < trials; ++trial) {
    ++widths[space.value(trial, 2)];
    ++sizes[space.value(trial, 3)];
    ++optimizers[space.value(trial, 4)];
  }
  const auto is_near = [&](std::int64_t count, double probability) {
    const double mean = static_cast<double>(trials) * probability;
    return std::abs(static_cast<double>(count) - mean) < 5 * std::sqrt(mean * (1 - probability));
  };
  const double scale = std::log(256.5 / 15.5);
  for (const int width : {16, 17, 100, 255, 256})
    CHECK(is_near(widths[std::to_string(width)], std::log((width + 0.5) / (width - 0.5)) / scale));
  CHECK(sizes.size() == 4);
  for (const auto& [size, count] : sizes) CHECK(is_near(count, 0.25));
  for (const auto& [optimizer, count] : optimizers) CHECK(is_near(count, 0.5));
}

TEST_CASE("drawn values do not depend on the number of trials or on other keys, and are applied as they are printed") {
  const Study few = random_study("train.learning_rate = log_uniform(1e-4, 1e-1)", 100);
  const Study many =
      random_study("model.dropout = uniform(0, 0.5)\ntrain.learning_rate = log_uniform(1e-4, 1e-1)", 5000);
  const TrialSpace a(few), b(many);
  std::set<std::string> distinct;
  for (std::int64_t trial = 0; trial < 100; ++trial) {
    const std::string rate = a.value(trial, 0);
    CHECK(b.value(trial, 1) == rate);
    distinct.insert(rate);
    Study point = many;
    CHECK(b.apply(trial, point) == std::vector<std::string>{b.value(trial, 0), rate});
    CHECK(setting_text(point, "train.learning_rate") == rate);
    CHECK(setting_text(point, "model.dropout") == b.value(trial, 0));
  }
  CHECK(distinct.size() == 100);
  Study other = few;
  other.study.seed = 1;
  CHECK(TrialSpace(other).value(0, 0) != a.value(0, 0));
}

TEST_CASE("drawn values stay within ranges whose ends have many digits") {
  const TrialSpace space(random_study("train.learning_rate = uniform(0.12345678, 0.12345679)", 50));
  for (std::int64_t trial = 0; trial < 50; ++trial) {
    const double rate = std::stod(space.value(trial, 0));
    CHECK((rate == 0.12345678 || rate == 0.12345679));
  }
}

TEST_CASE("a random search of lists visits distinct combinations, in random order") {
  const std::string lists = "train.learning_rate = 1e-3, 1e-2, 1e-1\nmodel.hidden = 8, 16, 32, 64\ntrain.epochs = 1, 2";
  const TrialSpace all(random_study(lists, 24));
  std::set<std::vector<std::string>> distinct;
  std::vector<std::vector<std::string>> order;
  for (std::int64_t trial = 0; trial < 24; ++trial) {
    order.push_back({all.value(trial, 0), all.value(trial, 1), all.value(trial, 2)});
    distinct.insert(order.back());
  }
  CHECK(distinct.size() == 24);
  CHECK_FALSE(std::is_sorted(order.begin(), order.end()));
  const TrialSpace some(random_study(lists, 5));
  for (std::int64_t trial = 0; trial < 5; ++trial)
    CHECK(some.value(trial, 1) == order[static_cast<std::size_t>(trial)][1]);
  CHECK_THROWS_WITH(
      random_study(lists, 25),
      ContainsSubstring("search.trials = 25 is more than the 24 combinations of the lists in [search]. Set "
                        "search.trials = 24 to train"));
}

TEST_CASE("a key without effect in a trial of a random search has its first candidate, and other draws are the same") {
  const std::string others = "train.learning_rate = log_uniform(1e-4, 1e-1)\ntrain.optimizer = sgd, adam, adamw\n";
  for (const std::string momentum : {"train.momentum = uniform(0.5, 0.9)", "train.momentum = 0.5, 0.7, 0.9"}) {
    const Study study = random_study(others + momentum, 100);
    const TrialSpace space(study), without(random_study(others, 100));
    int drawn = 0, kept = 0;
    for (std::int64_t trial = 0; trial < 100; ++trial) {
      CHECK(space.value(trial, 0) == without.value(trial, 0));
      CHECK(space.value(trial, 1) == without.value(trial, 1));
      const bool has_effect = space.value(trial, 1) == "sgd";
      const std::string value = space.value(trial, 2);
      if (!has_effect) CHECK(value == "0.5");
      ++(value == "0.5" ? kept : drawn);
      Study point = study;
      CHECK(space.apply(trial, point)[2] == value);
      CHECK(setting_text(point, "train.momentum") == value);
    }
    CHECK(drawn > 10);
    CHECK(kept > 50);
  }
}

TEST_CASE("invalid ranges are refused with the reason") {
  const auto refused = [](const std::string& text, const std::string& why) {
    CAPTURE(text);
    CHECK_THROWS_WITH(random_study(text, 10), ContainsSubstring(why));
  };
  refused("train.learning_rate = uniform(0.1, 0.01)", "its first number must be smaller than its second");
  refused("train.learning_rate = log_uniform(0, 0.01)", "a logarithmic scale needs numbers above 0");
  refused("train.learning_rate = loguniform(1e-3, 1e-1)", "'loguniform' is not a kind of range");
  refused("train.learning_rate = uniform(1e-3)", "it needs two numbers");
  refused("train.learning_rate = uniform(low, high)", "its ends must be numbers");
  refused("train.learning_rate = uniform(-1, 1)", "(train.learning_rate cannot be -1; allowed: ");
  refused("train.batch_size = uniform(8, 64)", "the key takes integers; use integer or log_integer");
  refused("train.batch_size = integer(8, 64.5)", "its ends must be integers");
  refused("train.batch_size = log_integer(0, 8)", "begins at 1 or above");
  for (const std::string kind : {"uniform", "integer"}) {
    refused("train.shuffle = " + kind + "(0, 1)", "(it does not take numbers). Write a list of its values (true | ");
    refused("train.optimizer = " + kind + "(0, 1)", "(it does not take numbers). Write a list of its values (");
  }
  refused("model.hidden = uniform(8, 64)", "the key takes integers; use integer or log_integer");
}

TEST_CASE("a range that ends at a limit of its key is refused with one inside") {
  const auto refused = [](const std::string& text, const std::string& why) {
    CAPTURE(text);
    CHECK_THROWS_WITH(random_study(text, 10), ContainsSubstring(why));
  };
  refused("model.dropout = uniform(0, 1)",
          "(its end 1 is not allowed: number >= 0 and < 1). Write e.g. uniform(0, 0.99).");
  refused("train.learning_rate = uniform(0, 0.1)", "Write e.g. uniform(0.001, 0.1).");
  refused("train.batch_size = integer(0, 64)", "Write e.g. integer(1, 64).");
  CHECK_NOTHROW(random_study("model.dropout = uniform(0, 0.99)", 10));
}

TEST_CASE("ranges that are not closed, or stand in a list, are named with their right form") {
  const auto refused = [](const std::string& text, const std::string& why) {
    CAPTURE(text);
    CHECK_THROWS_WITH(random_study(text, 10), ContainsSubstring(why));
  };
  refused("model.dropout = uniform(0, 0.5", "has no closing parenthesis. Write e.g. uniform(0, 0.5).");
  for (const char* text : {"0.1, uniform(0.2, 0.3)", "uniform(0.2, 0.3), 0.1", "0.1, Uniform (0.2, 0.3)",
                           "uniform(0.2, 0.3), uniform(0.4, 0.5)"}) {
    refused(std::string("model.dropout = ") + text, "mixes a range and other values");
    refused(std::string("model.dropout = ") + text, "(0.2, 0.3), or list the values.");
  }
  const Study study = random_study("model.dropout = Uniform(0, 0.5)", 10);
  CHECK(study_file_text(study).find("model.dropout = uniform(0, 0.5)\n") != std::string::npos);
}

TEST_CASE("trials of search.start come first, and do not change the others") {
  Study study = parse_study_text(
      "[data]\nfile = x.h5\n[search]\ntrials = 6\ntrain.learning_rate = log_uniform(1e-4, 1)\n"
      "train.optimizer = sgd, adam\ntrain.momentum = uniform(0, 0.9)\n",
      "test", {});
  const TrialSpace drawn(study);
  study.search.start = {{{"train.learning_rate", "1e-2"}, {"train.optimizer", "SGD"}, {"train.momentum", "0.5"}},
                        {{"train.optimizer", "adam"}}};
  const TrialSpace space(study);
  const auto values = [](const TrialSpace& of, std::int64_t trial) {
    return std::vector<std::string>{of.value(trial, 0), of.value(trial, 1), of.value(trial, 2)};
  };
  CHECK(values(space, 0) == std::vector<std::string>{"0.01", "sgd", "0.5"});
  CHECK(values(space, 1) == std::vector<std::string>{drawn.value(1, 0), "adam", "0"});
  for (std::int64_t trial = 2; trial < 6; ++trial) CHECK(values(space, trial) == values(drawn, trial));
  CHECK(space.is_start(1));
  CHECK_FALSE(space.is_start(2));
}

TEST_CASE("values that trials may have are in their lists and ranges, in canonical form") {
  const Study study = parse_study_text(
      "[data]\nfile = x.h5\n[search]\ntrials = 6\ntrain.learning_rate = log_uniform(1e-4, 1)\n"
      "train.batch_size = 16, 32\n",
      "test", {});
  const TrialSpace space(study);
  CHECK(space.may_have({"0.01", "16"}));
  CHECK(space.may_have({"1", "32"}));
  for (const std::vector<std::string>& values : std::vector<std::vector<std::string>>{
           {}, {"0.01"}, {"0.01", "16", "16"}, {"1e-2", "16"}, {"2", "16"}, {"0.01", "64"}, {"nan", "16"}, {"", "16"}})
    CHECK_FALSE(space.may_have(values));
}

TEST_CASE("a search method and what it needs fit each other") {
  const auto parsed = [](const std::string& search) {
    return parse_study_text("[data]\nfile = x.h5\n[search]\n" + search, "test", {});
  };
  const auto refused = [&](const std::string& search, const std::string& why) {
    CAPTURE(search);
    CHECK_THROWS_WITH(parsed(search), ContainsSubstring(why));
  };
  refused("method = random\ntrain.learning_rate = uniform(0.1, 1)", "random has no end (search.trials = none)");
  refused("trials = 5", "search.method = random has nothing to search");
  refused("method = grid\ntrials = 5\ntrain.epochs = 1, 2", "search.trials has no effect");
  refused("train.learning_rate = uniform(0.1, 1)", "is a range, and a grid needs lists");
  refused("method = none\ntrials = 5",
          "search.trials = 5 has no effect (search.method = none, and no key is searched)");
  CHECK(parsed("trials = 5\ntrain.learning_rate = uniform(0.1, 1)").search.method == SearchMethod::random);
  CHECK(study_file_text(parsed("trials = 5\ntrain.learning_rate = log_uniform(1e-3, 1)"))
            .find("train.learning_rate = log_uniform(0.001, 1)\n") != std::string::npos);
}

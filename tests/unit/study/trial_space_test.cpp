// SPDX-License-Identifier: MIT
#include "study/trial_space.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "study/combinations.hpp"
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
  CHECK(space.may_have(3, {"0.01", "16"}));
  CHECK(space.may_have(3, {"1", "32"}));
  for (const std::vector<std::string>& values : std::vector<std::vector<std::string>>{
           {}, {"0.01"}, {"0.01", "16", "16"}, {"1e-2", "16"}, {"2", "16"}, {"0.01", "64"}, {"nan", "16"}, {"", "16"}})
    CHECK_FALSE(space.may_have(3, values));
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

namespace {

// `study` with other values of its searched keys from trial `first` on.
Study extended_at(std::int64_t first, Study study, const std::vector<SearchedKey>& keys, std::int64_t trials) {
  study.search.earlier.push_back({first, study.search.keys});
  study.search.keys = keys;
  study.search.trials = trials;
  return study;
}

std::vector<std::vector<std::string>> all_values(const TrialSpace& space) {
  std::vector<std::vector<std::string>> all;
  for (std::int64_t trial = 0; trial < space.count(); ++trial) {
    all.emplace_back();
    for (std::size_t key = 0; key < 2; ++key) all.back().push_back(space.value(trial, key));
  }
  return all;
}

}  // namespace

TEST_CASE("trials of an extended search keep their values, and new ones are in the new ranges") {
  const Study study = random_study("train.learning_rate = log_uniform(1e-3, 1e-2)\nmodel.hidden = 8, 16", 30);
  const std::vector<SearchedKey> wider = {{"train.learning_rate", {"0.1", "0.5"}, Sampling::uniform},
                                          {"model.hidden", {"16", "24", "32"}}};
  const std::vector<SearchedKey> third = {{"train.learning_rate", {"0.2", "0.3"}}, {"model.hidden", {"16"}}};
  const Study second = extended_at(20, study, wider, 60);
  const auto before = all_values(TrialSpace(study)), values = all_values(TrialSpace(second)),
             last = all_values(TrialSpace(extended_at(40, second, third, 42)));
  CHECK(std::equal(before.begin(), before.begin() + 20, values.begin()));
  CHECK(std::equal(values.begin(), values.begin() + 40, last.begin()));
  std::set<std::string> widths;
  for (std::size_t trial = 20; trial < 60; ++trial) {
    const double rate = std::stod(values[trial][0]);
    CHECK((rate >= 0.1 && rate <= 0.5));
    widths.insert(values[trial][1]);
  }
  CHECK(widths == std::set<std::string>{"16", "24", "32"});
  CHECK(std::set(last.begin() + 40, last.end()) == std::set<std::vector<std::string>>{{"0.2", "16"}, {"0.3", "16"}});

  const TrialSpace space(second);
  CHECK(space.space_count() == 2);
  CHECK((space.space_of(19) == 0 && space.space_of(20) == 1));
  CHECK((space.trials_of(0) == IndexRange{0, 20} && space.trials_of(1) == IndexRange{20, 60}));
  CHECK((space.may_have(19, {"0.005", "8"}) && !space.may_have(20, {"0.005", "8"})));
  CHECK((space.may_have(20, {"0.25", "24"}) && !space.may_have(19, {"0.25", "24"})));
  // The run was reduced: the last space has no trials.
  const TrialSpace reduced(extended_at(20, study, wider, 15));
  CHECK((reduced.trials_of(0) == IndexRange{0, 15} && reduced.trials_of(1).empty()));
}

TEST_CASE("a space has the trials whose values with effect are in its lists and ranges") {
  Study study = random_study("train.optimizer = sgd, adam\ntrain.momentum = uniform(0, 0.9)", 200);
  study.search.keys[1].candidates = {"0", "0.5"};
  const TrialSpace space(extended_at(
      200, study, {{"train.optimizer", {"sgd", "adam"}}, {"train.momentum", {"0.25", "0.9"}, Sampling::uniform}}, 210));
  std::int64_t inside = 0;
  for (std::int64_t trial = 0; trial < 200; ++trial) {
    const bool is_inside = space.value(trial, 0) == "adam" || std::stod(space.value(trial, 1)) >= 0.25;
    CHECK(space.has(1, trial) == is_inside);
    CHECK(space.has(0, trial));
    inside += is_inside ? 1 : 0;
  }
  CHECK((inside > 100 && inside < 200));
  CHECK(space.has(1, 205));
}

TEST_CASE("an extended random search of lists draws no combination twice") {
  const Study study = random_study("train.batch_size = 8, 16, 32\nmodel.hidden = 8, 16, 32", 9);
  const std::vector<SearchedKey> keys = {{"train.batch_size", {"16", "32", "64"}}, {"model.hidden", {"64", "8", "32"}}};
  for (const std::int64_t first : {1, 4, 9}) {
    Study more = extended_at(first, study, keys, 0);
    std::int64_t known = 0;
    const auto before = all_values(TrialSpace(study));
    for (std::int64_t trial = 0; trial < first; ++trial) {
      const auto& values = before[static_cast<std::size_t>(trial)];
      known += values[0] != "8" && values[1] != "16" ? 1 : 0;
    }
    more.search.trials = first + 9 - known;
    const TrialSpace space(more);
    CHECK(space.most() == more.search.trials);
    const auto values = all_values(space);
    CHECK(std::set(values.begin(), values.end()).size() == values.size());
    CHECK(std::equal(before.begin(), before.begin() + first, values.begin()));
    CHECK(problems_in(more).empty());
    ++more.search.trials;
    REQUIRE(problems_in(more).size() == 1);
    CHECK_THAT(problems_in(more).front().sentence, ContainsSubstring(" combinations of the lists in [search]."));
  }
}

TEST_CASE("an extended grid has its combinations first") {
  Study study = parse_study_text("[data]\nfile = x.h5\n[search]\ntrain.batch_size = 8, 16\nmodel.hidden = 8, 16, 32\n",
                                 "test", {});
  const auto before = all_values(TrialSpace(study));
  const Study more = extended_at(6, study, {{"train.batch_size", {"16", "32"}}, {"model.hidden", {"8", "64"}}}, 0);
  const auto values = all_values(TrialSpace(more));
  CHECK(std::equal(before.begin(), before.end(), values.begin()));
  CHECK(std::vector(values.begin() + 6, values.end()) ==
        std::vector<std::vector<std::string>>{{"32", "8"}, {"32", "64"}, {"16", "64"}});
  CHECK(trial_count(more) == 9);
  CHECK(problems_in(more).empty());
}

TEST_CASE("search.earlier is read as it is written, and checked") {
  const std::string text =
      "30: train.learning_rate = log_uniform(0.001, 0.01); model.hidden = 8, 16 32 | 50: train.learning_rate = "
      "uniform(0.5, "
      "0.7); "
      "model.hidden = 8";
  const auto parsed = [&](const std::string& earlier) {
    return parse_study_text(
        "[data]\nfile = x.h5\nvalidation = 0.2\n[search]\ntrials = 60\ntrain.learning_rate = "
        "uniform(0.1, 0.2)\nmodel.hidden = 4, 8\nearlier = " +
            earlier + "\n",
        "test", {});
  };
  const Study study = parsed(text);
  REQUIRE(study.search.earlier.size() == 2);
  CHECK(study.search.earlier[0] ==
        EarlierSpace{
            30, {{"train.learning_rate", {"0.001", "0.01"}, Sampling::log_uniform}, {"model.hidden", {"8", "16 32"}}}});
  CHECK(setting_text(study, "search.earlier") == text);
  CHECK(setting_text(parsed("NONE"), "search.earlier") == "none");
  const Study again = parse_study_text(study_file_text(study), "test", {});
  CHECK(again.search.earlier == study.search.earlier);
  const auto refused = [&](const std::string& earlier, const std::string& why) {
    CAPTURE(earlier);
    CHECK_THROWS_WITH(parsed(earlier), ContainsSubstring(why));
  };
  for (const char* wrong :
       {"30", "x: model.hidden = 8", "30:", "30: model.hidden", "30: hidden = 8", "30: model.hidden = x"})
    refused(wrong, "none, or numbers of trials with the values of all searched keys");
  refused("30: model.hidden = 8", "search.earlier does not fit the search (it has other keys than the search).");
  refused("30: model.hidden = 8; train.learning_rate = 1", "it has other keys");
  refused("3: train.learning_rate = 1; model.hidden = 8", "its lists have fewer than 3 combinations");
  refused("30: train.learning_rate = uniform(1, 2); model.hidden = 8 | 20: train.learning_rate = 1; model.hidden = 8",
          "its numbers of trials do not ascend");
}

TEST_CASE("the values of a run that is extended are those of its trials") {
  const std::string stored = study_file_text(random_study(
      "train.learning_rate = log_uniform(1e-3, 1e-2)\nstart = train.learning_rate = 0.002\nmodel.hidden = 8, 16", 30));
  const auto with = [&](const std::vector<Assignment>& overrides) {
    return parse_extension(stored, "test", overrides);
  };
  CHECK(with({}).search.earlier.empty());
  CHECK(with({{"search.trials", "60"}}).search.earlier.empty());
  const Study study = with({{"search.train.learning_rate", "uniform(0.1, 1)"}});  // without the start trial
  REQUIRE(study.search.earlier.size() == 1);
  CHECK(study.search.earlier[0].trials == 30);
  CHECK(study.search.earlier[0].keys[0].candidates == std::vector<std::string>{"0.001", "0.01"});
  CHECK_THROWS_WITH(parse_study_text(stored, "test", {{"search.train.learning_rate", "uniform(0.1, 1)"}}),
                    ContainsSubstring("which is outside the search"));
}

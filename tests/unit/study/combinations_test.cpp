// SPDX-License-Identifier: MIT
#include "study/combinations.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "study/settings.hpp"
#include "support/catch.hpp"

using namespace sheaf;

namespace {

using Values = std::vector<std::string>;

Study study_of(const std::vector<SearchedKey>& keys) {
  Study study;
  study.train.momentum = 0.5;
  study.search.keys = keys;
  return study;
}

const Study grid =
    study_of({{"train.epochs", {"1", "2"}}, {"model.bias", {"false"}}, {"train.batch_size", {"8", "full", "4"}}});

Study grid_study(const std::vector<SearchedKey>& keys) {
  Study study;
  study.search.method = SearchMethod::grid;
  study.search.keys = keys;
  return study;
}

KeyFilter selects(const Values& keys) {
  return [keys](const std::string& key) { return std::find(keys.begin(), keys.end(), key) != keys.end(); };
}

using Choices = std::vector<std::vector<std::size_t>>;

Choices distinct(const Combinations& combinations, const Values& keys) {
  Choices visited;
  combinations.for_each_distinct(selects(keys),
                                 [&](const std::vector<std::size_t>& choice, double) { visited.push_back(choice); });
  return visited;
}

}  // namespace

TEST_CASE("combinations are numbered with the last key varying fastest and set exactly the searched keys") {
  const std::vector<Values> all = {{"1", "false", "8"}, {"1", "false", "full"}, {"1", "false", "4"},
                                   {"2", "false", "8"}, {"2", "false", "full"}, {"2", "false", "4"}};
  const Combinations combinations(grid);
  CHECK(combinations.count() == 6);
  Study point = grid;
  for (std::int64_t number : {5, 0, 3, 1, 4, 2}) {
    combinations.apply(number, point);
    for (std::size_t key = 0; key < 3; ++key) {
      const std::string& value = all[static_cast<std::size_t>(number)][key];
      CHECK(combinations.value(number, key) == value);
      CHECK(setting_text(point, combinations.key(key)) == value);
    }
    CHECK(point.train.momentum == 0.5);
  }
}

TEST_CASE("a study without searched keys has one combination") {
  const Combinations combinations(study_of({}));
  CHECK(combinations.count() == 1);
  CHECK(distinct(combinations, {}) == Choices{{}});
}

TEST_CASE("distinct choices of some keys are visited in ascending order, with the number of their combinations") {
  const Combinations combinations(grid);
  CHECK(distinct(combinations, {}) == Choices{{0, 0, 0}});
  CHECK(distinct(combinations, {"train.epochs"}) == Choices{{0, 0, 0}, {1, 0, 0}});
  CHECK(distinct(combinations, {"train.batch_size", "model.bias"}) == Choices{{0, 0, 0}, {0, 0, 1}, {0, 0, 2}});
  CHECK(distinct(combinations, {"train.batch_size", "train.epochs"}).size() == 6);
  combinations.for_each_distinct([](const std::string& key) { return key == "train.epochs"; },
                                 [](const std::vector<std::size_t>&, double count) { CHECK(count == 3); });
}

TEST_CASE("a grid skips combinations in which a key without effect has another value than its first") {
  const auto values_of = [](const std::vector<SearchedKey>& keys) {
    const Combinations combinations(grid_study(keys));
    std::vector<Values> all;
    for (std::int64_t number = 0; number < combinations.count(); ++number) {
      all.emplace_back();
      for (std::size_t key = 0; key < keys.size(); ++key) all.back().push_back(combinations.value(number, key));
    }
    return all;
  };
  const SearchedKey optimizers{"train.optimizer", {"sgd", "adam"}}, momenta{"train.momentum", {"0", "0.9"}};
  CHECK(values_of({optimizers, momenta}) == std::vector<Values>{{"sgd", "0"}, {"sgd", "0.9"}, {"adam", "0"}});
  CHECK(values_of({momenta, optimizers}) == std::vector<Values>{{"0", "sgd"}, {"0.9", "sgd"}, {"0", "adam"}});
  // A deciding key without effect: the hidden layers of a linear model, which also decide the effect of dropout.
  CHECK(values_of({{"model.kind", {"linear", "mlp"}}, {"model.dropout", {"0", "0.5"}}, {"model.hidden", {"4", "8"}}}) ==
        std::vector<Values>{
            {"linear", "0", "4"}, {"mlp", "0", "4"}, {"mlp", "0.5", "4"}, {"mlp", "0", "8"}, {"mlp", "0.5", "8"}});
  // Without skipped combinations, the last key varies fastest.
  CHECK(values_of({momenta, {"train.optimizer", {"sgd", "rmsprop"}}}) ==
        std::vector<Values>{{"0", "sgd"}, {"0", "rmsprop"}, {"0.9", "sgd"}, {"0.9", "rmsprop"}});
}

TEST_CASE("the combinations that a grid skips are counted, with the reason") {
  const SearchedKey rates{"train.learning_rate", {"0.1", "0.2", "0.3"}}, momenta{"train.momentum", {"0", "0.9"}};
  CHECK(Combinations(grid_study({{"train.optimizer", {"sgd", "adam"}}, momenta, rates})).skipped_text() ==
        "3 of 12 combinations: train.momentum has no effect with train.optimizer = adam");
  CHECK(Combinations(grid_study({{"train.optimizer", {"sgd", "adam", "adamw"}}, momenta})).skipped_text() ==
        "2 of 6 combinations: train.momentum has no effect with train.optimizer = adam and adamw");
  CHECK(Combinations(
            grid_study(
                {{"model.kind", {"linear", "cnn"}}, {"model.hidden", {"none", "8"}}, {"model.dropout", {"0", "0.5"}}}))
            .skipped_text() ==
        "4 of 8 combinations: model.hidden has no effect with model.kind = linear; model.dropout has no effect with "
        "model.kind = linear; model.dropout has no effect if there is no hidden dense layer");
  CHECK(Combinations(grid_study({{"train.optimizer", {"sgd", "rmsprop"}}, momenta})).skipped_text().empty());
  CHECK(Combinations(grid_study({{"train.optimizer", {"sgd", "adam"}}, {"train.momentum", {"0.9"}}}))
            .skipped_text()
            .empty());
}

TEST_CASE("the choices of a grid that skips combinations have all of its combinations") {
  const Combinations combinations(grid_study({{"train.learning_rate", {"0.1", "0.2", "0.3"}},
                                              {"train.optimizer", {"sgd", "adam", "rmsprop"}},
                                              {"train.momentum", {"0", "0.9"}},
                                              {"train.alpha", {"0.9", "0.99"}}}));
  CHECK(combinations.count() == 3 * (2 + 1 + 4));
  for (const Values& keys :
       {Values{}, {"train.optimizer"}, {"train.momentum"}, {"train.alpha", "train.learning_rate"}}) {
    CAPTURE(keys);
    double visited = 0;
    combinations.for_each_distinct(selects(keys),
                                   [&](const std::vector<std::size_t>&, double count) { visited += count; });
    CHECK(visited == 21);
  }
  CHECK(distinct(combinations, {"train.optimizer"}) == Choices{{0, 0, 0, 0}, {0, 1, 0, 0}, {0, 2, 0, 0}});
}

TEST_CASE("a grid of many combinations that skips some needs no loop over them") {
  std::vector<std::string> rates;
  for (int candidate = 1; candidate <= 10000; ++candidate) rates.push_back(std::to_string(candidate));
  const Combinations combinations(grid_study({{"train.learning_rate", rates},
                                              {"train.optimizer", {"sgd", "adam"}},
                                              {"train.momentum", {"0", "0.9"}},
                                              {"train.weight_decay", rates}}));
  CHECK(combinations.count() == 300000000);
  CHECK(combinations.value(299999999, 0) == "10000");
  CHECK(combinations.value(299999999, 1) == "adam");
  CHECK(combinations.value(199999999, 2) == "0.9");
  CHECK(combinations.value(200000000, 1) == "adam");
}

TEST_CASE("too many combinations of keys that decide the effect of others are refused") {
  std::vector<std::string> widths, files;
  for (int candidate = 1; candidate <= 400; ++candidate) {
    widths.push_back(std::to_string(candidate));
    files.push_back("torchscript:" + std::to_string(candidate) + ".pt");
  }
  CHECK_THROWS_WITH(
      Combinations(grid_study({{"model.kind", files}, {"model.hidden", widths}, {"model.dropout", {"0", "0.5"}}})),
      "the searched keys that decide the effect of other searched keys have 1.6e+05 combinations (the maximum is "
      "100000). Search fewer values of model.kind, model.hidden.");
}

TEST_CASE("the count of a grid that is too large is the maximum plus one") {
  std::vector<SearchedKey> keys;
  for (const char* name : {"train.epochs", "train.batch_size", "model.hidden", "train.beta1", "train.beta2"}) {
    keys.push_back({name, {}});
    for (int candidate = 0; candidate < 200; ++candidate)
      keys.back().candidates.push_back(keys.size() > 3 ? "0." + std::to_string(candidate + 1)
                                                       : std::to_string(2 * candidate + 1));
  }
  const Combinations combinations(study_of(keys));
  CHECK(combinations.count() == max_iterations + 1);
  CHECK(distinct(combinations, {"train.epochs", "train.batch_size"}).size() == 40000);
  CHECK(combinations.value(0, 0) == "1");
  CHECK(combinations.value(201, 3) == "0.2");
  CHECK(combinations.value(201, 4) == "0.2");
}

namespace {

// The values of all combinations of a grid that was extended from `earlier`.
std::vector<Values> extended_grid(const std::vector<SearchedKey>& keys,
                                  const std::vector<std::vector<SearchedKey>>& earlier) {
  Study study = grid_study(keys);
  for (const auto& former : earlier) study.search.earlier.push_back({0, former});
  const Combinations combinations(study);
  std::vector<Values> all;
  for (std::int64_t number = 0; number < combinations.count(); ++number) {
    all.emplace_back();
    for (std::size_t key = 0; key < keys.size(); ++key) all.back().push_back(combinations.value(number, key));
  }
  return all;
}

bool is_one_of(const Values& values, const std::vector<SearchedKey>& keys) {
  for (std::size_t key = 0; key < keys.size(); ++key)
    if (std::find(keys[key].candidates.begin(), keys[key].candidates.end(), values[key]) == keys[key].candidates.end())
      return false;
  return true;
}

}  // namespace

TEST_CASE("an extended grid has the combinations that no earlier grid has, each once") {
  const std::vector<SearchedKey> first = {
      {"train.epochs", {"1", "2"}}, {"train.batch_size", {"8", "16"}}, {"train.learning_rate", {"0.1"}}};
  const std::vector<SearchedKey> second = {
      {"train.epochs", {"2", "3"}}, {"train.batch_size", {"8", "32", "64"}}, {"train.learning_rate", {"0.1", "0.2"}}};
  const std::vector<SearchedKey> third = {{"train.epochs", {"1", "2", "3", "4"}},
                                          {"train.batch_size", {"64", "8", "16"}},
                                          {"train.learning_rate", {"0.2", "0.1", "0.3"}}};
  for (const auto& earlier : std::vector<std::vector<std::vector<SearchedKey>>>{{first}, {second}, {first, second}}) {
    std::vector<Values> wanted;
    for (const Values& values : extended_grid(third, {}))
      if (std::none_of(earlier.begin(), earlier.end(), [&](const auto& keys) { return is_one_of(values, keys); }))
        wanted.push_back(values);
    std::vector<Values> found = extended_grid(third, earlier);
    std::sort(wanted.begin(), wanted.end());
    std::sort(found.begin(), found.end());
    CHECK(found == wanted);
  }
  CHECK(extended_grid(first, {third}).empty());

  // Distinct choices are those of the new combinations, with their numbers.
  Study study = grid_study(third);
  study.search.earlier = {{4, first}, {14, second}};
  const Combinations combinations(study);
  for (const Values& keys : std::vector<Values>{{}, {"train.epochs"}, {"train.batch_size", "train.learning_rate"}}) {
    std::vector<std::size_t> selected;
    for (std::size_t key = 0; key < third.size(); ++key)
      if (selects(keys)(third[key].key)) selected.push_back(key);
    std::map<Values, double> wanted, found;
    for (const Values& values : extended_grid(third, {first, second})) {
      Values choice;
      for (const std::size_t key : selected) choice.push_back(values[key]);
      ++wanted[choice];
    }
    combinations.for_each_distinct(selects(keys), [&](const std::vector<std::size_t>& choice, double count) {
      Values values, all;
      for (std::size_t key = 0; key < third.size(); ++key) all.push_back(third[key].candidates[choice[key]]);
      CHECK_FALSE(is_one_of(all, first));
      CHECK_FALSE(is_one_of(all, second));
      for (const std::size_t key : selected) values.push_back(all[key]);
      found[values] += count;
    });
    CHECK(found == wanted);
  }
}

TEST_CASE("values of keys without effect do not make combinations of an extended grid new") {
  const SearchedKey sgd{"train.optimizer", {"sgd"}}, both{"train.optimizer", {"sgd", "adam"}};
  const SearchedKey momenta{"train.momentum", {"0", "0.9"}}, more{"train.momentum", {"0.5", "0.9"}};
  CHECK(extended_grid({both, more}, {{both, momenta}}) == std::vector<Values>{{"sgd", "0.5"}});
  CHECK(extended_grid({more, both}, {{momenta, both}}) == std::vector<Values>{{"0.5", "sgd"}});
  CHECK(extended_grid({both, more}, {{sgd, momenta}}) == std::vector<Values>{{"sgd", "0.5"}, {"adam", "0.5"}});
  CHECK(extended_grid({more, both}, {{momenta, sgd}}) == std::vector<Values>{{"0.5", "sgd"}, {"0.5", "adam"}});
}

TEST_CASE("trials need the scalings of all their values of data.normalize and model.embedding") {
  const auto kinds_of = [](const Study& study) {
    std::vector<std::pair<Normalize, Embedding>> kinds;
    for (const ScalingKind kind : scaling_kinds(study)) kinds.emplace_back(kind.normalize, kind.embedding);
    return kinds;
  };
  using Kinds = std::vector<std::pair<Normalize, Embedding>>;
  Study study;
  study.model.kind = ModelKind::mlp;
  study.data.normalize = Normalize::robust;
  CHECK(kinds_of(study) == Kinds{{Normalize::robust, Embedding::none}});
  study.model.embedding = Embedding::piecewise;
  CHECK(kinds_of(study) == Kinds{{Normalize::robust, Embedding::piecewise}});
  study.search.keys = {{"model.kind", {"mlp", "cnn"}}};  // a cnn has no embedding
  CHECK(kinds_of(study) == Kinds{{Normalize::robust, Embedding::none}, {Normalize::robust, Embedding::piecewise}});
  study.search.keys = {{"model.embedding", {"none", "piecewise"}}, {"data.normalize", {"none", "minmax"}}};
  CHECK(kinds_of(study) == Kinds{{Normalize::none, Embedding::none},
                                 {Normalize::none, Embedding::piecewise},
                                 {Normalize::minmax, Embedding::none},
                                 {Normalize::minmax, Embedding::piecewise}});
}

// SPDX-License-Identifier: MIT
#include "report/advice.hpp"

#include <algorithm>
#include <cmath>

#include "support/catch.hpp"

using namespace sheaf;

namespace {

// A finished search that needs no advice.
AdviceFacts good_facts() {
  AdviceFacts facts;
  facts.trained = 100;
  facts.is_search = true;
  facts.directory = "runs/x";
  facts.best_values = {0.9, 0.8, 0.7};
  facts.fold_deviation = 0.01;
  facts.folds = 5;
  facts.lanes = 4;
  facts.shares.training = 90;
  facts.shares.idle = 10;
  facts.models = ModelsKind::best;
  facts.curves = {{0, 1, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, {}, {9, 5, 3, 2, 1.5, 1.4, 1.35, 1.34, 1.34, 1.34}}};
  return facts;
}

bool has(const std::vector<std::string>& sentences, const std::string& part) {
  return std::any_of(sentences.begin(), sentences.end(),
                     [&](const std::string& sentence) { return sentence.find(part) != sentence.npos; });
}

}  // namespace

TEST_CASE("there are two to five sentences, even if nothing is wrong") {
  const auto sentences = advice_for(good_facts());
  CHECK(sentences.size() == 2);
  CHECK(has(sentences, "sheaf evaluate runs/x --data.file=TEST.h5"));
  CHECK(!has(sentences, "equally good"));
  CHECK(!has(sentences, "widen"));
  CHECK(!has(sentences, "idle"));
  CHECK(!has(sentences, "longer"));
  AdviceFacts all_wrong = good_facts();
  all_wrong.resume = "sheaf resume runs/x";
  all_wrong.failed = 3;
  all_wrong.diverged = 50;
  all_wrong.best_values = {0.9, 0.9};
  all_wrong.shares.idle = 90;
  all_wrong.has_validation = false;
  all_wrong.keys = {{{"a", {"1", "2"}, Sampling::uniform}, "1"},
                    {{"b", {"1", "2"}, Sampling::uniform}, "2"},
                    {{"c", {"1", "2"}, Sampling::uniform}, "2"}};
  CHECK(advice_for(all_wrong).size() == 5);
  CHECK(advice_for(AdviceFacts{}).size() >= 2);
}

TEST_CASE("a best value at the edge of its range: widen") {
  AdviceFacts facts = good_facts();
  const SearchedKey rate{"train.learning_rate", {"1e-4", "1e-1"}, Sampling::log_uniform};
  facts.keys = {{rate, "0.09"}};
  CHECK(has(advice_for(facts), "train.learning_rate (0.09) is at the high end of its search"));
  facts.keys = {{rate, "0.00011"}};
  CHECK(has(advice_for(facts), "smaller values"));
  facts.keys = {{rate, "0.05"}};  // the middle of a linear range
  CHECK(!has(advice_for(facts), "widen"));
  facts.keys = {{{"train.learning_rate", {"0.01", "0.1"}, Sampling::uniform}, "0.013"}};
  CHECK(has(advice_for(facts), "low end"));
  facts.keys = {{{"model.hidden", {"64", "16", "32"}, Sampling::list}, "64"}};
  CHECK(has(advice_for(facts), "high end"));
  facts.keys = {{{"model.hidden", {"64", "16", "32"}, Sampling::list}, "32"}};
  CHECK(!has(advice_for(facts), "widen"));
  facts.keys = {{{"train.optimizer", {"sgd", "adam", "nadam"}, Sampling::list}, "sgd"}};
  CHECK(!has(advice_for(facts), "widen"));
  // The key accepts no smaller values.
  facts.keys = {{{"train.weight_decay", {"0", "0.1"}, Sampling::uniform}, "0.0001"}};
  CHECK(!has(advice_for(facts), "widen"));
  facts.keys = {{{"train.weight_decay", {"0", "0.1"}, Sampling::uniform}, "0.0999"}};
  CHECK(has(advice_for(facts), "high end"));
  facts.keys = {{{"model.hidden", {"1", "2", "3"}, Sampling::list}, "1"}};
  CHECK(!has(advice_for(facts), "widen"));
}

TEST_CASE("curves that all fall: more epochs; curves that rise again: best weights") {
  AdviceFacts facts = good_facts();
  LearningCurve falling = facts.curves.front(), rising = falling;
  falling.validation_loss = {9, 8, 7, 6, 5, 4, 3, 2, 1, 0.5};
  rising.validation_loss = {9, 5, 2, 1, 2, 3, 4, 5, 6, 7};
  facts.curves = {falling, falling};
  CHECK(has(advice_for(facts), "train longer (--train.epochs=20)"));
  facts.curves = {falling, rising};
  CHECK(!has(advice_for(facts), "train longer"));
  facts.curves = {rising};
  CHECK(has(advice_for(facts), "--train.best_weights=true"));
  falling.training_loss = falling.validation_loss;
  falling.validation_loss.assign(10, std::nan(""));
  facts.curves = {falling};
  CHECK(has(advice_for(facts), "train longer"));
}

TEST_CASE("trials within the standard error of the folds are equally good") {
  AdviceFacts facts = good_facts();
  facts.best_values = {0.9, 0.896, 0.5};  // the standard error is 0.01 / sqrt(5) = 0.0045
  CHECK(has(advice_for(facts), "The best 2 trials"));
  facts.best_values = {0.9, 0.895, 0.5};
  CHECK(!has(advice_for(facts), "equally good"));
}

TEST_CASE("killed jobs that have lost more than a tenth of the time") {
  AdviceFacts facts = good_facts();
  facts.shares.unfinished = 10;
  CHECK(!has(advice_for(facts), "Killed jobs"));
  facts.shares.unfinished = 100;
  CHECK(has(advice_for(facts), "Killed jobs have lost 50 % of the time"));
}

TEST_CASE("idle lanes, divergence, failures and unfinished runs") {
  AdviceFacts facts = good_facts();
  facts.shares.idle = 60;
  CHECK(has(advice_for(facts), "The 4 lanes were idle for 40 % of the time: use fewer lanes."));
  facts.has_batch = true;
  CHECK(has(advice_for(facts), "use a larger search.batch or fewer lanes."));
  facts.has_static_partition = true;
  CHECK(has(advice_for(facts), "use run.partition = dynamic or a larger search.batch or fewer lanes."));
  facts.shares.waiting = 60;
  CHECK(has(advice_for(facts), "waited for data"));
  facts = good_facts();
  facts.diverged = 10;
  CHECK(has(advice_for(facts), "10 of 100 iterations diverged"));
  facts.resume = "sheaf resume runs/x";
  CHECK_THAT(advice_for(facts).front(), ContainsSubstring("not complete"));
  facts.failed = 1;
  CHECK_THAT(advice_for(facts).front(), ContainsSubstring("1 iteration failed"));
}

TEST_CASE("what a run has already is not advised") {
  AdviceFacts facts = good_facts();
  facts.is_tested = true;
  CHECK(!has(advice_for(facts), "sheaf evaluate"));
  facts.curves.clear();
  CHECK(has(advice_for(facts), "--run.curves=true"));
  facts.records_curves = true;  // and no trial is complete
  CHECK(!has(advice_for(facts), "--run.curves=true"));
  facts.best_values.clear();
  CHECK(has(advice_for(facts), "No trial is complete"));
  CHECK(!has(advice_for(facts), "Train the best trial"));
}

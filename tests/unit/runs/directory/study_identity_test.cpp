// SPDX-License-Identifier: MIT
#include "runs/directory/study_identity.hpp"

#include "study/settings.hpp"
#include "support/catch.hpp"
#include "support/plain_study.hpp"

using namespace sheaf;

TEST_CASE("only keys that affect results change the study fingerprint") {
  const Study study = test::plain_study();
  Study elsewhere = study;
  for (const auto& [key, value] : {std::pair("run.output", "x"),
                                   {"run.lanes", "3"},
                                   {"run.partition", "self"},
                                   {"run.device", "cpu"},
                                   {"run.retries", "2"},
                                   {"study.name", "y"},
                                   {"data.file", "z"}})
    apply_setting(elsewhere, key, value);
  CHECK(study_fingerprint(elsewhere) == study_fingerprint(study));
  CHECK(differing_keys(elsewhere, study).empty());
  for (const auto& [key, value] : {std::pair("train.epochs", "3"),
                                   {"run.curves", "true"},
                                   {"run.engine", "torch"},
                                   {"study.seed", "1"},
                                   {"data.targets", "/t"},
                                   {"search.folds", "2"}}) {
    Study other = study;
    apply_setting(other, key, value);
    CHECK(study_fingerprint(other) != study_fingerprint(study));
    const auto differing = differing_keys(other, study);
    REQUIRE(differing.size() == 1);
    CHECK_THAT(differing[0], StartsWith(std::string(key) + " = " + value + ", was "));
  }
}

TEST_CASE("a run may get another number of trials of a random search, or of iterations without searched keys") {
  Study study = test::plain_study();
  Study more = study;
  more.study.iterations = study.study.iterations + 1;
  CHECK(study_fingerprint(more) == study_fingerprint(study));
  CHECK(differing_keys(more, study).empty());
  CHECK(has_other_extent(more, study));
  CHECK(has_other_extent(study, more));
  CHECK(differing_keys(study, more).empty());
  CHECK_FALSE(has_other_extent(study, study));
  CHECK(with_extent_of(more, study).study.iterations == more.study.iterations);

  study.search.keys = {{"train.learning_rate", {"0.001", "0.1"}, Sampling::uniform}};
  study.search.method = SearchMethod::random;
  study.search.trials = 10;
  more = study;
  more.search.trials = 20;
  CHECK(study_fingerprint(more) == study_fingerprint(study));
  CHECK(differing_keys(more, study).empty());
  CHECK(has_other_extent(more, study));
  CHECK(with_extent_of(more, study).search.trials == 20);
  CHECK(differing_keys(study, more).empty());
  more.study.iterations += 1;  // would change the numbers of iterations
  CHECK(differing_keys(more, study).size() == 1);
  Study other = study;
  other.search.keys[0].sampling = Sampling::log_uniform;
  CHECK(differing_keys(other, study) ==
        std::vector<std::string>{"search.train.learning_rate = log_uniform(0.001, 0.1), was uniform(0.001, 0.1)"});
}

TEST_CASE("candidates and their order change the study fingerprint") {
  Study study = test::plain_study();
  study.search.keys = {{"train.epochs", {"1", "2"}}, {"model.bias", {"true", "false"}}};
  Study other = study;
  other.search.keys[0].candidates = {"1", "3"};
  CHECK(differing_keys(other, study) == std::vector<std::string>{"search.train.epochs = 1, 3, was 1, 2"});
  CHECK(study_fingerprint(other) != study_fingerprint(study));
  std::swap(study.search.keys[0], study.search.keys[1]);
  other.search.keys[0].candidates = {"1", "2"};
  CHECK(differing_keys(other, study) == std::vector<std::string>{"the order of the searched keys"});
  other.search.keys.pop_back();
  CHECK(differing_keys(other, study) == std::vector<std::string>{"search.model.bias = not searched, was true, false"});
}

TEST_CASE("a run may get other lists and ranges for new trials, and keeps those of its trials") {
  Study stored = test::plain_study();
  stored.search.keys = {{"train.learning_rate", {"0.001", "0.1"}, Sampling::uniform}};
  stored.search.method = SearchMethod::random;
  stored.search.trials = 10;
  Study wider = stored;
  wider.search.keys[0].candidates = {"0.0001", "1"};
  wider.search.trials = 20;
  CHECK(differing_keys(wider, stored).size() == 1);
  CHECK(has_other_values(wider, stored));
  const Study first = extended(wider, stored, 7);
  CHECK(first.search.earlier == std::vector<EarlierSpace>{{7, stored.search.keys}});
  CHECK(differing_keys(first, stored).empty());
  CHECK(study_fingerprint(first) == study_fingerprint(stored));
  CHECK(has_other_extent(first, stored));
  const Study written = with_extent_of(first, stored);
  CHECK(written.search.earlier == first.search.earlier);
  CHECK(written.search.keys == wider.search.keys);
  CHECK_FALSE(has_other_extent(first, written));
  CHECK_FALSE(has_other_values(first, written));
  CHECK(extended(wider, written, 15).search.earlier == first.search.earlier);  // the same values again

  Study narrower = wider;
  narrower.search.keys[0] = {"train.learning_rate", {"0.01", "0.02"}};
  const Study second = extended(narrower, written, 15);
  CHECK(second.search.earlier == std::vector<EarlierSpace>{{7, stored.search.keys}, {15, wider.search.keys}});
  CHECK(study_fingerprint(second) == study_fingerprint(stored));

  stored.search.start = {{{"train.learning_rate", "0.05"}}, {}, {}};
  wider.search.start = stored.search.start;
  CHECK(extended(wider, stored, 1).search.earlier.front().trials ==
        3);  // trials of search.start are of the first space

  Study other = written;
  other.search.keys = {{"train.momentum", {"0", "0.9"}}};
  CHECK(differing_keys(extended(other, written, 15), written) ==
        std::vector<std::string>{"search.train.momentum = 0, 0.9, was not searched",
                                 "search.train.learning_rate = not searched, was uniform(0.0001, 1)"});
}

TEST_CASE("a grid is extended after all of its combinations, and searches in stages are not extended") {
  Study stored = test::plain_study();
  stored.search.method = SearchMethod::grid;
  stored.search.keys = {{"train.learning_rate", {"0.001", "0.1"}}, {"train.batch_size", {"8", "16"}}};
  Study wider = stored;
  wider.search.keys[1].candidates = {"16", "32"};
  const Study grid = extended(wider, stored, 1);
  CHECK(grid.search.earlier == std::vector<EarlierSpace>{{4, stored.search.keys}});
  CHECK(differing_keys(grid, stored).empty());
  stored.search.method = wider.search.method = SearchMethod::halving;
  CHECK_FALSE(has_other_values(wider, stored));
  CHECK(extended(wider, stored, 1).search.earlier.empty());
  CHECK(differing_keys(extended(wider, stored, 1), stored).size() == 1);
}

TEST_CASE("repeats without searched keys may change, unless trials race") {
  Study study = test::plain_study();
  study.search.method = SearchMethod::grid;
  study.search.folds = 3;
  study.search.repeats = 2;
  Study more = study;
  more.search.repeats = 5;
  CHECK(study_fingerprint(more) == study_fingerprint(study));
  CHECK(differing_keys(more, study).empty());
  CHECK(has_other_extent(more, study));
  CHECK(with_extent_of(more, study).search.repeats == 5);
  more.search.keys = {{"train.learning_rate", {"0.1", "0.2"}}};
  more.search.repeats = 2;
  CHECK(differing_keys(more, study) ==
        std::vector<std::string>{"search.train.learning_rate = 0.1, 0.2, was not searched"});
  more = study;
  more.search.repeats = 5;
  study.search.racing = more.search.racing = Racing::forgiving;
  CHECK(differing_keys(more, study) == std::vector<std::string>{"search.repeats = 5, was 2"});
  study.search.keys = more.search.keys = {{"train.learning_rate", {"0.1", "0.2"}}};
  CHECK(differing_keys(more, study) == std::vector<std::string>{"search.repeats = 5, was 2"});
  CHECK(study_fingerprint(more) != study_fingerprint(study));
}

TEST_CASE("repeats of several trials are added in stages, if no trial depends on results") {
  Study stored = test::plain_study();
  stored.search.method = SearchMethod::random;
  stored.search.trials = 5;
  stored.search.folds = 2;
  stored.search.keys = {{"train.learning_rate", {"0.001", "0.1"}, Sampling::uniform}};
  Study more = stored;
  more.search.repeats = 3;
  const Study first = extended(more, stored, 0);
  CHECK(first.search.earlier_repeats == std::vector<std::int64_t>{1});
  CHECK(study_fingerprint(first) == study_fingerprint(stored));
  CHECK(differing_keys(first, stored).empty());
  CHECK(has_other_extent(first, stored));
  CHECK(with_extent_of(first, stored).search.earlier_repeats == first.search.earlier_repeats);
  more.search.repeats = 7;
  const Study second = extended(more, first, 0);
  CHECK(second.search.earlier_repeats == std::vector<std::int64_t>{1, 3});
  CHECK(study_fingerprint(second) == study_fingerprint(stored));
  // Fewer repeats leave stages out.
  more.search.repeats = 2;
  CHECK(extended(more, second, 0).search.earlier_repeats == std::vector<std::int64_t>{1});
  more.search.repeats = 1;
  CHECK(extended(more, second, 0).search.earlier_repeats.empty());
  CHECK(study_fingerprint(extended(more, second, 0)) == study_fingerprint(stored));

  for (const auto& [key, value] : {std::pair("search.method", "tpe"),
                                   {"search.racing", "forgiving"},
                                   {"search.patience", "3"},
                                   {"search.time", "9"}}) {
    Study gradual = stored;
    apply_setting(gradual, key, value);
    Study longer = gradual;
    longer.search.repeats = 3;
    const Study found = extended(longer, gradual, 0);
    CHECK(found.search.earlier_repeats.empty());
    CHECK(differing_keys(found, gradual) == std::vector<std::string>{"search.repeats = 3, was 1"});
  }
}

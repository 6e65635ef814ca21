// SPDX-License-Identifier: MIT
#include "commands/train/prepare/start_trials.hpp"

#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/version.hpp"
#include "runs/directory/run_directory.hpp"
#include "runs/directory/study_identity.hpp"
#include "runs/journal/journal_files.hpp"
#include "study/parse_study.hpp"
#include "support/catch.hpp"
#include "support/sample_results.hpp"
#include "support/settled.hpp"

using namespace sheaf;

namespace {

// A grid of 2 x 4 trials with one iteration each: optimizer, and learning rate, which varies fastest.
Study older_study() {
  return parse_study_text(
      "[data]\nsource = synthetic\ntask = regression\nmode = memory\ndraw = study\nvalidation = 0.5\n[run]\nengine = "
      "native\n"
      "[search]\ntrain.optimizer = sgd, adam\ntrain.learning_rate = 0.1, 0.2, 0.3, 0.4\n",
      "older", {});
}

// The study with the searched keys in `search`.
Study new_study(const std::string& search) {
  return parse_study_text("[data]\nsource = synthetic\n[search]\nmethod = tpe\ntrials = 9\n" + search, "new", {});
}

// A run whose iterations had these validation losses; infinite: they diverged, NaN: they have no result.
class Run {
 public:
  explicit Run(const std::vector<double>& losses, const Study& older = older_study()) {
    const SettledStudy study = test::settled(older);
    write_study(scratch_.path.string(), study);
    const JournalHeader header{program_version(), study_fingerprint(study), "data"};
    std::ofstream file(journal_path(begin_attempt(scratch_.path.string()), 0), std::ios::binary);
    file << header_line(header);
    for (std::size_t number = 0; number < losses.size(); ++number) {
      if (std::isnan(losses[number])) continue;
      TrainedIteration iteration;
      iteration.result.iteration = static_cast<std::int64_t>(number);
      iteration.result.status = std::isinf(losses[number]) ? IterationStatus::diverged : IterationStatus::finished;
      iteration.result.validation_loss = losses[number];
      file << journal_line(iteration, {}, header.seed());
    }
  }

  std::vector<StartTrial> start(const std::string& search) const {
    return start_trials_of(read_run(scratch_.path.string()), new_study(search));
  }
  std::string refusal(const std::string& search) const try {
    start(search);
    return "";
  } catch (const UsageError& error) {
    return error.what();
  }

 private:
  Scratch scratch_{"start_trials_test"};
};

const std::vector<double> losses = {0.8, 0.1, INFINITY, 0.5, 0.3, NAN, 0.2, 0.4};
const std::string rate = "train.learning_rate = log_uniform(1e-3, 1)\n";

using Rates = std::vector<StartTrial>;

}  // namespace

TEST_CASE("a search starts with the five best complete trials of an older run, best first") {
  const Run run(losses);
  CHECK(run.start(rate + "train.optimizer = adam, sgd, rmsprop\n") ==
        std::vector<StartTrial>{{{"train.optimizer", "sgd"}, {"train.learning_rate", "0.2"}},
                                {{"train.optimizer", "adam"}, {"train.learning_rate", "0.3"}},
                                {{"train.optimizer", "adam"}, {"train.learning_rate", "0.1"}},
                                {{"train.optimizer", "adam"}, {"train.learning_rate", "0.4"}},
                                {{"train.optimizer", "sgd"}, {"train.learning_rate", "0.4"}}});
}

TEST_CASE("keys that one of the studies does not search are left out, and equal trials occur once") {
  const Run run(losses);
  const auto rates = [](const std::vector<std::string>& values) {
    std::vector<StartTrial> trials;
    for (const std::string& value : values) trials.push_back({{"train.learning_rate", value}});
    return trials;
  };
  CHECK(run.start(rate) == rates({"0.2", "0.3", "0.1", "0.4"}));
  CHECK(run.start(rate + "model.hidden = 8, 16\n") == rates({"0.2", "0.3", "0.1", "0.4"}));
  CHECK(run.start("train.optimizer = adam, sgd\nmodel.hidden = 8, 16, 32, 64, 128\n") ==
        std::vector<StartTrial>{{{"train.optimizer", "sgd"}}, {{"train.optimizer", "adam"}}});
}

TEST_CASE("a search of few trials starts with few") {
  Study study = new_study(rate);
  study.search.trials = 2;
  const Run run(losses);
  CHECK(run.start(rate).size() == 4);
  CHECK(start_trials_of(read_run("start_trials_test"), study).size() == 2);
}

TEST_CASE("a value without effect in its trial may be outside the search") {
  const Study older = parse_study_text(
      "[data]\nsource = synthetic\ntask = regression\nmode = memory\ndraw = study\nvalidation = 0.5\n[run]\nengine = "
      "native\n"
      "[search]\ntrain.optimizer = adam, sgd\ntrain.momentum = 0.9, 0.95\n",
      "older", {});
  const Run run({0.1, 0.3, 0.2}, older);  // adam; sgd with each momentum
  const std::string keys = "train.optimizer = sgd, adam\ntrain.momentum = uniform(0.92, 0.99)\n";
  CHECK(run.refusal(keys).find("its train.momentum = 0.9 is outside the search: search.train.momentum = uniform(0.92, "
                               "0.99)") != std::string::npos);
  const Run others({0.1, NAN, 0.2}, older);
  CHECK(others.start(keys) == std::vector<StartTrial>{{{"train.optimizer", "adam"}},
                                                      {{"train.optimizer", "sgd"}, {"train.momentum", "0.95"}}});
}

TEST_CASE("a run that cannot start a search is refused with the reason") {
  const Run run(losses);
  CHECK(run.refusal("train.learning_rate = log_uniform(1e-3, 0.25)\n") ==
        "search.start cannot take trial 6 of '" + std::filesystem::absolute("start_trials_test").string() +
            "' (its train.learning_rate = 0.3 is outside the search: search.train.learning_rate = log_uniform(0.001, "
            "0.25)). Search this value, too, choose another run, or set search.start to trials.");
  CHECK_THAT(run.refusal("model.dropout = uniform(0, 0.5)\n"),
             ContainsSubstring("(it searches train.optimizer, train.learning_rate, and this study model.dropout)"));
  CHECK_THAT(Run({INFINITY, NAN}).refusal(rate), ContainsSubstring("(it has no complete trial)"));
  CHECK_THAT(Run({}).refusal(rate), ContainsSubstring("(it has no complete trial)"));
}

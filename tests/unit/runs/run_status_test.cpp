// SPDX-License-Identifier: MIT
#include "runs/run_status.hpp"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <optional>
#include <vector>

#include "core/error.hpp"
#include "core/version.hpp"
#include "runs/directory/run_directory.hpp"
#include "runs/directory/study_identity.hpp"
#include "runs/journal/journal_files.hpp"
#include "support/sample_results.hpp"

#include "support/catch.hpp"
#include "support/regression_study.hpp"
#include "support/settled.hpp"

using namespace sheaf;

namespace {

constexpr auto finished = IterationStatus::finished, diverged = IterationStatus::diverged,
               failed = IterationStatus::failed;

// Four trials with two folds: iterations 0..7.
SettledStudy grid_study() {
  Study study = test::regression_study();
  study.search.method = SearchMethod::grid;
  study.search.folds = 2;
  study.search.keys = {{"train.learning_rate", {"0.1", "0.2", "0.3", "0.4"}}};
  study.data.source = DataSource::synthetic;
  study.data.draw = Draw::study;
  study.data.mode = DataMode::memory;
  study.run.engine = EngineKind::native;
  return test::settled(study);
}

struct Line {
  std::int64_t iteration = 0;
  IterationStatus status = finished;
  double loss = 0;  // on the validation rows
};

// A run directory whose jobs had one rank each. Iterations of a job last a second and follow each other.
class Run {
 public:
  Run() { write_study(directory(), grid_study()); }

  std::string directory() const { return scratch_.path.string(); }

  std::string add_attempt(const std::vector<Line>& lines, JournalHeader header = own_header()) const {
    const std::string path = journal_path(begin_attempt(directory()), 0);
    std::ofstream file(path, std::ios::binary);
    file << header_line(header);
    double start = 5;
    for (const Line& line : lines) {
      TrainedIteration iteration;
      iteration.result.iteration = line.iteration;
      iteration.result.status = line.status;
      iteration.result.validation_loss = line.loss;
      iteration.result.final_loss = 1;
      iteration.result.start_seconds = start++;
      iteration.result.seconds = 1;
      if (line.status == failed) iteration.message = "out of memory";
      file << journal_line(iteration, {}, header.seed());
    }
    return path;
  }

  void add_results() const {
    for (const char* name : {"/results.csv", "/results.h5"}) std::ofstream(directory() + name) << "x";
  }

  RunState state() const { return read_run(directory()); }
  RunStatus status() const { return status_of(state()); }

  static JournalHeader own_header() { return {program_version(), study_fingerprint(grid_study()), "data"}; }

 private:
  Scratch scratch_{"run_status_test"};
};

}  // namespace

TEST_CASE("a run without a journal has no results") {
  const Run run;
  const RunStatus status = run.status();
  CHECK(status.activity == RunActivity::stopped);
  CHECK(status.iterations.total == 8);
  CHECK(status.iterations.left() == 8);
  CHECK(status.complete_trials == 0);
  CHECK_FALSE(status.best.has_value());
  CHECK_FALSE(status.best_iteration.has_value());
  CHECK_FALSE(status.rate.has_value());
  CHECK_FALSE(status.seconds_left().has_value());
  CHECK(status.attempts.empty());
}

TEST_CASE("the status counts iterations by their outcome") {
  const Run run;
  run.add_attempt({{0}, {1, diverged, NAN}, {2, failed}, {3, failed}});
  run.add_attempt({{3}, {4}, {4}, {7, IterationStatus::cut, 0}});
  const RunStatus status = run.status();
  CHECK(status.iterations.finished == 3);
  CHECK(status.iterations.diverged == 1);
  CHECK(status.iterations.failed == 1);
  CHECK(status.iterations.cut == 1);
  CHECK(status.iterations.left() == 3);
  CHECK(status.first_failed == 2);
  CHECK(status.first_failure == "out of memory");
  CHECK(status.repeated_results == 1);
  REQUIRE(status.attempts.size() == 2);
  CHECK(status.attempts[0].name == "00001");
  CHECK(status.attempts[0].results == 2);
  CHECK(status.attempts[1].results == 3);
}

TEST_CASE("the best trial is one of those with all iterations") {
  const Run run;
  run.add_attempt({{0, finished, 0.5}, {1, finished, 0.7}, {2, finished, 0.1}, {4, finished, 0.4}, {5, finished, 0.6}});
  const RunStatus status = run.status();
  CHECK(status.complete_trials == 2);
  REQUIRE(status.best.has_value());
  CHECK(status.best->trial == 2);
  CHECK(status.best->mean_validation_loss == 0.5);
  CHECK(status.best_iteration == 2);
  CHECK(status.best_cost == 0.1);
  run.add_attempt({{3, finished, 0.2}});
  CHECK(run.status().best->trial == 1);
}

TEST_CASE("the best trials are complete and in the order of the leaderboard") {
  const Run run;
  run.add_attempt({{0, finished, 0.5},
                   {1, finished, 0.7},
                   {2, finished, 0.1},
                   {4, finished, 0.4},
                   {5, finished, 0.6},
                   {6, diverged, NAN},
                   {7, finished, 0.1}});
  const RunState state = run.state();
  const auto trials = [&](std::int64_t count) {
    std::vector<std::int64_t> numbers;
    for (const TrialSummary& trial : best_trials(state, count)) numbers.push_back(trial.trial);
    return numbers;
  };
  CHECK(trials(5) == std::vector<std::int64_t>{2, 0, 3});
  CHECK(trials(1) == std::vector<std::int64_t>{2});
}

TEST_CASE("a trial counts with its last complete stage") {
  const Run run;
  run.add_attempt({{0, finished, 0.1},
                   {1, finished, 0.1},
                   {2, finished, 0.2},
                   {3, finished, 0.2},
                   {4, finished, 0.4},
                   {5, finished, 0.4},
                   {6, finished, 0.5},
                   {7, finished, 0.5}});
  RunState state = run.state();
  CHECK(status_of(state).best->trial == 0);
  state.plan.add({1, {{0, 2}}, {0, 1}, {0, 2}, 1, 0, std::nullopt});  // iterations 8 to 11
  ResultStore& results = state.progress.journals.iterations;
  for (const std::int64_t number : {8, 9, 10}) {
    TrainedIteration iteration;
    iteration.result.iteration = number;
    iteration.result.status = finished;
    iteration.result.validation_loss = 0.3;
    results.append(iteration, {}, 0);
  }
  results.settle();
  const RunStatus status = status_of(state);
  CHECK(status.complete_trials == 4);
  CHECK(status.best->trial == 1);  // trial 0 is worse in stage 1, which trial 1 has not completed
  CHECK(status.best->stage == 0);
}

TEST_CASE("the rate is that of the last attempt") {
  const Run run;
  run.add_attempt({{0}, {1}});
  CHECK(run.status().rate == 1);
  const std::string path = run.add_attempt({{2}, {3}, {4, failed}, {5}});  // three results in four seconds
  const RunStatus status = run.status();
  CHECK(status.rate == 0.75);
  CHECK(status.seconds_left() == 4);  // of iterations 4, 6 and 7
  begin_attempt(run.directory());
  CHECK_FALSE(run.status().rate.has_value());
}

TEST_CASE("array tasks at work add up their rates") {
  const Run run;
  for (const std::int64_t task : {0, 1, 2}) run.add_attempt({{task}, {task + 3}});
  const DirectoryLock one(run.directory(), task_lock_name(1, 3)), two(run.directory(), task_lock_name(2, 3));
  const RunStatus status = run.status();
  CHECK(status.activity == RunActivity::running);
  CHECK(status.rate == 2);
}

TEST_CASE("a run is finished if all iterations are known and the result files exist") {
  const Run run;
  run.add_attempt({{0}, {1}, {2}, {3}, {4}, {5}, {6}});
  run.add_results();
  CHECK(run.status().activity == RunActivity::stopped);
  run.add_attempt({{7, failed}});
  CHECK(run.status().activity == RunActivity::finished);
  const DirectoryLock lock(run.directory(), "lock");
  CHECK(run.status().activity == RunActivity::running);
}

TEST_CASE("a run whose study asks for more than was trained is not finished") {
  const Run run;
  run.add_attempt({{0}, {1}, {2}, {3}, {4}, {5}, {6}, {7}});
  run.add_results();
  CHECK(run.status().activity == RunActivity::finished);
  keep_earlier_results(run.directory(), 8);
  CHECK(run.status().activity == RunActivity::stopped);
  CHECK(run.state().earlier_results == 8);
  forget_earlier_results(run.directory());
  Study more = grid_study();
  more.search.keys[0].candidates.push_back("0.5");
  write_study(run.directory(), test::settled(more));
  // The fingerprint of journals counts only with the version of this program.
  std::string text = text_of(study_path(run.directory()));
  const std::string version = "sheaf " + program_version();
  text.replace(text.find(version), version.size(), "sheaf 0.0.1");
  std::ofstream(study_path(run.directory())) << text;
  CHECK(run.status().activity == RunActivity::stopped);
  CHECK(run.status().iterations.left() == 2);
}

TEST_CASE("checkpoints of iterations without a result are work that waits") {
  const Run run;
  run.add_attempt({{0}});
  std::filesystem::create_directory(checkpoint_directory(run.directory()));
  for (const char* name :
       {"/0-0-0-0.1", "/0-0-1-0.0", "/0-0-1-0.1", "/2-0-1-0.0", "/9-0-0-0.0", "/0-0-7-0.0", "/other"})
    std::ofstream(checkpoint_directory(run.directory()) + name) << "x";
  CHECK(run.status().waiting_checkpoints == 2);
}

TEST_CASE("an incomplete last line is no damage, and a damaged line is reported") {
  const Run run;
  const std::string path = run.add_attempt({{0}, {1}, {2}});
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 5);
  CHECK(run.status().iterations.finished == 2);
  CHECK(run.state().progress.journals.warnings.empty());
  std::string text = text_of(path);
  text[text.find("\"iteration\":1") + 20] ^= 1;
  std::ofstream(path, std::ios::binary) << text;
  CHECK(run.status().iterations.finished == 1);
  CHECK(run.state().progress.journals.warnings.size() == 1);
}

TEST_CASE("runs of other versions are read if their journals have the same format") {
  const Run run;
  std::string text = text_of(study_path(run.directory()));
  const std::string version = "sheaf " + program_version();
  text.replace(text.find(version), version.size(), "sheaf 0.0.1");
  std::ofstream(study_path(run.directory())) << text;
  run.add_attempt({{0}}, {"0.0.1", "another hash", "data"});
  CHECK(run.state().program == "0.0.1");
  CHECK(run.status().iterations.finished == 1);
  CHECK(run.state().progress.journals.warnings.empty());
  std::ofstream(study_path(run.directory())) << text << "\n[model]\nforgotten_key = 1\n";
  CHECK_THROWS_AS(run.state(), RunError);
  CHECK_THROWS_WITH(run.state(),
                    ContainsSubstring("forgotten_key") && ContainsSubstring("(it was written by sheaf 0.0.1)"));
}

TEST_CASE("a directory without a run is refused, and so are journals of another study") {
  const Run run;
  CHECK_THROWS_AS(read_run(run.directory() + "/journal"), UsageError);
  CHECK_THROWS_AS(read_run(run.directory() + "/missing"), UsageError);
  run.add_attempt({{0}}, {program_version(), "another hash", "data"});
  CHECK_THROWS_WITH(run.state(), ContainsSubstring("belongs to another study"));
}

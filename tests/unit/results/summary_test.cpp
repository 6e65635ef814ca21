// SPDX-License-Identifier: MIT
#include "results/summary.hpp"

#include "support/catch.hpp"

using namespace sheaf;

namespace {

// Trained by LibTorch, for the reasons of up to four trials.
RunResults finished_results(std::int64_t count) {
  RunResults results;
  results.records.resize(static_cast<std::size_t>(count));
  results.messages.resize(static_cast<std::size_t>(count));
  results.engine_reasons.resize(4);
  for (std::int64_t number = 0; number < count; ++number) {
    auto& record = results.records[static_cast<std::size_t>(number)];
    record.engine = TrainedBy::torch;
    record.iteration = number;
    record.status = IterationStatus::finished;
    record.final_loss = 1.04321 + static_cast<double>(number);
    record.validation_loss = 0.5;
    record.validation_score = 0.9 + 0.01 * static_cast<double>(number);
  }
  return results;
}

}  // namespace

TEST_CASE("plain iterations print a line each") {
  Study study;
  study.study.iterations = 2;
  CHECK(summary_text(study, Plan(study), finished_results(2)) ==
        "Iteration 0 final loss: 1.0432\n"
        "Iteration 1 final loss: 2.0432\n"
        "engine: torch 2 iterations\n");
}

TEST_CASE("diverged iterations are counted") {
  Study study;
  study.study.iterations = 2;
  auto results = finished_results(2);
  results.records[1].status = IterationStatus::diverged;
  CHECK_THAT(summary_text(study, Plan(study), results), ContainsSubstring("1 of 2 iterations diverged"));
}

TEST_CASE("a search prints its leaderboard and the best parameters") {
  Study study;
  study.data.task = Task::classification;
  study.search.method = SearchMethod::grid;
  study.search.folds = 2;
  study.search.keys = {{"train.learning_rate", {"0.1", "0.01"}}};
  CHECK(summary_text(study, Plan(study), finished_results(4)) ==
        "rank  train.learning_rate  mean accuracy     std  validation loss  final loss\n"
        "   1                 0.01         0.9250  0.0050              0.5      3.5432\n"
        "   2                  0.1         0.9050  0.0050              0.5      1.5432\n"
        "Best: train.learning_rate = 0.01 (mean accuracy 0.9250 over 2 folds)\n"
        "engine: torch 4 iterations\n");
}

TEST_CASE("an ensemble prints its members and its own score") {
  Study study;
  study.data.task = Task::classification;
  study.data.validation = 0.2;
  study.ensemble.members = 2;
  RunResults results = finished_results(2);
  results.ensembles = {{0, 0, 0, 0.97, 0.905}};
  CHECK(summary_text(study, Plan(study), results) ==
        "Iteration 0 (member 0) final loss: 1.0432  validation loss: 0.5000  accuracy: 0.9000\n"
        "Iteration 1 (member 1) final loss: 2.0432  validation loss: 0.5000  accuracy: 0.9100\n"
        "Ensemble of 2 members accuracy: 0.9700 (members' mean 0.9050)\n"
        "engine: torch 2 iterations\n");
  study.data.validation = 0;
  results.ensembles.clear();
  CHECK_THAT(summary_text(study, Plan(study), results), ContainsSubstring("Set data.validation"));
}

TEST_CASE("the engines are counted from the records, with the different reasons of LibTorch's trials") {
  Study study;
  study.search.method = SearchMethod::grid;
  study.search.folds = 2;
  study.search.keys = {{"model.kind", {"linear", "mlp", "cnn"}}, {"train.epochs", {"1"}}};
  RunResults results = finished_results(6);
  results.engine_reasons = {"", "run.threads = 2", "a cnn has convolutions"};
  const auto trained_by = [&](const std::vector<TrainedBy>& engines) {
    for (std::size_t number = 0; number < engines.size(); ++number) results.records[number].engine = engines[number];
    const std::string text = summary_text(study, Plan(study), results);
    return text.substr(text.find("engine: "));
  };
  constexpr auto torch = TrainedBy::torch, resident = TrainedBy::resident;
  CHECK(trained_by({resident, resident, resident, resident, resident, resident}) == "engine: resident 6 iterations\n");
  CHECK(trained_by({resident, resident, resident, resident, resident, torch}) ==
        "engine: torch 1 iteration (a cnn has convolutions), resident 5 iterations\n");
  CHECK(trained_by({torch, torch, torch, torch, torch, torch}) ==
        "engine: torch 6 iterations (run.threads = 2; a cnn has convolutions)\n");
}

TEST_CASE("failed iterations are counted, with the first one's reason") {
  Study study;
  study.study.iterations = 3;
  auto results = finished_results(3);
  for (const std::size_t number : {1, 2}) {
    results.records[number].status = IterationStatus::failed;
    results.messages[number] = "reason " + std::to_string(number);
  }
  CHECK_THAT(summary_text(study, Plan(study), results),
             ContainsSubstring("2 of 3 iterations failed (iteration 1: reason 1)\n"));
}

// SPDX-License-Identifier: MIT
#include "runs/results/summary.hpp"

#include <limits>

#include "study/metrics.hpp"
#include "support/catch.hpp"
#include "support/regression_study.hpp"
#include "support/whole_plan.hpp"

using namespace sheaf;

namespace {

// Results of iterations that LibTorch trained.
std::vector<TrainedIteration> finished_iterations(std::int64_t count) {
  std::vector<TrainedIteration> iterations(static_cast<std::size_t>(count));
  for (std::int64_t number = 0; number < count; ++number) {
    auto& result = iterations[static_cast<std::size_t>(number)].result;
    result.engine = "torch";
    result.iteration = number;
    result.status = IterationStatus::finished;
    result.final_loss = 1.04321 + static_cast<double>(number);
    result.validation_loss = 0.5;
    result.validation_score = 0.9 + 0.01 * static_cast<double>(number);
  }
  return iterations;
}

// `ensemble` is the only ensemble; its last member is the last iteration. `engines` has the engines of the trials in
// the order in which they are asked for.
std::string summary_of(const Study& study, const std::vector<TrainedIteration>& iterations,
                       const EnsembleResult* ensemble = nullptr,
                       const std::vector<TrialEngine>& engines = std::vector<TrialEngine>(4), std::size_t width = 100) {
  const Plan plan = test::whole_plan(study);
  std::size_t asked = 0;
  ResultTally tally(study, plan, [&](const Trial&) { return engines[asked++]; });
  for (const auto& iteration : iterations) tally.add(iteration, &iteration == &iterations.back() ? ensemble : nullptr);
  return summary_text(study, plan, tally.finish(), width);
}

}  // namespace

TEST_CASE("iterations without a search are printed on one line each") {
  Study study = test::regression_study();
  study.study.iterations = 2;
  CHECK(summary_of(study, finished_iterations(2)) ==
        "Iteration 0 final loss: 1.0432\n"
        "Iteration 1 final loss: 2.0432\n"
        "engine: torch 2 iterations\n");
}

TEST_CASE("the summary has the metrics of run.metrics") {
  Study study = test::regression_study();
  study.data.validation = 0.2;
  study.run.metrics = {MetricKind::accuracy, MetricKind::mae};
  const auto with_metrics = [](std::int64_t count) {
    auto iterations = finished_iterations(count);
    for (auto& iteration : iterations) iteration.metrics = {0.25, std::numeric_limits<double>::quiet_NaN()};
    return iterations;
  };
  CHECK_THAT(summary_of(study, with_metrics(1)), ContainsSubstring("  accuracy: 0.2500  MAE: not defined\n"));
  study.study.iterations = 21;
  CHECK_THAT(summary_of(study, with_metrics(21)),
             ContainsSubstring("\naccuracy         0.2500  0.0000   0.2500   0.2500\n"));
  study.study.iterations = 1;
  study.search.method = SearchMethod::grid;
  study.search.keys = {{"train.learning_rate", {"0.1", "0.01"}}};
  const std::string text = summary_of(study, with_metrics(2));
  CHECK_THAT(text, ContainsSubstring("mean accuracy"));
  CHECK_THAT(text, ContainsSubstring("0.2500"));
}

TEST_CASE("a metric of run.metrics that is the score is shown once") {
  Study study = test::regression_study();
  study.data.validation = 0.2;
  study.run.metrics = {MetricKind::r2};
  const auto r2_count = [&](std::int64_t count) {
    auto iterations = finished_iterations(count);
    for (auto& iteration : iterations) iteration.metrics = {iteration.result.validation_score};
    const std::string text = summary_of(study, iterations);
    std::size_t times = 0;
    for (std::size_t at = 0; (at = text.find("R2", at)) != text.npos; ++at) ++times;
    return times;
  };
  CHECK(r2_count(1) == 1);
  study.study.iterations = 21;
  CHECK(r2_count(21) == 1);
  study.study.iterations = 1;
  study.search.method = SearchMethod::grid;
  study.search.keys = {{"train.learning_rate", {"0.1", "0.01"}}};
  CHECK(r2_count(2) == 2);  // in the leaderboard and in the line of the best trial
}

TEST_CASE("small losses keep their digits, and an undefined score is named") {
  Study study = test::regression_study();
  study.data.validation = 0.2;
  auto iterations = finished_iterations(1);
  iterations[0].result.final_loss = 2.34567e-5;
  iterations[0].result.validation_loss = 1e-7;
  iterations[0].result.validation_score = std::numeric_limits<double>::quiet_NaN();
  const std::string line = "Iteration 0 final loss: 2.3457e-05  validation loss: 1e-07  R2: ";
  CHECK_THAT(summary_of(study, iterations), ContainsSubstring(line + "not defined\n"));
  iterations[0].result.validation_loss = std::numeric_limits<double>::quiet_NaN();
  CHECK_THAT(summary_of(study, iterations), ContainsSubstring("R2: nan\n"));
}

TEST_CASE("more than 20 iterations are printed as a table of their spread, without those that did not finish") {
  Study study = test::regression_study();
  study.data.task = Task::classification;
  study.study.iterations = 20;
  CHECK_THAT(summary_of(study, finished_iterations(20)), ContainsSubstring("Iteration 19 final loss: 20.043\n"));
  study.study.iterations = 21;
  study.data.validation = 0.2;
  auto iterations = finished_iterations(21);
  iterations[20].result.status = IterationStatus::diverged;
  iterations[20].result.final_loss = std::numeric_limits<double>::infinity();
  iterations[0].result.status = IterationStatus::failed;
  CHECK(summary_of(study, iterations) ==
        "19 iterations finished; each is in results.csv and results.h5\n"
        "                   mean     std  minimum  maximum\n"
        "final loss       11.043  5.4772   2.0432   20.043\n"
        "validation loss     0.5       0      0.5      0.5\n"
        "accuracy         1.0000  0.0548   0.9100   1.0900\n"
        "engine: torch 21 iterations\n"
        "1 of 21 iterations diverged (their loss is not finite)\n"
        "1 of 21 iterations failed (iteration 0: )\n");
}

TEST_CASE("a table of iterations without any finished one has empty cells") {
  Study study = test::regression_study();
  study.study.iterations = 21;
  auto iterations = finished_iterations(21);
  for (auto& iteration : iterations) iteration.result.status = IterationStatus::diverged;
  CHECK_THAT(summary_of(study, iterations), ContainsSubstring("0 iterations finished; "));
  CHECK_THAT(summary_of(study, iterations), ContainsSubstring("\nfinal loss\n"));
}

TEST_CASE("more than 20 ensembles are printed as a spread of their scores") {
  Study study = test::regression_study();
  study.data.validation = 0.2;
  study.study.iterations = 21;
  study.ensemble.members = 2;
  const Plan plan = test::whole_plan(study);
  ResultTally tally(study, plan, [](const Trial&) { return TrialEngine{}; });
  const auto iterations = finished_iterations(42);
  for (const auto& iteration : iterations) {
    const EnsembleResult ensemble{0, 0, iteration.result.iteration / 2, 0, 0.75, 0.5};
    tally.add(iteration, iteration.result.iteration % 2 == 1 ? &ensemble : nullptr);
  }
  const std::string text = summary_text(study, plan, tally.finish(), 100);
  CHECK_THAT(text, ContainsSubstring("\nensemble R2"));
  CHECK(text.find("Ensemble of") == std::string::npos);
}

TEST_CASE("diverged iterations are counted") {
  Study study = test::regression_study();
  study.study.iterations = 2;
  auto iterations = finished_iterations(2);
  iterations[1].result.status = IterationStatus::diverged;
  CHECK_THAT(summary_of(study, iterations), ContainsSubstring("1 of 2 iterations diverged"));
  study.study.iterations = 1;
  iterations[0].result.status = IterationStatus::diverged;
  CHECK_THAT(summary_of(study, {iterations[0]}), ContainsSubstring("1 of 1 iteration diverged"));
}

TEST_CASE("a search prints its leaderboard and the best values") {
  Study study = test::regression_study();
  study.data.task = Task::classification;
  study.search.method = SearchMethod::grid;
  study.search.folds = 2;
  study.search.keys = {{"train.learning_rate", {"0.1", "0.01"}}};
  CHECK(summary_of(study, finished_iterations(4)) ==
        "rank  train.learning_rate  mean accuracy     std  validation loss  final loss\n"
        "   1                 0.01         0.9250  0.0050              0.5      3.5432\n"
        "   2                  0.1         0.9050  0.0050              0.5      1.5432\n"
        "Best: train.learning_rate = 0.01 (mean validation loss 0.5, accuracy 0.9250 over 2 folds)\n"
        "engine: torch 4 iterations\n");
}

TEST_CASE("the summary counts the iterations that were cut, and the leaderboard marks their trials") {
  Study study = test::regression_study();
  study.data.task = Task::classification;
  study.search.method = SearchMethod::grid;
  study.search.folds = 2;
  study.search.keys = {{"train.learning_rate", {"0.1", "0.01"}}};
  auto iterations = finished_iterations(4);
  iterations[2].result.status = IterationStatus::cut;
  CHECK(summary_of(study, iterations) ==
        "rank  train.learning_rate  cut  mean accuracy     std  validation loss  final loss\n"
        "   1                 0.01  1/2         0.9250  0.0050              0.5      3.5432\n"
        "   2                  0.1              0.9050  0.0050              0.5      1.5432\n"
        "Best: train.learning_rate = 0.01 (mean validation loss 0.5, accuracy 0.9250 over 2 folds)\n"
        "engine: torch 4 iterations\n"
        "1 of 4 iterations cut (search.time was over; their best epochs so far count)\n");
}

TEST_CASE("a leaderboard of different losses names the metric that ranks it") {
  Study study = test::regression_study();
  study.data.task = Task::classification;
  study.search.method = SearchMethod::grid;
  study.search.folds = 2;
  study.search.keys = {{"train.loss", {"cross_entropy", "bce"}}};
  CHECK_THAT(summary_of(study, finished_iterations(4)),
             ContainsSubstring("Ranked by accuracy (losses of different kinds are not comparable)\n"
                               "Best: train.loss = bce (mean accuracy 0.9250 over 2 folds)\n"));
  study.search.metric = "accuracy";  // not chosen because of the losses
  CHECK_THAT(summary_of(study, finished_iterations(4)), !ContainsSubstring("Ranked by"));
}

TEST_CASE("a leaderboard that is too wide has short headers, and loses the final loss first") {
  Study study = test::regression_study();
  study.data.task = Task::classification;
  study.search.method = SearchMethod::grid;
  study.search.folds = 2;
  study.search.keys = {{"train.learning_rate", {"0.1", "0.01"}}};
  const auto table = [&](std::size_t width) {
    const std::string text = summary_of(study, finished_iterations(4), nullptr, std::vector<TrialEngine>(4), width);
    return text.substr(0, text.find("Best:"));
  };
  CHECK(table(60) ==
        "rank  learning_rate  accuracy     std  val. loss  final loss\n"
        "   1           0.01    0.9250  0.0050        0.5      3.5432\n"
        "   2            0.1    0.9050  0.0050        0.5      1.5432\n");
  CHECK(table(45) ==
        "rank  lea...rate  accuracy     std  val. loss\n"
        "   1        0.01    0.9250  0.0050        0.5\n"
        "   2         0.1    0.9050  0.0050        0.5\n"
        "(1 column not shown; see results.h5)\n");
  study.search.metric = "loss";
  CHECK(table(40) ==
        "rank  learning_rate  accuracy  val. loss\n"
        "   1           0.01    0.9250        0.5\n"
        "   2            0.1    0.9050        0.5\n"
        "(2 columns not shown; see results.h5)\n");
  study.search.metric = "auto";
  CHECK(table(30) ==
        "rank  learning_rate  accuracy\n"
        "   1           0.01    0.9250\n"
        "   2            0.1    0.9050\n"
        "(3 columns not shown; see results.h5)\n");
}

TEST_CASE("no trial is the best if none has a score") {
  Study study = test::regression_study();
  study.search.method = SearchMethod::grid;
  study.search.keys = {{"train.learning_rate", {"0.1", "0.01"}}};
  auto iterations = finished_iterations(2);
  for (auto& iteration : iterations) {
    iteration.result.status = IterationStatus::diverged;
    iteration.result.final_loss = std::numeric_limits<double>::quiet_NaN();
  }
  const std::string text = summary_of(study, iterations);
  CHECK_THAT(text, ContainsSubstring("Best: none (each trial has iterations that diverged or failed)\n"));
}

TEST_CASE("trials whose score is not defined are ranked by their validation losses") {
  Study study = test::regression_study();
  study.data.validation = 0.1;
  study.search.metric = "r2";
  study.search.method = SearchMethod::grid;
  study.search.keys = {{"train.learning_rate", {"0.1", "0.01"}}};
  auto iterations = finished_iterations(2);
  for (auto& iteration : iterations) {
    iteration.result.validation_loss = iteration.result.iteration == 0 ? 0.5 : 0.25;
    iteration.result.validation_score = std::numeric_limits<double>::quiet_NaN();
  }
  CHECK_THAT(summary_of(study, iterations),
             ContainsSubstring("Best: train.learning_rate = 0.01 (mean validation loss 0.25 over 1 fit; R2 is not "
                               "defined for all of them)\n"));
}

TEST_CASE("the summary counts the trials whose score is not defined in some folds") {
  Study study = test::regression_study();
  study.search.metric = "r2";
  study.search.method = SearchMethod::grid;
  study.search.folds = 2;
  study.search.keys = {{"train.learning_rate", {"0.1", "0.01"}}};
  auto iterations = finished_iterations(4);
  CHECK_THAT(summary_of(study, iterations), !ContainsSubstring("not defined"));
  iterations[2].result.validation_score = std::numeric_limits<double>::quiet_NaN();
  CHECK_THAT(
      summary_of(study, iterations),
      ContainsSubstring("\n1 of 2 trials has fits for which R2 is not defined; the mean is over the other fits\n"
                        "Best: train.learning_rate = 0.01 (mean R2 0.9300 over 2 folds, R2 defined in 1 of 2)\n"));
}

TEST_CASE("the best line counts folds and repeats, or fits if there are none") {
  Study study = test::regression_study();
  study.search.method = SearchMethod::grid;
  study.search.keys = {{"train.learning_rate", {"0.1", "0.01"}}};
  CHECK_THAT(summary_of(study, finished_iterations(2)), ContainsSubstring(" over 1 fit)"));
  study.study.iterations = 2;
  CHECK_THAT(summary_of(study, finished_iterations(4)), ContainsSubstring(" over 2 repeats)"));
  study.search.folds = 2;
  CHECK_THAT(summary_of(study, finished_iterations(8)), ContainsSubstring(" over 2 folds x 2 repeats)"));
}

TEST_CASE("an ensemble prints its members and its own score") {
  Study study = test::regression_study();
  study.data.task = Task::classification;
  study.data.validation = 0.2;
  study.ensemble.members = 2;
  const auto iterations = finished_iterations(2);
  const EnsembleResult ensemble{0, 0, 0, 0, 0.97, 0.905};
  CHECK(summary_of(study, iterations, &ensemble) ==
        "Iteration 0 (member 0) final loss: 1.0432  validation loss: 0.5  accuracy: 0.9000\n"
        "Iteration 1 (member 1) final loss: 2.0432  validation loss: 0.5  accuracy: 0.9100\n"
        "Ensemble of 2 members accuracy: 0.9700 (mean of members 0.9050)\n"
        "engine: torch 2 iterations\n");
  study.data.validation = 0;
  CHECK_THAT(summary_of(study, iterations), ContainsSubstring("Set data.validation"));
}

TEST_CASE("iterations are counted by engine, with the reasons for using LibTorch") {
  Study study = test::regression_study();
  study.search.method = SearchMethod::grid;
  study.search.folds = 2;
  study.search.keys = {{"model.kind", {"linear", "mlp", "cnn"}}, {"train.epochs", {"1"}}};
  auto iterations = finished_iterations(6);
  // The first iterations were trained on cores, the rest on a GPU.
  const auto trained_by = [&](const std::vector<EngineName>& engines, std::size_t on_cores) {
    for (std::size_t number = 0; number < engines.size(); ++number) {
      iterations[number].result.engine = engines[number];
      iterations[number].result.gpu = number < on_cores ? -1 : 0;
    }
    const ChosenEngine native{"native", {}}, slow_cores{"torch", "a GPU is faster"}, for_gpus{"torch", "for GPUs"},
        convolutions{"torch", "the network has convolutions"};
    const std::string text = summary_of(study, iterations, nullptr,
                                        {{native, native}, {slow_cores, for_gpus}, {convolutions, convolutions}});
    return text.substr(text.find("engine: "));
  };
  const EngineName torch = "torch", native = "native";
  CHECK(trained_by({native, native, native, native, native, native}, 6) == "engine: native 6 iterations\n");
  CHECK(trained_by({native, native, native, native, native, torch}, 6) ==
        "engine: native 5 iterations, torch 1 iteration (the network has convolutions)\n");
  CHECK(trained_by({native, native, native, native, native, torch}, 5) ==
        "engine: native 5 iterations, torch 1 iteration (the network has convolutions)\n");
  CHECK(trained_by({torch, torch, torch, torch, torch, torch}, 0) ==
        "engine: torch 6 iterations (a GPU is faster; the network has convolutions)\n");
  CHECK(
      trained_by({torch, torch, torch, torch, torch, torch}, 3) ==
      "engine: torch 3 iterations on GPUs (a GPU is faster; the network has convolutions), torch 3 iterations on cores "
      "(for GPUs)\n");
}

TEST_CASE("the summary has the share of the time for which several lanes were idle") {
  const Study study = test::regression_study();
  const Plan plan = test::whole_plan(study);
  ResultTally tally(study, plan, [](const Trial&) { return TrialEngine(); });
  tally.add(finished_iterations(1).front(), nullptr);
  RunResults results = tally.finish();
  const auto line_of = [&](std::int64_t lanes, std::optional<double> idle_share) {
    results.ranks = RankTable({RankInfo{"host", "cpu", 4, lanes, 1, ""}});
    results.idle_share = idle_share;
    const std::string text = summary_text(study, plan, results, 100);
    const auto begin = text.find("lanes: ");
    return begin == std::string::npos ? "" : text.substr(begin);
  };
  CHECK(line_of(3, 0.0421) == "lanes: 3, idle for 4.2 % of the time\n");
  CHECK(line_of(1, 0.0421).empty());
  CHECK(line_of(3, std::nullopt).empty());
}

TEST_CASE("the line for the models of a run names their files and the command that predicts with them") {
  RunResults results;
  results.best_models = {"models/iteration-12.pt"};
  CHECK(models_line("runs/x", results) ==
        "best model: runs/x/models/iteration-12.pt; predict with: sheaf predict runs/x NEW.csv OUT.csv");
  results.refit.emplace();  // without models: one of its trainings did not finish
  CHECK(StartsWith("best model: runs/x/models/iteration-12.pt;").match(models_line("runs/x", results)));
  results.refit->models = {"models/iteration-20.pt", "models/iteration-21.pt"};
  CHECK(models_line("runs/x", results) ==
        "refit: runs/x/models/iteration-20.pt (ensemble of 2); predict with: sheaf predict runs/x NEW.csv OUT.csv");
  results.trial_ensemble.emplace();  // without the option, the ensemble predicts
  CHECK_THAT(models_line("runs/x", results), EndsWith("sheaf predict runs/x NEW.csv OUT.csv --model=refit"));
  results.refit.reset();
  CHECK_THAT(models_line("runs/x", results), EndsWith("sheaf predict runs/x NEW.csv OUT.csv --model=best"));
}

TEST_CASE("a refit has a line of its own and changes nothing else") {
  for (const bool best_weights : {true, false}) {
    Study study = test::regression_study();
    study.study.iterations = 2;
    study.ensemble.members = 2;
    study.train.best_weights = best_weights;
    Plan plan = test::whole_plan(study);
    plan.add(refit_stage(plan, {{0, 7, 60, {}}}));
    ResultTally tally(study, plan, [](const Trial&) { return TrialEngine(); });
    auto iterations = finished_iterations(6);
    iterations[5].result.status = IterationStatus::diverged;
    for (const auto& iteration : iterations) tally.add(iteration, nullptr);
    RunResults results = tally.finish();
    results.refit->rows = 1797;
    CHECK(results.search_iterations() == 4);
    CHECK(results.final_values.size() == 4);
    CHECK(results.trials.front().iterations == 4);
    CHECK(results.refit->finished() == 1);
    const std::string text = summary_text(study, plan, results, 100);
    CHECK_THAT(text, ContainsSubstring("Iteration 3 (member 1) final loss: 4.0432\n"));
    CHECK_THAT(text, !ContainsSubstring("Iteration 4"));
    CHECK_THAT(text,
               ContainsSubstring(best_weights
                                     ? "Refit: the best trial was trained again on all 1797 rows for 420 steps (median "
                                       "best epoch 6); 1 of 2 trainings did not finish\n"
                                     : "Refit: the best trial was trained again on all 1797 rows for 420 steps (7 "
                                       "epochs of the median fit); 1 of 2 trainings did not finish\n"));
  }
}

TEST_CASE("failed iterations are counted, and the reason of the first one is printed") {
  Study study = test::regression_study();
  study.study.iterations = 3;
  auto iterations = finished_iterations(3);
  for (const std::size_t number : {1, 2}) {
    iterations[number].result.status = IterationStatus::failed;
    iterations[number].message = "reason " + std::to_string(number);
  }
  CHECK_THAT(summary_of(study, iterations), ContainsSubstring("2 of 3 iterations failed (iteration 1: reason 1)\n"));
}

// SPDX-License-Identifier: MIT
#include "runs/results/table.hpp"

#include <limits>
#include <memory>

#include "study/metrics.hpp"
#include "support/catch.hpp"
#include "support/regression_study.hpp"
#include "support/whole_plan.hpp"

using namespace sheaf;

namespace {

std::string csv_text(const Table& table) {
  return csv_header(table) + csv_rows(table);
}

}  // namespace

TEST_CASE("CSV quotes text as needed, prints all digits of numbers, and leaves NaN empty") {
  const Table table = {{"name", std::vector<std::string>{"64, 32", "a\"b"}},
                       {"count", std::vector<std::int64_t>{-1, 1234567890123}},
                       {"loss", std::vector<double>{0.1, std::numeric_limits<double>::quiet_NaN()}}};
  CHECK(csv_text(table) ==
        "name,count,loss\n"
        "\"64, 32\",-1,0.1\n"
        "\"a\"\"b\",1234567890123,\n");
  CHECK(csv_text({{"empty", std::vector<double>{}}}) == "empty\n");
}

TEST_CASE("the columns of iterations are in the documented order") {
  Study study = test::regression_study();
  study.search.method = SearchMethod::grid;
  study.search.folds = 2;
  study.search.keys = {{"train.learning_rate", {"0.1", "0.01"}}};
  const Plan plan = test::whole_plan(study);
  std::vector<TrainedIteration> iterations(4);
  for (std::int64_t number = 0; number < 4; ++number) {
    auto& result = iterations[static_cast<std::size_t>(number)].result;
    result.iteration = number;
    result.status = IterationStatus::finished;
    result.engine = number < 2 ? "native" : "torch";
    result.final_loss = 0.25 * static_cast<double>(number);
  }
  iterations[3].result.gpu = 1;
  iterations[2].result.status = IterationStatus::failed;
  iterations[2].message = "out of memory, twice";
  const std::string text = csv_text(iteration_table(plan, iterations));
  CHECK(text.substr(0, text.find('\n')) ==
        "iteration,stage,trial,fold,member,repeat,seed,train.learning_rate,status,final_loss,validation_loss,"
        "validation_score,epochs,best_epoch,steps,seconds,data_seconds,training_seconds,validation_seconds,wait_"
        "seconds,rank,lane,"
        "device,engine,message");
  CHECK(text.find("\n1,0,0,1,0,0,") != std::string::npos);
  CHECK(text.find(",0.1,finished,0.25,,,0,,0,0,0,0,0,0,-1,-1,cpu,native,\n") != std::string::npos);
  CHECK(text.find(",0.01,finished,0.75,,,0,,0,0,0,0,0,0,-1,-1,cuda:1,torch,\n") != std::string::npos);
  CHECK(text.find(",0.01,failed,0.5,,,0,,0,0,0,0,0,0,-1,-1,cpu,torch,\"out of memory, twice\"\n") != std::string::npos);
}

TEST_CASE("the column of a searched key has the type of the key, and the CSV has the text of the study") {
  Study study = test::regression_study();
  study.search.method = SearchMethod::grid;
  study.search.keys = {{"train.learning_rate", {"1e-05", "1"}},
                       {"train.epochs", {"5"}},
                       {"train.shuffle", {"false"}},
                       {"train.batch_size", {"32", "full"}},
                       {"model.hidden", {"64"}},
                       {"train.optimizer", {"sgd"}},
                       {"model.kernel", {"3"}}};
  const Plan plan = test::whole_plan(study);
  std::vector<TrialSummary> trials(4);
  for (std::size_t number = 0; number < trials.size(); ++number)
    trials[number].trial = static_cast<std::int64_t>(number);
  const Table table = trial_table(plan, trials);
  using Kind = ColumnType::Kind;
  const std::vector<Kind> kinds = {Kind::real, Kind::integer, Kind::flag,   Kind::text,
                                   Kind::text, Kind::text,    Kind::integer};
  const Table searched(table.begin() + 3, table.begin() + 10);
  for (const auto& types : {column_types(table), trial_columns(plan)})
    for (std::size_t key = 0; key < kinds.size(); ++key) {
      CAPTURE(types[key + 3].name);
      CHECK(types[key + 3].kind == kinds[key]);
    }
  CHECK(csv_rows(searched) ==
        "1e-05,5,false,32,64,sgd,3\n1e-05,5,false,full,64,sgd,3\n"
        "1,5,false,32,64,sgd,3\n1,5,false,full,64,sgd,3\n");
}

TEST_CASE("epochs are written one per row, with empty cells for epochs without validation") {
  TrainedIteration iteration;
  iteration.epochs = {{3, 0, 0.5}, {3, 1, 0.25, 0.75, 0.875}};
  CHECK(csv_text(epoch_table({iteration})) ==
        "iteration,epoch,training_loss,validation_loss,validation_score\n"
        "3,0,0.5,,\n"
        "3,1,0.25,0.75,0.875\n");
}

TEST_CASE("metrics have a column in each table, which is empty for failed iterations") {
  const Plan plan = test::whole_plan(test::regression_study());
  const std::vector<MetricChoice> metrics = {MetricKind::r2, MetricKind::accuracy};
  TrainedIteration finished, failed;
  finished.result.iteration = failed.result.iteration = 0;
  finished.metrics = {0.5, 0.25};
  finished.epochs = {{0, 0, 1, 1, 1}, {0, 1, 2, 2, 2}};
  finished.epoch_metrics = {0.125, 0.375, 0.5, 0.25};
  failed.epochs = {{0, 0, 3, 3, 3}};
  const std::string iterations = csv_text(iteration_table(plan, {finished, failed}, metrics));
  CHECK(iterations.find(",engine,r2,accuracy,message\n") != std::string::npos);
  CHECK(iterations.find(",none,0.5,0.25,\n") != std::string::npos);
  CHECK(iterations.find(",none,,,\n") != std::string::npos);
  CHECK(csv_text(epoch_table({finished, failed}, metrics)) ==
        "iteration,epoch,training_loss,validation_loss,validation_score,r2,accuracy\n"
        "0,0,1,1,1,0.125,0.375\n"
        "0,1,2,2,2,0.5,0.25\n"
        "0,0,3,3,3,,\n");
  TrialSummary trial;
  trial.mean_metrics = {0.5, 0.75};
  CHECK(csv_text(trial_table(plan, {trial}, metrics))
            .find("mean_score,score_deviation,scores,mean_validation_loss,mean_final_loss,mean_r2,mean_accuracy,"
                  "iterations") != std::string::npos);
  EnsembleResult ensemble;
  ensemble.metrics = {0.5, 0.75};
  CHECK(csv_text(ensemble_table({ensemble}, metrics)) ==
        "stage,trial,repeat,fold,score,mean_member_score,r2,accuracy\n0,0,0,0,0,0,0.5,0.75\n");
}

TEST_CASE("predictions have a row per validation row, with targets in the units of the file") {
  const std::vector<std::int64_t> labels = {1, 0, 1, 0};
  DataSet classes;
  classes.rows = 4;
  classes.output_count = 2;
  classes.task = Task::classification;
  classes.labels = labels.data();
  const auto fold = std::shared_ptr<const std::int32_t>(new std::int32_t[4]{0, 1, 0, 1},
                                                        [](const std::int32_t* folds) { delete[] folds; });
  const Table table = prediction_table(5, {0.25f, 0.75f, 0.5f, 0.5f}, classes, RowSet::in_fold(fold, 4, 1));
  REQUIRE(table.size() == 4);
  CHECK(std::get<std::vector<std::int64_t>>(table[0].values) == std::vector<std::int64_t>{5, 5});
  CHECK(std::get<std::vector<std::int64_t>>(table[1].values) == std::vector<std::int64_t>{1, 3});
  CHECK(std::get<std::vector<std::int64_t>>(table[2].values) == std::vector<std::int64_t>{0, 0});
  CHECK(std::get<std::vector<float>>(table[3].values) == std::vector<float>{0.25f, 0.75f, 0.5f, 0.5f});
  CHECK(table[3].width == 2);
  CHECK(prediction_columns(classes).back().width == 2);

  const std::vector<float> targets = {1, 2, 3, 4};
  DataSet numbers;
  numbers.rows = 2;
  numbers.output_count = 2;
  numbers.targets = targets.data();
  Table values = prediction_table(0, {1.5f, 2, 3, 4}, numbers, RowSet::all(2));
  CHECK(std::get<std::vector<double>>(values[2].values) == std::vector<double>{1, 2, 3, 4});
  CHECK(std::get<std::vector<float>>(values[3].values).front() == 1.5f);
  numbers.target_offsets = {1e6, 0};
  values = prediction_table(0, {1.5f, 2, 3, 4}, numbers, RowSet::all(2));
  CHECK(std::get<std::vector<double>>(values[2].values) == std::vector<double>{1000001, 2, 1000003, 4});
  CHECK(std::get<std::vector<double>>(values[3].values) == std::vector<double>{1000001.5, 2, 1000003, 4});
}

TEST_CASE("text columns are wide enough for the longest text of all iterations and trials") {
  Study study = test::regression_study();
  study.search.method = SearchMethod::grid;
  study.search.keys = {{"model.hidden", {"64", "16 16", "32"}}};
  const Plan plan = test::whole_plan(study);
  TrainedIteration failed;
  failed.result.status = IterationStatus::failed;
  failed.message = "out of memory";
  failed.epochs.resize(2);
  TrainedIteration diverged;
  diverged.result.status = IterationStatus::diverged;
  diverged.result.gpu = 12;
  diverged.result.engine = "torch";
  TableExtent extent;
  extent.add(failed);
  extent.add(diverged);
  CHECK(extent.epochs == 2);
  const auto bytes_of = [](const std::vector<ColumnType>& types, const std::string& name) {
    for (const auto& type : types)
      if (type.name == name && type.kind == ColumnType::Kind::text) return type.text_bytes;
    return std::size_t{0};
  };
  const auto types = iteration_columns(plan, extent);
  CHECK(bytes_of(types, "status") == 8);
  CHECK(bytes_of(types, "device") == 7);
  CHECK(bytes_of(types, "engine") == 5);
  CHECK(bytes_of(types, "message") == 13);
  CHECK(bytes_of(types, "model.hidden") == 5);
  CHECK(bytes_of(trial_columns(plan), "model.hidden") == 5);
  CHECK(types.size() == iteration_table(plan, {}).size());
}

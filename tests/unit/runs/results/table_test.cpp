// SPDX-License-Identifier: MIT
#include "runs/results/table.hpp"

#include <limits>

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
        "validation_score,epochs,steps,seconds,wait_seconds,rank,lane,device,engine,message");
  CHECK(text.find("\n1,0,0,1,0,0,") != std::string::npos);
  CHECK(text.find(",0.1,finished,0.25,,,0,0,0,0,-1,-1,cpu,native,\n") != std::string::npos);
  CHECK(text.find(",0.01,finished,0.75,,,0,0,0,0,-1,-1,cuda:1,torch,\n") != std::string::npos);
  CHECK(text.find(",0.01,failed,0.5,,,0,0,0,0,-1,-1,cpu,torch,\"out of memory, twice\"\n") != std::string::npos);
}

TEST_CASE("epochs are written one per row, with empty cells for epochs without validation") {
  EpochResult first{3, 0, 0.5};
  EpochResult second{3, 1, 0.25, 0.75, 0.875};
  CHECK(csv_text(epoch_table({first, second})) ==
        "iteration,epoch,training_loss,validation_loss,validation_score\n"
        "3,0,0.5,,\n"
        "3,1,0.25,0.75,0.875\n");
}

TEST_CASE("text columns are wide enough for the longest text of all iterations and trials") {
  Study study = test::regression_study();
  study.search.method = SearchMethod::grid;
  study.search.keys = {{"train.learning_rate", {"0.1", "0.001", "0.01"}}};
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
  CHECK(bytes_of(types, "train.learning_rate") == 5);
  CHECK(bytes_of(trial_columns(plan), "train.learning_rate") == 5);
  CHECK(types.size() == iteration_table(plan, {}).size());
}

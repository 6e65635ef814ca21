// SPDX-License-Identifier: MIT
#include "commands/train/job_shape.hpp"

#include "support/catch.hpp"
#include "support/plain_study.hpp"
#include "support/whole_plan.hpp"

using namespace sheaf;

namespace {

constexpr std::int64_t many = 1000000;

// Nodes, tasks per node, cores per task, GPUs per node, lanes with a GPU and lanes on cores.
std::vector<std::int64_t> numbers(const JobShape& shape) {
  return {shape.nodes,         shape.tasks_per_node, shape.cpus_per_task,
          shape.gpus_per_node, shape.gpu_lanes,      shape.core_lanes};
}

std::vector<std::int64_t> shape_of(const MachineFacts& machine, std::int64_t iterations, const RunOptions& run = {}) {
  return numbers(job_shape(machine, run, iterations));
}

using Numbers = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("a job on cores has one rank per socket and one lane per core") {
  CHECK(shape_of({1, 16, 1, 0}, many) == Numbers{1, 1, 16, 0, 0, 16});
  CHECK(shape_of({3, 128, 2, 0}, many) == Numbers{3, 2, 64, 0, 0, 384});
  CHECK(shape_of({1, 6, 0, 0}, many) == Numbers{1, 1, 6, 0, 0, 6});  // no topology
}

TEST_CASE("a job requests no more cores than its iterations use") {
  CHECK(shape_of({1, 128, 2, 0}, 1) == Numbers{1, 1, 1, 0, 0, 1});
  CHECK(shape_of({1, 128, 2, 0}, 0) == Numbers{1, 1, 1, 0, 0, 1});
  CHECK(shape_of({1, 128, 2, 0}, 64) == Numbers{1, 1, 64, 0, 0, 64});
  CHECK(shape_of({1, 128, 2, 0}, 65) == Numbers{1, 2, 33, 0, 0, 66});
  CHECK(shape_of({4, 16, 2, 0}, 20) == Numbers{2, 2, 5, 0, 0, 20});
}

TEST_CASE("run.lanes and run.threads decide the lanes and cores of a rank") {
  RunOptions run;
  run.lanes = 1;
  run.threads = 8;
  CHECK(shape_of({1, 64, 2, 0}, many, run) == Numbers{1, 2, 8, 0, 0, 2});
  CHECK(shape_of({1, 64, 2, 0}, 1, run) == Numbers{1, 1, 8, 0, 0, 1});
  run.lanes = 4;
  run.threads = 1;
  CHECK(shape_of({1, 64, 2, 0}, many, run) == Numbers{1, 2, 4, 0, 0, 8});
  run.lanes = 100;  // more than there are cores
  CHECK(shape_of({1, 64, 2, 0}, many, run) == Numbers{1, 2, 32, 0, 0, 200});
}

TEST_CASE("a job on GPUs has one rank per GPU, or run.ranks_per_gpu") {
  CHECK(shape_of({2, 64, 2, 4}, many) == Numbers{2, 4, 16, 4, 8, 0});
  CHECK(shape_of({2, 64, 2, 4}, 3) == Numbers{1, 3, 16, 3, 3, 0});
  CHECK(shape_of({2, 64, 2, 4}, 1) == Numbers{1, 1, 16, 1, 1, 0});
  CHECK(shape_of({1, 2, 1, 4}, many) == Numbers{1, 4, 1, 4, 4, 0});
  RunOptions run;
  run.ranks_per_gpu = 2;
  run.lanes = 2;
  run.core_lanes = 3;
  CHECK(shape_of({1, 64, 2, 4}, many, run) == Numbers{1, 8, 8, 4, 16, 24});
  CHECK(shape_of({1, 64, 2, 4}, 5, run) == Numbers{1, 3, 8, 2, 6, 9});
}

TEST_CASE("the time is that of all lanes, at least that of the longest iteration, with a margin") {
  const Study study;
  JobShape shape;
  shape.core_lanes = 10;
  StudyCost cost;
  cost.iterations = 100;
  cost.lanes = {0, 1, 0, 2};
  cost.longest_seconds = 3;
  cost.seconds = 200;  // in one lane
  CHECK(training_time(study, cost, shape)->expected == 20);
  CHECK(training_time(study, cost, shape)->at_most == 60);
  cost.longest_seconds = 50;
  CHECK(training_time(study, cost, shape)->expected == 50);
  CHECK(training_time(study, cost, shape)->at_most == 150);
}

TEST_CASE("a time limit of the search bounds the time with its margin") {
  Study study;
  JobShape shape;
  shape.core_lanes = 1;
  StudyCost cost;
  cost.iterations = 100;
  cost.lanes = {0, 1, 0, 2};
  cost.longest_seconds = 3;
  cost.seconds = 200;
  study.search.time = 50;
  CHECK(training_time(study, cost, shape)->expected == 50);
  CHECK(training_time(study, cost, shape)->at_most == 59);  // an iteration may begin at the end
  study.search.time = 100000;
  CHECK(training_time(study, cost, shape)->expected == 200);
  CHECK(training_time(study, cost, shape)->at_most == 600);
  cost.seconds = std::nullopt;  // unknown
  study.search.time = 0;
  CHECK_FALSE(training_time(study, cost, shape));
  study.search.time = 50;
  CHECK(training_time(study, cost, shape)->expected == 50);
  CHECK(training_time(study, cost, shape)->at_most == 50);
}

TEST_CASE("keys that end trainings or the search early are named") {
  Study study;
  study.data = test::plain_data();
  study.data.source = DataSource::synthetic;
  study.model.kind = ModelKind::linear;
  const auto ends = [&] { return early_ends(study, test::whole_plan(study)); };
  CHECK(ends().empty());
  study.train.patience = 5;
  CHECK(ends() == std::vector<std::string>{"train.patience"});
  study.train.patience = 0;
  study.search.method = SearchMethod::grid;
  study.search.keys = {{"train.patience", {"none", "5"}, Sampling::list}};
  CHECK(ends() == std::vector<std::string>{"train.patience"});
  study.search.keys = {{"train.learning_rate", {"0.1", "0.2"}, Sampling::list}};
  study.search.racing = Racing::forgiving;
  CHECK(ends().empty());  // a single fold
  study.search.folds = 2;
  study.search.patience = 3;
  study.search.time = 60;
  CHECK(ends() == std::vector<std::string>{"search.racing", "search.patience", "search.time"});
}

TEST_CASE("a time limit has room for files, and is a round number") {
  constexpr std::int64_t minute = 60, hour = 3600, day = 24 * hour;
  CHECK(requested_seconds(0) == 10 * minute);
  CHECK(requested_seconds(300) == 10 * minute);
  CHECK(requested_seconds(301) == 15 * minute);
  CHECK(requested_seconds(55 * 60) == hour);
  CHECK(requested_seconds(55 * 60 + 1) == 75 * minute);
  CHECK(requested_seconds(6.0 * hour) == 7 * hour);
  CHECK(requested_seconds(2.0 * day) == 2 * day + 6 * hour);
  CHECK(requested_seconds(1e30) < 400 * day);
}

TEST_CASE("times are in the format of Slurm") {
  CHECK(slurm_time(600) == "00:10:00");
  CHECK(slurm_time(86399) == "23:59:59");
  CHECK(slurm_time(86400) == "1-00:00:00");
  CHECK(slurm_time(10 * 86400 + 3 * 3600 + 62) == "10-03:01:02");
}

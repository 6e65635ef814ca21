// A two-stage search from the first iteration to the result files, stopped and resumed at every kind of point, on data
// in memory and on streamed data.
// SPDX-License-Identifier: MIT
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "commands/train/train_job.hpp"
#include "core/error.hpp"
#include "core/interruption.hpp"
#include "data/synthetic.hpp"
#include "parallel/mpi/communicator.hpp"
#include "runs/journal/journal_line.hpp"
#include "support/hdf5_fixture.hpp"
#include "support/plain_study.hpp"
#include "support/small_studies.hpp"
#include "support/two_stage_search.hpp"

#include "support/catch.hpp"
#include "support/regression_study.hpp"
#include "support/settled.hpp"

using namespace sheaf;
using namespace sheaf::test;

namespace {

namespace fs = std::filesystem;

const std::string directory = "stages_test_run";
const std::string data_file = "stages_test.h5";
constexpr std::int64_t stage_0 = 24, stage_1 = 12;  // iterations

// Six trials, two folds and two repeats. The classes are easy to separate, so the losses depend on the learning rate.
Study study_of_six() {
  Study study = test::regression_study();
  study.study.name = "stages";
  study.data = drawn_classes(60, 4, 3);
  study.model.kind = ModelKind::mlp;
  study.model.hidden = {4};
  study.train.loss = LossKind::cross_entropy;
  study.train.epochs = 6;
  study.search.method = SearchMethod::grid;
  study.search.folds = 2;
  study.search.repeats = 2;
  study.search.keys = {{"train.learning_rate", {"0.3", "0.001", "0.1", "0.0001", "0.2", "0.01"}}};
  study.run.output = directory;
  study.run.lanes = 2;
  study.run.device = DeviceRequest::cpu;
  study.run.progress = ProgressKind::none;
  study.run.curves = true;
  return study;
}

// The same search on a file that passes through memory in several windows. Without a shuffle, only the rounding of the
// validation losses depends on the windows.
Study streamed_study(bool shuffle = true) {
  Study study = study_of_six();
  study.data = test::plain_data();
  study.data.file = data_file;
  study.data.task = Task::classification;
  study.data.mode = DataMode::streamed;
  study.data.memory_mib = 1;
  study.data.window = 4000;
  study.train.batch_size = 300;
  study.train.shuffle = shuffle;
  return study;
}

// 2.2 MiB, twice the memory for its rows. Local.
void write_data_file() {
  const DataSet data = draw_synthetic(drawn_classes(20000, 28, 3), 1);
  const auto rows = static_cast<hsize_t>(data.rows), columns = static_cast<hsize_t>(data.feature_count);
  FixtureFile file(data_file);
  file.numbers("/features", {rows, columns}, {data.features, data.features + rows * columns},
               {H5T_IEEE_F32LE, {500, columns}});
  file.numbers("/targets", {rows}, {data.labels, data.labels + rows}, {H5T_STD_U8LE});
}

// The search on data in memory or on streamed data.
Study study_in(DataMode mode) {
  return mode == DataMode::streamed ? streamed_study() : study_of_six();
}

using Row = std::map<std::string, std::string>;

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> cells(1);
  for (const char c : line)
    if (c == ',')
      cells.emplace_back();
    else
      cells.back() += c;
  return cells;
}

// The columns of results.csv that must not depend on ranks and attempts.
std::vector<Row> results() {
  std::ifstream file(directory + "/results.csv");
  std::vector<Row> rows;
  std::string line;
  std::getline(file, line);
  const auto names = split(line);
  while (std::getline(file, line)) {
    const auto cells = split(line);
    REQUIRE(cells.size() == names.size());
    Row row;
    for (std::size_t cell = 0; cell < cells.size(); ++cell) row[names[cell]] = cells[cell];
    for (const char* name :
         {"seconds", "data_seconds", "training_seconds", "validation_seconds", "wait_seconds", "rank", "lane"})
      row.erase(name);
    rows.push_back(row);
  }
  return rows;
}

class TwoStages {
 public:
  TwoStages() {
    remove();
    if (world.is_root()) write_data_file();
    world.barrier();
  }
  ~TwoStages() {
    remove();
    if (world.is_root()) fs::remove(data_file);
  }

  ExitCode execute(const Study& study, bool resume, MakeSearcher make = make_two_stage_search) const {
    return execute_run(study, {"stages_test", resume}, world, make);
  }

  // Results of a new run on rank 0 alone, for rank 0.
  std::vector<Row> results_of_one_rank(const Study& study) const {
    remove();
    const Communicator alone = world.split(world.is_root() ? 0 : -1);
    if (world.is_root()) CHECK(execute_run(study, {"stages_test"}, alone, make_two_stage_search) == ExitCode::done);
    const auto rows = world.is_root() ? results() : std::vector<Row>();
    remove();
    return rows;
  }

  // Leaves the run as if the job had been killed before any iteration from `number` on had a result.
  void cut_at(std::int64_t number, bool keeps_stages) const { lose({number, stage_0 + stage_1}, keeps_stages); }

  // The lines of all journals with a result. Call it on rank 0.
  std::size_t count_result_lines() const {
    std::size_t count = 0;
    for (const auto& entry : fs::recursive_directory_iterator(directory + "/journal"))
      if (entry.path().extension() == ".jsonl") {
        std::ifstream file(entry.path());
        for (std::string line; std::getline(file, line);)
          count += line.compare(0, std::strlen(journal_line_beginning), journal_line_beginning) == 0;
      }
    return count;
  }

  // Removes the results of some iterations and the result files.
  void lose(IndexRange lost, bool keeps_stages) const {
    if (world.is_root()) {
      for (const char* file : {"/results.csv", "/results.h5"}) fs::remove(directory + file);
      for (const auto& entry : fs::recursive_directory_iterator(directory + "/journal"))
        if (entry.path().extension() == ".jsonl") cut(entry.path(), lost, keeps_stages);
    }
    world.barrier();
  }

  const Communicator world = Communicator::world();

 private:
  void remove() const {
    world.barrier();
    if (world.is_root()) fs::remove_all(directory);
    world.barrier();
  }

  static void cut(const fs::path& path, IndexRange lost, bool keeps_stages) {
    std::ifstream file(path);
    std::string lines;
    for (std::string line; std::getline(file, line);) {
      const std::string beginning = journal_line_beginning;
      const bool is_result = line.compare(0, beginning.size(), beginning) == 0;
      const bool is_stage = line.compare(0, 9, "{\"stage\":") == 0;
      const std::int64_t number = is_result ? std::stoll(line.substr(beginning.size())) : -1;
      if (number >= lost.begin && number < lost.end) continue;
      if (!is_stage || keeps_stages) lines += line + "\n";
    }
    std::ofstream(path, std::ios::trunc) << lines;
  }
};

// The iterations of both stages, trained one after the other by a separate engine.
std::vector<TrainedIteration> trained_alone(const Study& configured, const Plan& plan) {
  Study study = configured;
  study.run.engine = EngineKind::native;
  const DataSet data = draw_synthetic(study.data, study.study.seed);
  Splits splits(study, data);
  const SettledStudy settled = test::settled(study);
  const auto engine = make_engine({settled, plan, &data, &splits}, {-1, 1});
  std::vector<TrainedIteration> trained;
  engine->train({{0, plan.iteration_count()}},
                {[&](TrainedIteration&& one) { trained.push_back(std::move(one)); }, [] { return false; }});
  return trained;
}

class OtherSearch : public TwoStageSearch {
 public:
  std::optional<Stage> next(const KnownResults& known) const override {
    auto stage = TwoStageSearch::next(known);
    if (stage->number == 1) stage->to_epoch = 5;
    return stage;
  }
};

class InterruptedSearch : public TwoStageSearch {
 public:
  std::optional<Stage> next(const KnownResults& known) const override {
    if (known.plan().stage_count() == 1) std::raise(SIGTERM);
    return TwoStageSearch::next(known);
  }
};

template <class Kind>
std::unique_ptr<const Searcher> make_kind(const Study& /*study*/) {
  return std::make_unique<Kind>();
}

}  // namespace

TEST_CASE("a two-stage search trains both stages and writes each result with its stage, trial, repeat and fold") {
  const TwoStages run;
  const Study study = study_of_six();
  CHECK(run.execute(study, false) == ExitCode::done);
  if (!run.world.is_root()) return;
  const auto rows = results();
  REQUIRE(rows.size() == static_cast<std::size_t>(stage_0 + stage_1));
  Plan plan(study);
  KnownResults known(plan);
  plan.add(*TwoStageSearch().next(known));
  for (std::int64_t number = 0; number < stage_0; ++number) {
    IterationResult result;
    result.iteration = number;
    result.final_loss = std::stod(rows[static_cast<std::size_t>(number)].at("final_loss"));
    known.add(result.iteration, known_result(result));
  }
  plan.add(*TwoStageSearch().next(known));
  REQUIRE(plan.iteration_count() == stage_0 + stage_1);
  const auto alone = trained_alone(study, plan);
  for (std::int64_t number = 0; number < plan.iteration_count(); ++number) {
    const Row& row = rows[static_cast<std::size_t>(number)];
    const Iteration iteration = plan.iteration(number);
    CHECK(row.at("iteration") == std::to_string(number));
    CHECK(row.at("stage") == std::to_string(iteration.stage));
    CHECK(row.at("trial") == std::to_string(iteration.trial));
    CHECK(row.at("repeat") == std::to_string(iteration.repeat));
    CHECK(row.at("fold") == std::to_string(iteration.fold));
    CHECK(row.at("epochs") == (iteration.stage == 0 ? "2" : "6"));
    CHECK(row.at("train.learning_rate") == plan.value(iteration.trial, 0));
    CHECK(std::stod(row.at("final_loss")) == alone[static_cast<std::size_t>(number)].result.final_loss);
  }
}

TEST_CASE("a two-stage search on streamed data has the same results on every number of ranks") {
  const TwoStages run;
  const auto alone = run.results_of_one_rank(streamed_study());
  CHECK(run.execute(streamed_study(), false) == ExitCode::done);
  if (!run.world.is_root()) return;
  CHECK(alone.size() == static_cast<std::size_t>(stage_0 + stage_1));
  CHECK(results() == alone);
}

TEST_CASE("without a shuffle, a two-stage search has the same results on streamed data and in memory") {
  const TwoStages run;
  Study in_memory = streamed_study(false);
  in_memory.data.mode = DataMode::memory;
  in_memory.data.memory_mib = in_memory.data.window = 0;
  auto expected = run.results_of_one_rank(in_memory);
  CHECK(run.execute(streamed_study(false), false) == ExitCode::done);
  if (!run.world.is_root()) return;
  auto found = results();
  REQUIRE(found.size() == expected.size());
  for (std::size_t number = 0; number < found.size(); ++number) {
    const auto loss_of = [&](Row& row) { return std::stod(row.extract("validation_loss").mapped()); };
    CHECK(loss_of(found[number]) == Approx(loss_of(expected[number])).epsilon(1e-6));
    CHECK(found[number] == expected[number]);
  }
}

TEST_CASE("a run that was killed at any point resumes to the same results") {
  const Study study = study_in(GENERATE(DataMode::memory, DataMode::streamed));
  const TwoStages run;
  REQUIRE(run.execute(study, false) == ExitCode::done);
  const auto whole = run.world.is_root() ? results() : std::vector<Row>();
  struct Cut {
    std::int64_t number;
    bool keeps_stages;
  };
  for (const auto [number, keeps_stages] :
       {Cut{0, true}, Cut{stage_0 - 1, true}, Cut{stage_0, true}, Cut{stage_0, false}, Cut{stage_0 + 5, true},
        Cut{stage_0 + 5, false}, Cut{stage_0 + stage_1, true}}) {
    INFO("cut at " << number);
    run.cut_at(number, keeps_stages);
    CHECK(run.execute(study, true) == ExitCode::done);
    if (run.world.is_root()) CHECK(results() == whole);
  }
  CHECK(run.execute(study, true) == ExitCode::done);  // no iterations remain
}

TEST_CASE("results of the second stage still count after lost results of the first are trained again") {
  const Study study = study_in(GENERATE(DataMode::memory, DataMode::streamed));
  const TwoStages run;
  REQUIRE(run.execute(study, false) == ExitCode::done);
  const auto whole = run.world.is_root() ? results() : std::vector<Row>();
  for (const IndexRange lost : {IndexRange{5, 6}, IndexRange{stage_0 - 1, stage_0 + 1}}) {
    run.lose(lost, true);
    CHECK(run.execute(study, true) == ExitCode::done);
    if (!run.world.is_root()) continue;
    CHECK(results() == whole);
    CHECK(run.count_result_lines() == whole.size());  // only the lost ones were trained again
  }
}

TEST_CASE("a signal between two stages stops the run, and resuming it trains the second stage") {
  const Study study = study_in(GENERATE(DataMode::memory, DataMode::streamed));
  const TwoStages run;
  REQUIRE(run.execute(study, false) == ExitCode::done);
  const auto whole = run.world.is_root() ? results() : std::vector<Row>();
  run.cut_at(0, false);
  {
    const StopSignals signals;
    CHECK(run.execute(study, true, make_kind<InterruptedSearch>) == ExitCode::stopped);
  }
  const StopSignals none;  // clears the recorded signal
  CHECK_FALSE(fs::exists(directory + "/results.csv"));
  run.world.barrier();
  CHECK(run.execute(study, true) == ExitCode::done);
  if (run.world.is_root()) CHECK(results() == whole);
}

TEST_CASE("resuming fails when the searcher now names another stage than the journal records") {
  const Study study = study_of_six();
  const TwoStages run;
  REQUIRE(run.execute(study, false) == ExitCode::done);
  for (const std::int64_t number : {stage_0 - 1, stage_0 + 3}) {
    run.cut_at(number, true);
    CHECK_THROWS_WITH(run.execute(study, true, make_kind<OtherSearch>),
                      "stage 1 of 'stages_test_run' began with other trials than the search chooses now (earlier "
                      "results have changed, or another program wrote them). Start a new run with another run.output.");
    CHECK(run.execute(study, true) == ExitCode::done);
  }
}

TEST_CASE("results of another second stage do not count, even if no journal records their stage") {
  const Study study = study_of_six();
  const TwoStages run;
  REQUIRE(run.execute(study, false) == ExitCode::done);
  const auto whole = run.world.is_root() ? results() : std::vector<Row>();
  run.cut_at(0, false);
  REQUIRE(run.execute(study, true, make_kind<OtherSearch>) == ExitCode::done);
  if (run.world.is_root()) CHECK(results() != whole);
  run.lose({stage_0 + 1, stage_0 + 2}, false);
  CHECK(run.execute(study, true) == ExitCode::done);
  if (run.world.is_root()) CHECK(results() == whole);
}

TEST_CASE("array tasks train their slices of one stage, and those of the next stage when they run again") {
  const Study study = study_in(GENERATE(DataMode::memory, DataMode::streamed));
  const TwoStages run;
  REQUIRE(run.execute(study, false) == ExitCode::done);
  const auto whole = run.world.is_root() ? results() : std::vector<Row>();
  run.cut_at(0, false);
  for (int stage = 0; stage < 2; ++stage)
    for (const std::int64_t task : {2, 0, 1}) {
      CHECK_FALSE(fs::exists(directory + "/results.csv"));
      run.world.barrier();
      Study of_task = study;
      of_task.run.array = {ArrayTask::Kind::fixed, task, 3};
      CHECK(run.execute(of_task, false) == ExitCode::done);
    }
  if (run.world.is_root()) CHECK(results() == whole);
}

// SPDX-License-Identifier: MIT
#include "runs/run_reader.hpp"

#include <filesystem>
#include <fstream>

#include "core/error.hpp"
#include "runs/directory/run_directory.hpp"
#include "runs/journal/journal_files.hpp"
#include "search/single_stage.hpp"
#include "support/sample_results.hpp"
#include "support/two_stage_search.hpp"

#include "support/catch.hpp"
#include "support/regression_study.hpp"
#include "support/settled.hpp"

using namespace sheaf;

namespace {

// The model file of an iteration of a network.
std::string model_path(const std::string& run_directory, int iteration) {
  return models_directory(run_directory) + "/iteration-" + std::to_string(iteration) + ".pt";
}

const JournalHeader header{"0.1.0", "0123456789abcdef", "data"};

const RecordedStage second_stage{{1, {{0, 2}}, {0, 1}, {0, 1}, 1, 2, std::nullopt}, 4};

SettledStudy stored_study() {
  Study study = test::regression_study();
  study.search.method = SearchMethod::grid;
  study.search.keys = {{"train.learning_rate", {"0.1", "0.2", "0.3", "0.4"}}};
  study.data.source = DataSource::synthetic;
  study.data.mode = DataMode::memory;
  study.run.engine = EngineKind::native;
  return test::settled(study);
}

// A run with the two stages of TwoStageSearch: iterations 0..3, then iterations 4 and 5 of trials 0 and 1.
class Run {
 public:
  Run() { write_study(directory(), stored_study()); }

  std::string directory() const { return scratch_.path.string(); }

  // Adds an attempt of one rank with the results of some iterations. The loss of an iteration is its number.
  std::string add_attempt(IndexRange iterations, const std::vector<RecordedStage>& stages = {second_stage}) const {
    const std::string path = journal_path(begin_attempt(directory()), 0);
    std::ofstream file(path, std::ios::binary);
    file << header_line(header);
    for (const auto& recorded : stages) file << stage_line(recorded, header.seed());
    for (std::int64_t number = iterations.begin; number < iterations.end; ++number) {
      TrainedIteration iteration = sample_iteration(number);
      iteration.result.final_loss = static_cast<double>(number);
      file << journal_line(iteration, {}, header.seed());
    }
    return path;
  }

  void add_results() const {
    for (const char* name : {"/results.csv", "/results.h5"}) std::ofstream(directory() + name) << "x";
  }

 private:
  Scratch scratch_{"run_reader_test"};
};

struct Reading {
  test::TwoStageSearch searcher;
  Plan plan{stored_study()};
  SearchStages stages{searcher, plan};
  RunProgress progress;

  explicit Reading(const RunReader& reader) {
    stages.choose_next();
    progress = reader.progress(stages, header, false);
  }
};

}  // namespace

TEST_CASE("a finished run has a study, the results of all stages and no remaining iterations") {
  const Run run;
  run.add_attempt({0, 6});
  run.add_results();
  const RunReader reader(run.directory());
  CHECK(reader.has_results());
  CHECK(reader.attempts() == 1);
  CHECK(reader.study(false)->search.keys.front().candidates.size() == 4);
  REQUIRE(reader.identity().has_value());
  CHECK(reader.identity()->study == header.study);
  CHECK(reader.identity()->seed() == header.seed());
  const Reading reading(reader);
  CHECK(reading.progress.is_complete);
  CHECK(reading.progress.left.empty());
  CHECK(reading.progress.journals.iterations.size() == 6);
  CHECK(reading.progress.journals.warnings.empty());
  REQUIRE(reading.plan.stage_count() == 2);
  CHECK(reading.plan.stage(1).trials == std::vector<IndexRange>{{0, 2}});
}

TEST_CASE("the stage of a killed run follows from its results") {
  const Run run;
  const RunReader reader(run.directory());
  CHECK_FALSE(reader.has_results());
  CHECK(reader.attempts() == 0);
  CHECK_FALSE(reader.identity().has_value());
  CHECK(Reading(reader).progress.left == std::vector<IndexRange>{{0, 4}});
  run.add_attempt({0, 3});
  CHECK(Reading(reader).progress.left == std::vector<IndexRange>{{3, 4}});
  const std::string cut = run.add_attempt({3, 5});
  std::filesystem::resize_file(cut, std::filesystem::file_size(cut) - 5);
  const Reading reading(reader);
  CHECK(reader.attempts() == 2);
  CHECK(reading.plan.stage_count() == 2);
  CHECK(reading.progress.left == std::vector<IndexRange>{{4, 6}});
  CHECK_FALSE(reading.progress.is_complete);
  CHECK(reading.progress.journals.warnings.empty());
}

TEST_CASE("a damaged result is ignored with a warning, and an inconsistent run is refused") {
  const Run run;
  const std::string path = run.add_attempt({0, 6});
  std::string text = text_of(path);
  text[text.find("\"iteration\":2") + 20] ^= 1;
  std::ofstream(path, std::ios::binary) << text;
  const RunReader reader(run.directory());
  {
    const Reading reading(reader);
    CHECK(reading.progress.left == std::vector<IndexRange>{{2, 3}});
    CHECK(reading.progress.journals.warnings.size() == 1);
    CHECK(reading.progress.journals.iterations.size() == 5);  // the results of the next stage are kept
    CHECK(reading.plan.stage_count() == 1);
  }
  run.add_attempt({2, 3}, {{{0, {{1, 3}}, {0, 1}, {0, 1}, 1, 0, 2}, 0}});
  CHECK_THROWS_WITH(Reading(reader), StartsWith("stage 0 of '" + run.directory() + "' began with other trials"));
  std::filesystem::remove_all(run.directory() + "/journal");
  CHECK_NOTHROW(Reading(reader));
  run.add_results();
  CHECK_THROWS_WITH(Reading(reader),
                    ContainsSubstring("has results but no journal (finished iterations are unknown). Start a "
                                      "new run with another run.output."));
  std::ofstream(run.directory() + "/study.cfg") << "";
  CHECK_THROWS_AS(reader.study(true), RunError);
}

TEST_CASE(
    "a run predicts with its ensemble of trials, otherwise with the models in refit.txt, otherwise with those in "
    "best.txt") {
  const Run run;
  const RunReader reader(run.directory());
  CHECK_FALSE(reader.models().has_value());
  std::filesystem::create_directory(models_directory(run.directory()));
  std::ofstream(best_model_list(run.directory())) << "iteration-4.pt\niteration-5.pt\n";
  CHECK(reader.models() ==
        RunModels{ModelsKind::best, {model_path(run.directory(), 4), model_path(run.directory(), 5)}});
  std::ofstream(refit_model_list(run.directory())) << "iteration-6.pt\n";
  CHECK(reader.models() == RunModels{ModelsKind::refit, {model_path(run.directory(), 6)}});

  TrialEnsemble ensemble;
  ensemble.members = {{2, 0.5, 1, 1, {}, {"iteration-4.pt", "iteration-5.pt"}}, {3, 0.5, 1, 1, {}, {"iteration-6.pt"}}};
  std::ofstream(ensemble_path(run.directory())) << ensemble_json(ensemble);
  CHECK(reader.models() ==
        RunModels{ModelsKind::ensemble,
                  {model_path(run.directory(), 4), model_path(run.directory(), 5), model_path(run.directory(), 6)},
                  {0.25, 0.25, 0.5}});
  CHECK(reader.models(ModelsKind::refit)->files == std::vector<std::string>{model_path(run.directory(), 6)});
  CHECK(reader.models(ModelsKind::best)->files.size() == 2);
}

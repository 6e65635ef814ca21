// SPDX-License-Identifier: MIT
#include "runs/directory/run_directory.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "core/error.hpp"
#include "files/replace_file.hpp"
#include "runs/results/result_stream.hpp"
#include "study/parse_study.hpp"
#include "study/settings.hpp"
#include "support/catch.hpp"
#include "support/plain_study.hpp"
#include "support/settled.hpp"
#include "support/whole_plan.hpp"

using namespace sheaf;
namespace fs = std::filesystem;

namespace {

std::string text_of(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// A new empty directory. The destructor removes it.
struct Scratch {
  fs::path path = fs::absolute("result_files_test");
  Scratch() {
    fs::remove_all(path);
    fs::create_directories(path);
  }
  ~Scratch() { fs::remove_all(path); }
};

SettledStudy small_study() {
  Study study = test::plain_study();
  study.data.source = DataSource::synthetic;
  study.data.task = Task::regression;
  study.study.iterations = 2;
  study.search.method = SearchMethod::none;
  return test::settled(study);
}

}  // namespace

TEST_CASE("a directory holds a run once it has a study file") {
  const Scratch scratch;
  const std::string directory = scratch.path.string();
  CHECK_FALSE(holds_run(directory));
  CHECK_NOTHROW(require_no_run(directory));
  CHECK_NOTHROW(require_no_run(directory + "/absent"));
  write_study(directory, small_study());
  CHECK(study_file_text(parse_study(directory + "/study.cfg", {})) == study_file_text(small_study()));
  CHECK_THROWS_WITH(require_no_run(directory), ContainsSubstring("sheaf resume " + directory));
  CHECK(holds_run(directory));
  CHECK_FALSE(holds_results(directory));
  std::ofstream(directory + "/results.h5") << "x";
  std::ofstream(directory + "/results.csv") << "x";
  CHECK(holds_results(directory));
  CHECK_THROWS_WITH(require_no_run(directory),
                    ContainsSubstring("already has a run ('study.cfg' exists). Choose another"));
  CHECK_THROWS_AS(write_study(directory + "/absent", small_study()), RunError);
}

TEST_CASE("result files of another number of iterations do not count as those of the run") {
  const Scratch scratch;
  const std::string directory = scratch.path.string();
  write_study(directory, small_study());
  fs::create_directory(scratch.path / "journal");
  keep_earlier_results(directory, 2);  // there are none
  CHECK_FALSE(earlier_results(directory).has_value());
  for (const char* name : {"results.h5", "results.csv"}) std::ofstream(scratch.path / name) << "x";
  CHECK(holds_results(directory));
  keep_earlier_results(directory, 2);
  keep_earlier_results(directory, 5);  // the files are still the first ones
  CHECK_FALSE(holds_results(directory));
  CHECK(earlier_results(directory) == 2);
  CHECK_THROWS_WITH(require_no_run(directory), ContainsSubstring("already has an unfinished run"));
  forget_earlier_results(directory);
  forget_earlier_results(directory);
  CHECK(holds_results(directory));
  CHECK_FALSE(earlier_results(directory).has_value());
}

TEST_CASE("result files get their final names only when complete") {
  const Scratch scratch;
  const SettledStudy study = small_study();
  const Plan plan = test::whole_plan(study);
  std::vector<TrainedIteration> iterations(2);
  ResultTally tally(study, plan, [](const Trial&) { return TrialEngine{}; });
  TableExtent extent;
  for (std::int64_t number = 0; number < 2; ++number) {
    auto& iteration = iterations[static_cast<std::size_t>(number)];
    iteration.result.iteration = number;
    iteration.result.status = IterationStatus::finished;
    iteration.result.final_loss = 0.5;
    tally.add(iteration, nullptr);
    extent.add(iteration);
  }
  const auto names = [&] {
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(scratch.path)) found.push_back(entry.path().filename().string());
    std::sort(found.begin(), found.end());
    return found;
  };
  {
    ResultStream unfinished(scratch.path.string(), study, plan, extent);
    unfinished.append(iterations);
    CHECK_FALSE(holds_results(scratch.path.string()));
  }
  CHECK(names().empty());
  ResultStream stream(scratch.path.string(), study, plan, extent);
  for (const auto& iteration : iterations) stream.append({iteration});
  RunResults results = tally.finish();
  results.ranks = {{"host", "cpu", 2, 2, 1, ""}};
  results.provenance = {{"program", "sheaf"}};
  stream.finish(results);
  CHECK(names() == std::vector<std::string>{"results.csv", "results.h5"});
  CHECK(text_of(scratch.path / "results.csv").find("iteration,stage,trial,fold") == 0);

  CHECK_THROWS_AS(ResultStream((scratch.path / "absent").string(), study, plan, extent), RunError);
}

TEST_CASE("unfinished files of killed jobs are removed, and no others") {
  const Scratch scratch;
  const auto names = [&] {
    std::vector<std::string> found;
    for (const auto& entry : fs::recursive_directory_iterator(scratch.path))
      if (entry.is_regular_file()) found.push_back(fs::relative(entry.path(), scratch.path).string());
    std::sort(found.begin(), found.end());
    return found;
  };
  for (const char* folder : {"models", "journal"}) fs::create_directory(scratch.path / folder);
  const std::vector<std::string> others = {"journal/lock",
                                           "journal/lock.0123456789ab.partial",
                                           "models/best.txt",
                                           "models/iteration-7.pt",
                                           "models/mine.0123456789ab.partial",
                                           "out.csv.0123456789ab.partial",
                                           "results.csv",
                                           "results.csv.0.partial"};
  for (const auto& name : others) std::ofstream(scratch.path / name) << "x";
  for (const char* name : {"models/iteration-7.pt", "models/best.txt", "models/refit.txt", "models/ensemble.json",
                           "models/ensemble.pt", "journal/earlier-results", "journal/slurm-array", "results.csv",
                           "results.h5", "summary.json", "README.txt", "study.cfg"})
    std::ofstream(scratch.path / (std::string(name) + ".0123456789ab.partial")) << "x";
  CHECK(names().size() == others.size() + 12);
  remove_unfinished_files(scratch.path.string());
  CHECK(names() == others);
  fs::remove_all(scratch.path / "models");
  CHECK_NOTHROW(remove_unfinished_files(scratch.path.string()));
}

TEST_CASE("a failed rename leaves no temporary file") {
  const Scratch scratch;
  fs::create_directories(scratch.path / "taken" / "inside");
  CHECK_THROWS_AS(write_whole_file((scratch.path / "taken").string(), "text"), RunError);
  CHECK(std::distance(fs::directory_iterator(scratch.path), fs::directory_iterator()) == 1);
}

TEST_CASE("the latest study is in the file with the largest number") {
  const Scratch scratch;
  const std::string directory = scratch.path.string();
  write_study(directory, small_study());
  CHECK(latest_study_path(directory) == directory + "/study.cfg");
  Study more = small_study();
  for (int number = 2; number <= 11; ++number) {
    more.study.iterations = number + 1;
    write_next_study(directory, test::settled(more));
    CHECK(latest_study_path(directory) == directory + "/study-" + std::to_string(number) + ".cfg");
  }
  for (const char* name : {"study-.cfg", "study-x.cfg", "study-99.cfg2", "study-99", "study-1.cfg", "study-99x.cfg"})
    std::ofstream(scratch.path / name) << "x";
  CHECK(latest_study_path(directory) == directory + "/study-11.cfg");
  CHECK(parse_study(directory + "/study.cfg", {}).study.iterations == 2);
  CHECK(parse_study(directory + "/study-11.cfg", {}).study.iterations == 12);
}

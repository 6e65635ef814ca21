// SPDX-License-Identifier: MIT
#include "runs/journal/journal_writer.hpp"

#include <signal.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <utility>

#include "core/error.hpp"
#include "runs/journal/journal_files.hpp"
#include "runs/journal/replay.hpp"
#include "support/catch.hpp"
#include "support/no_threads.hpp"
#include "support/sample_results.hpp"

using namespace sheaf;
using namespace sheaf::test;

namespace {

const JournalHeader header{"0.1.0", "0123456789abcdef", "data"};

TrainedIteration predicting(std::int64_t number) {
  TrainedIteration iteration = sample_iteration(number);
  iteration.predictions = {static_cast<float>(number), -0.0f, 1e-45f, std::numeric_limits<float>::infinity()};
  return iteration;
}

Replay replay(const Scratch& scratch) {
  return replay_journals(scratch.path.string(), header, {10000, 10000}, false);
}

// Whether `holds` becomes true within 30 seconds.
template <class Holds>
bool eventually(const Holds& holds) {
  for (int round = 0; round < 3000 && !holds(); ++round) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return holds();
}

}  // namespace

TEST_CASE("results and predictions that several lanes append are all in the journal") {
  const Scratch scratch("journal_writer_test");
  const std::string attempt = begin_attempt(scratch.path.string());
  JournalWriter journal(journal_path(attempt, 2), header);
  std::vector<std::thread> lanes;
  for (std::int64_t lane = 0; lane < 4; ++lane)
    lanes.emplace_back([&journal, lane] {
      for (std::int64_t number = lane; number < 1000; number += 4) journal.append(predicting(number));
    });
  for (auto& lane : lanes) lane.join();
  journal.close();
  const Replay replayed = replay(scratch);
  CHECK(replayed.warnings.empty());
  REQUIRE(replayed.iterations.size() == 1000);
  for (std::int64_t number = 0; number < 1000; ++number) {
    const auto iteration = replayed.iterations[static_cast<std::size_t>(number)];
    CHECK(same(iteration.trained.result, sample_iteration(number).result));
    CHECK(read_predictions(replayed.files, iteration) == predicting(number).predictions);
  }
}

TEST_CASE("a journal records for how long its job has trained, until the job ends") {
  const Scratch scratch("journal_writer_test");
  JournalWriter journal(journal_path(begin_attempt(scratch.path.string()), 0), header);
  const auto time = [&] {
    const Replay replayed = replay(scratch);
    return replayed.jobs.empty() ? std::nullopt : replayed.jobs.begin()->second.time;
  };
  journal.record_time_since(Clock::now() - std::chrono::seconds(200));
  REQUIRE(eventually([&] { return time().has_value(); }));
  CHECK(time()->seconds >= 200);
  CHECK_FALSE(time()->is_over);
  const double before = time()->seconds;
  std::this_thread::sleep_for(std::chrono::milliseconds(400));
  CHECK(time()->seconds == before);  // the next line is due after 256 seconds
  journal.end_job(300);
  journal.close();
  CHECK(time()->seconds == 300);
  CHECK(time()->is_over);
}

TEST_CASE("lanes that are faster than the writing thread wait for it, and all their results are in the journal") {
  const Scratch scratch("journal_writer_test");
  constexpr std::int64_t lane_count = 3, each = 60000;  // of over 220 bytes: more than may wait and be written together
  constexpr std::int64_t total = lane_count * each;
  std::atomic<bool> disk_works{false};
  std::atomic<std::int64_t> appended{0};
  std::vector<std::int64_t> on_disk;
  JournalWriter journal(journal_path(begin_attempt(scratch.path.string()), 1), header, [&](std::int64_t iteration) {
    while (!disk_works) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    on_disk.push_back(iteration);
  });
  journal.hurry();  // the first results are synced, which takes until disk_works
  std::vector<std::thread> lanes;
  for (std::int64_t lane = 0; lane < lane_count; ++lane)
    lanes.emplace_back([&, lane] {
      for (std::int64_t number = lane; number < total; number += lane_count) {
        TrainedIteration iteration = sample_iteration(number);
        iteration.epochs.assign(3, {number, 0, 0.5, 0.25, 0.125});
        journal.append(std::move(iteration));
        ++appended;
      }
    });
  for (std::int64_t before = -1; before != appended || appended == 0;) {
    before = appended;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  CHECK(appended < total);
  disk_works = true;
  for (auto& lane : lanes) lane.join();
  journal.close();
  std::sort(on_disk.begin(), on_disk.end());
  CHECK(on_disk.size() == total);
  CHECK(std::unique(on_disk.begin(), on_disk.end()) == on_disk.end());
  CHECK(journal.take_results().count_results({0, total}) == total);
  const Replay replayed = replay_journals(scratch.path.string(), header, {total, total}, false);
  CHECK(replayed.warnings.empty());
  CHECK(replayed.iterations.count_results({0, total}) == total);
}

TEST_CASE("results whose predictions fit on the disk are in the journal when later ones do not fit") {
  const Scratch scratch("journal_writer_test");
  constexpr std::size_t fitting = 16, bytes = 4096;
  const std::string attempt = begin_attempt(scratch.path.string());
  JournalWriter journal(journal_path(attempt, 0), header);
  struct rlimit before {};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const struct rlimit small { fitting *bytes, before.rlim_max };
  const auto handler = ::signal(SIGXFSZ, SIG_IGN);
  ::setrlimit(RLIMIT_FSIZE, &small);
  for (std::int64_t number = 0; number < 100; ++number) {
    TrainedIteration iteration = sample_iteration(number);
    iteration.predictions.resize(bytes / sizeof(float));
    journal.append(std::move(iteration));
  }
  CHECK_THROWS_AS(journal.close(), RunError);
  ::setrlimit(RLIMIT_FSIZE, &before);
  ::signal(SIGXFSZ, handler);
  CHECK(replay(scratch).iterations.size() == fitting);
}

TEST_CASE("a writer whose thread cannot be started throws and leaves a journal without results") {
  const Scratch scratch("journal_writer_test");
  const std::string path = journal_path(begin_attempt(scratch.path.string()), 0);
  {
    const NoThreads no_threads;
    CHECK_THROWS_WITH(JournalWriter(path, header), StartsWith("Cannot start thread 1 of 1 for writing the journal"));
  }
  CHECK(replay(scratch).iterations.empty());
  CHECK(replay(scratch).warnings.empty());
}

TEST_CASE("results are written to the file while the journal is open") {
  const Scratch scratch("journal_writer_test");
  JournalWriter journal(journal_path(begin_attempt(scratch.path.string()), 0), header);
  journal.append(sample_iteration(0));
  CHECK(eventually([&] { return replay(scratch).iterations.size() == 1; }));
  journal.hurry();
  journal.append(sample_iteration(1));
  CHECK(eventually([&] { return replay(scratch).iterations.size() == 2; }));
  CHECK_FALSE(journal.failure().has_value());
}

TEST_CASE("a stage's line precedes its results, and earlier results can be read between stages") {
  const Scratch scratch("journal_writer_test");
  const std::string path = journal_path(begin_attempt(scratch.path.string()), 0);
  const RecordedStage first{{0, {{0, 2}}, 1, {0, 1}, 1, 0, 2}, 0},
      second{{1, {{0, 1}}, 1, {0, 1}, 1, 2, std::nullopt}, 2};
  JournalWriter journal(path, header);
  CHECK(journal.results_so_far().empty());
  journal.begin_stage(first);
  journal.append(predicting(1));
  journal.append(predicting(0));
  const ResultStore& results = journal.results_so_far();
  REQUIRE(results.size() == 2);
  CHECK(results.packed(0).iteration() == 0);
  CHECK(replay(scratch).iterations.size() == 2);  // the file also has them
  journal.begin_stage(second);
  journal.append(predicting(2));
  journal.close();
  CHECK(journal.take_results().size() == 3);
  std::ifstream lines(path);
  std::string line;
  std::vector<std::string> kinds;
  while (std::getline(lines, line)) kinds.push_back(line.substr(0, line.find(':')));
  CHECK(kinds == std::vector<std::string>{"{\"sheaf_journal\"", "{\"stage\"", "{\"iteration\"", "{\"iteration\"",
                                          "{\"stage\"", "{\"iteration\""});
  CHECK(replay(scratch).stages == std::vector<RecordedStage>{first, second});
}

TEST_CASE("an iteration with damaged predictions is missing from the replay") {
  const Scratch scratch("journal_writer_test");
  const std::string path = journal_path(begin_attempt(scratch.path.string()), 0);
  {
    JournalWriter journal(path, header);
    for (std::int64_t number = 0; number < 3; ++number) journal.append(predicting(number));
    journal.close();
  }
  const Replay whole = replay(scratch);
  REQUIRE(whole.iterations.size() == 3);
  std::string bytes = text_of(predictions_path(path));
  bytes[16 + 3] = static_cast<char>(bytes[16 + 3] ^ 1);
  std::ofstream(predictions_path(path), std::ios::binary) << bytes.substr(0, bytes.size() - 1);
  CHECK_THROWS_AS(read_predictions(whole.files, whole.iterations[1]), RunError);
  const Replay replayed = replay(scratch);
  REQUIRE(replayed.iterations.size() == 1);
  CHECK(replayed.iterations[0].trained.result.iteration == 0);
  CHECK(replayed.warnings.size() == 2);
}

TEST_CASE("the results of a closed writer equal those of its replay") {
  const Scratch scratch("journal_writer_test");
  JournalWriter journal(journal_path(begin_attempt(scratch.path.string()), 3), header);
  TrainedIteration failed = sample_iteration(7);
  failed.result.status = IterationStatus::failed;
  failed.message = "reason";
  failed.epochs = {{7, 0, 0.5, 0.25, 0.125}};
  journal.append(std::move(failed));
  for (const std::int64_t number : {9, 2, 5}) journal.append(predicting(number));
  journal.close();
  const ResultStore results = journal.take_results();
  const Replay replayed = replay(scratch);
  REQUIRE(results.size() == 4);
  REQUIRE(replayed.iterations.size() == 4);
  CHECK(results.count_results({0, 100}) == 3);
  for (std::size_t index = 0; index < 4; ++index) {
    const auto known = results[index], read = replayed.iterations[index];
    CHECK(same(known.trained.result, read.trained.result));
    CHECK(known.trained.message == read.trained.message);
    CHECK(known.trained.epochs.size() == read.trained.epochs.size());
    CHECK(known.file == 3);  // the rank
    CHECK(read.file == 0);
    CHECK(known.predictions.offset == read.predictions.offset);
    CHECK(known.predictions.bytes == read.predictions.bytes);
    CHECK(known.predictions.checksum == read.predictions.checksum);
  }
}

TEST_CASE("a journal is never overwritten, and each attempt has its own directory") {
  const Scratch scratch("journal_writer_test");
  const std::string first = begin_attempt(scratch.path.string());
  const std::string second = begin_attempt(scratch.path.string());
  CHECK(first != second);
  std::ofstream(journal_path(first, 0)) << "there";
  CHECK_THROWS_AS(JournalWriter(journal_path(first, 0), header), RunError);
  CHECK(text_of(journal_path(first, 0)) == "there");
  CHECK_THROWS_AS(JournalWriter(journal_path((scratch.path / "absent").string(), 0), header), RunError);
}

TEST_CASE("removing the journal's file is an error of the writer") {
  const Scratch scratch("journal_writer_test");
  const std::string path = journal_path(begin_attempt(scratch.path.string()), 0);
  JournalWriter journal(path, header);
  std::filesystem::remove(path);
  journal.hurry();
  journal.append(sample_iteration(0));
  CHECK(eventually([&] { return journal.failure().has_value(); }));
  CHECK_THAT(journal.failure().value_or(""), ContainsSubstring("removed"));
  journal.append(sample_iteration(1));
  CHECK_THROWS_AS(journal.close(), RunError);
}

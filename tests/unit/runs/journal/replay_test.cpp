// SPDX-License-Identifier: MIT
#include "runs/journal/replay.hpp"

#include <algorithm>
#include <limits>
#include <random>
#include <set>

#include "core/error.hpp"
#include "files/checksum.hpp"
#include "runs/journal/journal_files.hpp"
#include "runs/journal/stage_line.hpp"
#include "support/catch.hpp"
#include "support/sample_results.hpp"

using namespace sheaf;

namespace {

const JournalHeader header{"0.1.0", "0123456789abcdef", "data"};

std::string line_of(std::int64_t number, IterationStatus status = IterationStatus::finished, double loss = 0.5) {
  TrainedIteration iteration = sample_iteration(number);
  iteration.result.status = status;
  iteration.result.final_loss = loss;
  return journal_line(iteration, {}, header.seed());
}

void write_journal(const Scratch& scratch, int attempt, int rank, const std::string& text) {
  const auto directory = scratch.path / "journal" / ("0000" + std::to_string(attempt));
  std::filesystem::create_directories(directory);
  std::ofstream(journal_path(directory.string(), rank), std::ios::binary) << text;
}

Replay replay(const Scratch& scratch, std::int64_t total = 100) {
  return replay_journals(scratch.path.string(), header, {total, total}, false);
}

std::vector<std::int64_t> numbers_in(const Replay& replayed) {
  std::vector<std::int64_t> numbers;
  for (const auto& iteration : replayed.iterations) numbers.push_back(iteration.trained.result.iteration);
  return numbers;
}

}  // namespace

TEST_CASE("the journals of all attempts and ranks are merged in the order of iterations") {
  const Scratch scratch("replay_test");
  CHECK(replay(scratch).iterations.empty());
  write_journal(scratch, 1, 0, header_line(header) + line_of(5) + line_of(0));
  write_journal(scratch, 1, 1, header_line(header) + line_of(3));
  write_journal(scratch, 2, 0, header_line(header) + line_of(1));
  write_journal(scratch, 2, 1, "");
  const Replay replayed = replay(scratch);
  CHECK(numbers_in(replayed) == std::vector<std::int64_t>{0, 1, 3, 5});
  CHECK(replayed.warnings.empty());
  CHECK(iterations_left(replayed.iterations, {0, 7}) == std::vector<IndexRange>{{2, 3}, {4, 5}, {6, 7}});
  CHECK(iterations_left(replayed.iterations, {1, 3}) == std::vector<IndexRange>{{2, 3}});
  CHECK(iterations_left({}, {2, 4}) == std::vector<IndexRange>{{2, 4}});
  // Of a slice: the indices of 0, 2, 4 and 6, then of 1, 3 and 5.
  CHECK(iterations_left(replayed.iterations, {0, 7}, {0, 2}) == std::vector<IndexRange>{{1, 4}});
  CHECK(iterations_left(replayed.iterations, {0, 7}, {1, 2}).empty());
  CHECK(iterations_left(replayed.iterations, {2, 7}, {0, 2}) == std::vector<IndexRange>{{1, 4}});
  // A resubmitted task: many iterations, one range.
  CHECK(iterations_left({}, {0, 1000000000}, {3, 10}) == std::vector<IndexRange>{{0, 100000000}});
  CHECK(count_attempts(scratch.path.string()) == 2);
}

TEST_CASE("an iteration's first result counts, or its last failure if there is none") {
  const Scratch scratch("replay_test");
  const auto failed = IterationStatus::failed;
  write_journal(scratch, 1, 0, header_line(header) + line_of(0, failed, 1) + line_of(1, failed, 1) + line_of(2));
  write_journal(scratch, 2, 0, header_line(header) + line_of(0, failed, 2) + line_of(1) + line_of(2, failed, 3));
  write_journal(scratch, 3, 0, header_line(header) + line_of(1, IterationStatus::finished, 7));
  const Replay replayed = replay(scratch);
  REQUIRE(numbers_in(replayed) == std::vector<std::int64_t>{0, 1, 2});
  CHECK(replayed.iterations[0].trained.result.status == failed);
  CHECK(replayed.iterations[0].trained.result.final_loss == 2);
  CHECK(replayed.iterations[1].trained.result.final_loss == 0.5);
  CHECK(replayed.iterations[2].has_result());
  CHECK(replayed.result_lines == 3);  // of iterations 1, 1 and 2
  CHECK(iterations_left(replayed.iterations, {0, 3}) == std::vector<IndexRange>{{0, 1}});
}

TEST_CASE("the time of a run is that of its jobs, of a killed one until its last result") {
  const Scratch scratch("replay_test");
  const auto line_until = [](std::int64_t number, double start, double seconds, double earlier) {
    TrainedIteration iteration = sample_iteration(number);
    iteration.result.start_seconds = start;
    iteration.result.seconds = seconds;
    iteration.result.earlier_seconds = earlier;
    return journal_line(iteration, {}, header.seed());
  };
  // Rank 1 has the last result, and 7 of its 9 seconds were in another job.
  write_journal(scratch, 1, 0, header_line(header) + line_until(0, 1, 2, 0));
  write_journal(scratch, 1, 1, header_line(header) + line_until(1, 2, 9, 7));
  CHECK(trained_seconds(replay(scratch)) == 4);
  // A job that stops records its time.
  write_journal(scratch, 2, 0, header_line(header) + line_until(2, 1, 2, 0) + time_line({12.5, true}, header.seed()));
  CHECK(trained_seconds(replay(scratch)) == 16.5);
  CHECK(replay(scratch).warnings.empty());
  // A killed one may have recorded for how long it had trained without another result.
  write_journal(scratch, 1, 0,
                header_line(header) + time_line({5, false}, header.seed()) + line_until(0, 1, 2, 0) +
                    time_line({6, false}, header.seed()));
  CHECK(trained_seconds(replay(scratch)) == 18.5);
}

TEST_CASE("the journals of a job have its lanes, its expected time and its end") {
  const Scratch scratch("replay_test");
  JournalHeader first = header, second = header;
  first.lanes = 3;
  first.expected_seconds = 40.5;
  second.lanes = 2;
  write_journal(scratch, 1, 0, header_line(first) + time_line({8, false}, header.seed()));
  write_journal(scratch, 1, 1, header_line(second));
  write_journal(scratch, 2, 0, header_line(header) + time_line({9, true}, header.seed()));
  const Replay replayed = replay(scratch);
  REQUIRE(replayed.jobs.size() == 2);
  CHECK(replayed.jobs.at("00001").lanes == 5);
  CHECK(replayed.jobs.at("00001").expected_seconds == 40.5);
  CHECK(replayed.jobs.at("00001").time->seconds == 8);
  CHECK_FALSE(replayed.jobs.at("00001").time->is_over);
  CHECK(replayed.jobs.at("00002").lanes == 0);
  CHECK_FALSE(replayed.jobs.at("00002").expected_seconds);
  CHECK(replayed.jobs.at("00002").time->is_over);
}

TEST_CASE("lines that do not count are in the seconds of all lines") {
  const Scratch scratch("replay_test");
  const double seconds = sample_iteration(1).result.end_seconds() - sample_iteration(1).result.start_seconds;
  write_journal(scratch, 1, 0, header_line(header) + line_of(1, IterationStatus::failed) + line_of(1) + line_of(1));
  const Replay replayed = replay(scratch);
  CHECK(replayed.iteration_lines == 3);
  CHECK(replayed.line_seconds == 3 * seconds);
  CHECK(replayed.iterations.size() == 1);
}

TEST_CASE("a journal that cannot be read is an error") {
  const Scratch scratch("replay_test");
  const auto journal = scratch.path / "journal";
  write_journal(scratch, 1, 0, header_line(header) + line_of(0));
  std::filesystem::create_symlink("/proc/self/mem", journal_path((journal / "00001").string(), 1));  // EIO
  CHECK_THROWS_WITH(replay(scratch), EndsWith("00001.jsonl' cannot be read. Check its permissions and the disk."));
  std::filesystem::remove_all(journal);
  std::ofstream(journal) << "a file";
  CHECK_THROWS_WITH(replay(scratch), "the journal of '" + scratch.path.string() +
                                         "' cannot be read (Not a directory). Check the directory and its "
                                         "permissions.");
}

TEST_CASE("each recorded stage is listed once, in the order of the lines") {
  const Scratch scratch("replay_test");
  const RecordedStage first{{0, {{0, 3}}, {0, 1}, {0, 1}, 1, 0, 2}, 0},
      second{{1, {{1, 2}}, {0, 1}, {0, 1}, 1, 2, std::nullopt}, 3};
  write_journal(scratch, 1, 0, header_line(header) + stage_line(first, header.seed()) + line_of(0));
  write_journal(
      scratch, 2, 0,
      header_line(header) + stage_line(first, header.seed()) + stage_line(second, header.seed()) + line_of(3));
  const Replay replayed = replay(scratch);
  CHECK(replayed.stages == std::vector<RecordedStage>{first, second});
  CHECK(numbers_in(replayed) == std::vector<std::int64_t>{0, 3});
  CHECK(replayed.warnings.empty());
}

TEST_CASE("a stage of added repeats is recorded by its first result") {
  const Scratch scratch("replay_test");
  const RecordedStage longer{{1, {{0, 1}}, {1, 9}, {0, 1}, 1, 0, std::nullopt}, 2},
      shorter{{1, {{0, 1}}, {1, 3}, {0, 1}, 1, 0, std::nullopt}, 2};
  const auto stages = [&] { return replay_journals(scratch.path.string(), header, {16, 2}, false).stages; };
  write_journal(scratch, 1, 0, header_line(header) + line_of(0) + stage_line(longer, header.seed()));
  CHECK(stages().empty());
  write_journal(scratch, 2, 0, header_line(header) + stage_line(shorter, header.seed()) + line_of(3));
  CHECK(stages() == std::vector<RecordedStage>{shorter});
  write_journal(scratch, 1, 0, header_line(header) + line_of(0) + stage_line(longer, header.seed()) + line_of(2));
  CHECK(stages() == std::vector<RecordedStage>{longer, shorter});
}

TEST_CASE("results of a later stage count only if their journal records the stage") {
  const Scratch scratch("replay_test");
  const RecordedStage second{{1, {{1, 3}}, {0, 1}, {0, 1}, 1, 2, std::nullopt}, 3};  // iterations 3 and 4
  const std::string recorded = stage_line(second, header.seed());
  std::string damaged = recorded;
  damaged[20] ^= 1;
  const std::string results = line_of(1) + line_of(3) + line_of(5);
  const auto replay_of = [&](const std::string& journal) {
    write_journal(scratch, 1, 0, header_line(header) + journal);
    return replay_journals(scratch.path.string(), header, {10, 3}, false);
  };
  const Replay whole = replay_of(recorded + results);
  CHECK(numbers_in(whole) == std::vector<std::int64_t>{1, 3});
  REQUIRE(whole.warnings.size() == 1);
  CHECK_THAT(whole.warnings[0], EndsWith("00000.jsonl' was skipped, because the line of their stage is damaged or "
                                         "missing. Iterations without another result are trained again."));
  write_journal(scratch, 1, 1, header_line(header) + recorded);  // the record of another rank does not count
  CHECK(numbers_in(replay_of(results + recorded)) == std::vector<std::int64_t>{1});
  const Replay without = replay_of(damaged + results);
  CHECK(numbers_in(without) == std::vector<std::int64_t>{1});
  REQUIRE(without.warnings.size() == 2);
  CHECK_THAT(without.warnings[1], StartsWith("2 results of '") && ContainsSubstring("' were skipped"));
}

TEST_CASE("an incomplete last line is ignored, and a damaged line gives a warning with its number") {
  const Scratch scratch("replay_test");
  std::string damaged = line_of(1);
  damaged[20] = '?';
  const std::string torn = line_of(3).substr(0, 50);
  write_journal(scratch, 1, 0, header_line(header) + line_of(0) + damaged + line_of(2) + torn);
  const Replay replayed = replay(scratch);
  CHECK(numbers_in(replayed) == std::vector<std::int64_t>{0, 2});
  REQUIRE(replayed.warnings.size() == 1);
  CHECK_THAT(replayed.warnings[0], ContainsSubstring("00000.jsonl' is damaged"));
  write_journal(scratch, 1, 0, header_line(header).substr(0, 30));
  CHECK(replay(scratch).warnings.empty());
  // A line with an iteration beyond the plan counts as damaged.
  write_journal(scratch, 1, 0, header_line(header) + line_of(100));
  CHECK(replay(scratch).iterations.empty());
}

TEST_CASE("journals of other studies, data, model files and versions are refused") {
  const Scratch scratch("replay_test");
  JournalHeader own = header;
  own.models = {{"a.pt", "1"}, {"b.so", "2"}};
  const auto refusal = [&](const JournalHeader& other, bool forced) -> std::string {
    write_journal(scratch, 1, 0, header_line(other) + journal_line(sample_iteration(0), {}, other.seed()));
    try {
      const Replay replayed = replay_journals(scratch.path.string(), own, {100, 100}, forced);
      CHECK(replayed.iterations.size() == 1);
      const bool differs = header_line(other) != header_line(own);
      CHECK(replayed.warnings.empty());
      REQUIRE(replayed.accepted_differences.size() == (differs ? 1 : 0));
      if (differs) CHECK_THAT(replayed.accepted_differences.front(), ContainsSubstring("its results will be mixed"));
      return "";
    } catch (const RunError& error) {
      return error.what();
    }
  };
  const auto with = [&](std::string JournalHeader::*member, const std::string& text) {
    JournalHeader other = own;
    other.*member = text;
    return other;
  };
  CHECK(refusal(own, false).empty());
  CHECK_THAT(refusal(with(&JournalHeader::study, "f"), true),
             EndsWith("another study (fingerprint f, not 0123456789abcdef). Start a new run with another run.output."));
  const JournalHeader older = with(&JournalHeader::data, "older");
  CHECK_THAT(refusal(older, false), ContainsSubstring("(older; now data)"));
  CHECK_THAT(refusal(with(&JournalHeader::data, "ol\x7f"), false), ContainsSubstring("(ol?; now data)"));
  CHECK(refusal(older, true).empty());
  const JournalHeader version = with(&JournalHeader::program, "0.0.9");
  CHECK_THAT(refusal(version, false), ContainsSubstring("sheaf 0.0.9"));
  CHECK(refusal(version, true).empty());
  for (const ModelFingerprints& models : {ModelFingerprints{{"a.pt", "1"}, {"b.so", "3"}}, {{"a.pt", "1"}}}) {
    JournalHeader other = own;
    other.models = models;
    CHECK_THAT(refusal(other, false), ContainsSubstring("the model file 'b.so' has changed"));
    CHECK(refusal(other, true).empty());
  }
  const JournalHeader earlier{"0.1.0", header.study, "data", journal_format - 1};
  CHECK_THAT(refusal(earlier, true), ContainsSubstring("journal format 10 (written by sheaf 0.1.0)"));
}

TEST_CASE("without its header, a journal is refused if no other line fits the study and data") {
  const Scratch scratch("replay_test");
  const JournalHeader other{"0.1.0", header.study, "other data"};
  const std::string unusable = "?" + header_line(other);
  const std::string foreign = journal_line(sample_iteration(1), {}, other.seed());
  write_journal(scratch, 1, 0, header_line(header) + line_of(0));
  write_journal(scratch, 1, 1, unusable + foreign);
  CHECK_THROWS_WITH(replay(scratch), StartsWith("the header of '") &&
                                         EndsWith("00001.jsonl' is damaged, and none of its results fits this study "
                                                  "and data (the data may have changed since it was written). Restore "
                                                  "the data, start a new run with another run.output, or continue "
                                                  "with --force, which trains its iterations again."));
  const Replay forced = replay_journals(scratch.path.string(), header, {100, 100}, true);
  CHECK(numbers_in(forced) == std::vector<std::int64_t>{0});
  REQUIRE(forced.warnings.size() == 1);
  CHECK_THAT(forced.warnings.front(), EndsWith("Its results are not used."));

  write_journal(scratch, 1, 1, unusable + foreign + line_of(2));
  const Replay mixed = replay(scratch);
  CHECK(numbers_in(mixed) == std::vector<std::int64_t>{0, 2});
  REQUIRE(mixed.warnings.size() == 2);
  CHECK_THAT(mixed.warnings.front(),
             EndsWith("00001.jsonl' is damaged. Only results that fit this study and data are used."));
  write_journal(scratch, 1, 1, unusable);
  CHECK(replay(scratch).warnings.size() == 1);
}

TEST_CASE("a result whose predictions have an invalid location is dropped without allocating for it") {
  const Scratch scratch("replay_test");
  const std::vector<float> values = {1, 2, 3};
  const std::int64_t bytes = sizeof(float) * 3;
  const auto is_kept = [&](std::int64_t offset, std::int64_t size) {
    const std::int64_t checked = std::clamp<std::int64_t>(size, 0, bytes);
    const std::uint32_t sum = checksum(values.data(), static_cast<std::size_t>(checked));
    write_journal(scratch, 1, 0,
                  header_line(header) + journal_line(sample_iteration(0), {offset, size, sum}, header.seed()));
    const std::string journal = list_journals(scratch.path.string()).front();
    std::ofstream(predictions_path(journal), std::ios::binary)
        .write(reinterpret_cast<const char*>(values.data()), bytes);
    const Replay replayed = replay(scratch);
    CHECK(replayed.warnings.size() == (replayed.iterations.empty() ? 1 : 0));
    return !replayed.iterations.empty();
  };
  CHECK(is_kept(0, bytes));
  CHECK(is_kept(0, 4));
  for (const std::int64_t part : {1, 2, 3, 5, 6, 7}) CHECK_FALSE(is_kept(0, part));
  constexpr auto largest = std::numeric_limits<std::int64_t>::max();
  CHECK_FALSE(is_kept(4, bytes));
  CHECK_FALSE(is_kept(-4, 8));
  CHECK_FALSE(is_kept(0, largest / 4 * 4));
  CHECK_FALSE(is_kept(largest, 4));
}

// A line counts as undamaged only if its newline is also undamaged.
TEST_CASE("with random damage, the replay has exactly the undamaged results") {
  const Scratch scratch("replay_test");
  std::mt19937 random(5);
  constexpr std::int64_t count = 40;
  for (int round = 0; round < 300; ++round) {
    std::vector<std::string> lines = {header_line(header)};
    for (std::int64_t number = 0; number < count; ++number)
      lines.push_back(line_of(number, IterationStatus::finished, 1e-3 * round + static_cast<double>(number)));
    std::string text;
    std::vector<std::size_t> line_at;
    for (std::size_t line = 0; line < lines.size(); ++line) {
      text += lines[line];
      line_at.resize(text.size(), line);
    }
    std::set<std::size_t> touched;
    for (int flips = 1 + static_cast<int>(random() % 8); flips > 0; --flips) {
      const std::size_t any = random() % text.size();
      const bool line_end = random() % 3 == 0;  // damages the next newline, if there is one
      const std::size_t position = line_end ? std::min(text.find('\n', any), text.size() - 1) : any;
      const char before = text[position];
      text[position] = static_cast<char>(text[position] ^ static_cast<char>(1 + random() % 255));
      if (text[position] != before) touched.insert(line_at[position]);
    }
    std::vector<std::int64_t> expected;
    for (std::int64_t number = 0; number < count; ++number)
      if (touched.count(static_cast<std::size_t>(number) + 1) == 0) expected.push_back(number);
    write_journal(scratch, 1, 0, text);
    const Replay replayed = replay(scratch);
    CHECK(numbers_in(replayed) == expected);
    for (const auto& iteration : replayed.iterations) {
      const auto number = static_cast<double>(iteration.trained.result.iteration);
      CHECK(iteration.trained.result.final_loss == 1e-3 * round + number);
    }
  }
}

TEST_CASE("results of a refit count only if they are added, and its numbers may be those of other iterations") {
  const Scratch scratch("replay_test");
  const RecordedStage refit{{1, {{1, 2}}, {0, 1}, {2, 3}, 2, 0, std::nullopt, std::nullopt, {{1, 7, 30, {}}}}, 4};
  const std::uint32_t seed = seed_after(refit, header.seed());
  const auto refit_line = [&](std::int64_t number) {
    TrainedIteration iteration = sample_iteration(number);
    iteration.result.final_loss = 0.25;
    return journal_line(iteration, {}, seed);
  };
  const std::string stage = stage_line(refit, header.seed());
  write_journal(scratch, 1, 0, header_line(header) + line_of(0) + line_of(1) + stage + refit_line(4));
  write_journal(scratch, 1, 1, header_line(header) + line_of(2) + line_of(3) + stage + refit_line(5));
  Replay replayed = replay(scratch, 4);
  CHECK(replayed.warnings.empty());
  CHECK(replayed.stages.empty());
  CHECK(numbers_in(replayed) == std::vector<std::int64_t>{0, 1, 2, 3});
  REQUIRE(replayed.refits.size() == 1);
  CHECK(replayed.refits[0].recorded == refit);
  CHECK(replayed.result_lines == 4);
  add_refit_results(replayed, replayed.refits[0]);
  CHECK(numbers_in(replayed) == std::vector<std::int64_t>{0, 1, 2, 3, 4, 5});
  CHECK(replayed.result_lines == 6);
  // The search has gone on.
  write_journal(scratch, 2, 0, header_line(header) + line_of(4) + line_of(6));
  replayed = replay(scratch, 8);
  CHECK(numbers_in(replayed) == std::vector<std::int64_t>{0, 1, 2, 3, 4, 6});
  CHECK(replayed.iterations[4].trained.result.final_loss == 0.5);
  CHECK(replayed.refits.empty());
  // It has chosen the same refit again.
  write_journal(scratch, 2, 0, header_line(header) + line_of(4) + line_of(6) + stage + refit_line(5));
  replayed = replay(scratch, 8);
  REQUIRE(replayed.refits.size() == 1);
  CHECK(replayed.refits[0].results.size() == 1);
  write_journal(scratch, 2, 0, header_line(header) + line_of(4) + line_of(6));
  // A damaged stage line.
  std::string damaged = stage;
  damaged[20] ^= 1;
  write_journal(scratch, 1, 0, header_line(header) + line_of(0) + line_of(1) + damaged + refit_line(7));
  replayed = replay(scratch, 8);
  CHECK(numbers_in(replayed) == std::vector<std::int64_t>{0, 1, 2, 3, 4, 6});
  CHECK(replayed.warnings.size() == 2);  // about the line of the stage and about that of the result
}

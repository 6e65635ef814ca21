// SPDX-License-Identifier: MIT
#include "runs/journal/journal_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <random>
#include <tuple>

#include "files/checksum.hpp"
#include "runs/journal/result_store.hpp"
#include "runs/journal/stage_line.hpp"
#include "study/study.hpp"
#include "study/value_types.hpp"
#include "support/catch.hpp"
#include "support/sample_results.hpp"

using namespace sheaf;

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

std::string without_end(const std::string& line) {
  REQUIRE(std::count(line.begin(), line.end(), '\n') == 1);
  REQUIRE(line.back() == '\n');
  return line.substr(0, line.size() - 1);
}

}  // namespace

TEST_CASE("every field of a result is read back bit for bit") {
  TrainedIteration written = sample_iteration(4294967294);
  written.epochs = {{4294967294, 0, 1.0 / 3, not_a_number, infinity}, {4294967294, 1, -infinity, 5e-324, 1}};
  written.metrics = {-infinity, not_a_number};
  written.epoch_metrics = {0.5, -0.0, 1.0 / 3, infinity};
  written.message = "line 1\nline \"2\", {\"iteration\":0} and an odd byte \xff";
  const PredictionsLocation location{12345678901, 40, 0xdeadbeef};
  const auto read = read_journal_line(without_end(journal_line(written, location, 7)), 7);
  REQUIRE(read.has_value());
  CHECK(same(read->iteration.result, written.result));
  REQUIRE(read->iteration.epochs.size() == 2);
  CHECK(same(read->iteration.epochs[0], written.epochs[0]));
  CHECK(same(read->iteration.epochs[1], written.epochs[1]));
  CHECK(same_metrics(read->iteration, written));
  CHECK(read->iteration.message == "line 1\nline \"2\", {\"iteration\":0} and an odd byte \xef\xbf\xbd");
  CHECK(read->predictions.offset == location.offset);
  CHECK(read->predictions.bytes == location.bytes);
  CHECK(read->predictions.checksum == location.checksum);
}

TEST_CASE("every status, engine and kind of number is read back") {
  for (const auto status : {IterationStatus::finished, IterationStatus::diverged, IterationStatus::failed})
    for (const auto engine : {"none", "torch", "native", "an_engine_of_16b"})
      for (const double value : {not_a_number, infinity, -infinity, 0.0, -0.0, 5.0, 1e22, -1.7976931348623157e308}) {
        TrainedIteration written = sample_iteration(1);
        written.result.status = status;
        written.result.engine = engine;
        written.result.final_loss = value;
        const auto read = read_journal_line(without_end(journal_line(written, {}, 1)), 1);
        REQUIRE(read.has_value());
        CHECK(same(read->iteration.result, written.result));
      }
}

TEST_CASE("doubles with random bits are read back bit for bit") {
  std::mt19937_64 random(1);
  for (int i = 0; i < 2000; ++i) {
    TrainedIteration written = sample_iteration(i);
    const std::uint64_t bits = random();
    std::memcpy(&written.result.final_loss, &bits, sizeof bits);
    if (written.result.final_loss != written.result.final_loss) written.result.final_loss = not_a_number;
    const auto read = read_journal_line(without_end(journal_line(written, {}, 1)), 1);
    REQUIRE(read.has_value());
    CHECK(same(read->iteration.result, written.result));
  }
}

TEST_CASE("a line with a flipped bit, a truncated line, or a line of another study is refused") {
  const std::string line = without_end(journal_line(sample_iteration(3), {}, 7));
  REQUIRE(read_journal_line(line, 7).has_value());
  CHECK_FALSE(read_journal_line(line, 8).has_value());
  for (std::size_t position = 0; position < line.size(); ++position) {
    CHECK_FALSE(read_journal_line(line.substr(0, position), 7).has_value());
    for (int bit = 0; bit < 8; ++bit) {
      std::string flipped = line;
      flipped[position] = static_cast<char>(flipped[position] ^ (1 << bit));
      CHECK_FALSE(read_journal_line(flipped, 7).has_value());
    }
  }
}

TEST_CASE("a line with invalid or too large integers is refused") {
  const auto line_with = [](const std::string& rank) {
    const std::string line = without_end(journal_line(sample_iteration(5), {}, 7));
    std::string text = line.substr(0, line.rfind(R"(,"crc32")"));
    const std::size_t begin = text.find(R"("rank":)") + 7;
    text.replace(begin, text.find(',', begin) - begin, rank);
    return text + fmt::format(R"(,"crc32":"{:08x}"}})", checksum(text.data(), text.size(), 7));
  };
  CHECK(read_journal_line(line_with("2147483647"), 7).has_value());
  CHECK(read_journal_line(line_with("-2147483648"), 7).has_value());
  for (const char* rank : {"2147483648", "-2147483649", "18446744073709551615", "1e300", "1.5", "\"1\"", "null"})
    CHECK_FALSE(read_journal_line(line_with(rank), 7).has_value());
}

TEST_CASE("a line leaves out what a new result has, and must have a status") {
  TrainedIteration plain;
  plain.result.iteration = 3;
  plain.result.status = IterationStatus::finished;
  plain.result.final_loss = 0.5;
  const std::string line = without_end(journal_line(plain, {}, 7));
  CHECK(line.substr(0, line.rfind(R"(,"crc32")")) == R"({"iteration":3,"status":"finished","final_loss":0.5)");
  REQUIRE(read_journal_line(line, 7).has_value());
  CHECK(same(read_journal_line(line, 7)->iteration.result, plain.result));
  plain.result.status = IterationStatus::missing;
  CHECK_FALSE(read_journal_line(without_end(journal_line(plain, {}, 7)), 7).has_value());
}

TEST_CASE("a line with a metric that is not a number, or with a curve without its values, is refused") {
  TrainedIteration written = sample_iteration(5);
  written.epochs = {{5, 0, 0.5, 0.25, 1}};
  written.metrics = {0.5};
  written.epoch_metrics = {0.5};
  const std::string line = without_end(journal_line(written, {}, 7));
  REQUIRE(read_journal_line(line, 7).has_value());
  for (const auto& [from, to] : {std::pair(R"("metrics":[0.5])", R"("metrics":["high"])"), {",1,0.5]", ",1]"}}) {
    std::string text = line.substr(0, line.rfind(R"(,"crc32")"));
    text.replace(text.find(from), std::string(from).size(), to);
    CHECK_FALSE(
        read_journal_line(text + fmt::format(R"(,"crc32":"{:08x}"}})", checksum(text.data(), text.size(), 7)), 7)
            .has_value());
  }
}

TEST_CASE("stage lines are read back and are not read as results") {
  const std::vector<RecordedStage> all = {{{0, {{0, 6}}, {0, 2}, {0, 5}, 1, 0, std::nullopt}, 0},
                                          {{1, {{0, 6}}, {2, 5}, {0, 5}, 1, 0, std::nullopt}, 60},
                                          {{1, {{1, 2}, {4, 6}}, {0, 1}, {2, 7}, 3, 4, 12}, 60},
                                          {{1, {{1, 2}, {4, 6}}, {0, 1}, {2, 7}, 3, 4, 12, 5}, 60}};
  for (const auto& recorded : all) {
    const std::string line = without_end(stage_line(recorded, 7));
    const auto read = read_stage_line(line, 7);
    REQUIRE(read.has_value());
    CHECK(*read == recorded);
    CHECK_FALSE(read_stage_line(line, 8).has_value());
    CHECK_FALSE(read_journal_line(line, 7).has_value());
    for (std::size_t position = 0; position < line.size(); ++position) {
      std::string flipped = line;
      flipped[position] = static_cast<char>(flipped[position] ^ 1);
      CHECK_FALSE(read_stage_line(flipped, 7).has_value());
    }
  }
  CHECK_FALSE(read_stage_line(without_end(journal_line(sample_iteration(1), {}, 7)), 7).has_value());
}

TEST_CASE("the ends of searches and jobs read back, and are refused with any change") {
  const std::string end = without_end(end_line({600, 12}, 7)), time = without_end(time_line({1.0 / 3, true}, 7));
  const auto read = read_end_line(end, 7);
  REQUIRE(read.has_value());
  CHECK((read->time == 600 && read->trials == 12));
  CHECK(read_time_line(time, 7)->seconds == 1.0 / 3);
  CHECK_FALSE(read_end_line(end, 8).has_value());
  CHECK_FALSE(read_time_line(time, 8).has_value());
  for (const std::string& line : {end, time})
    for (std::size_t position = 0; position < line.size(); ++position) {
      std::string flipped = line;
      flipped[position] = static_cast<char>(flipped[position] ^ 1);
      CHECK_FALSE((read_end_line(flipped, 7).has_value() || read_time_line(flipped, 7).has_value()));
    }
  CHECK_FALSE(read_end_line(without_end(end_line({0, 12}, 7)), 7).has_value());
  CHECK_FALSE(read_end_line(without_end(end_line({600, 0}, 7)), 7).has_value());
  CHECK_FALSE(read_time_line(without_end(time_line({-1, true}, 7)), 7).has_value());
}

TEST_CASE("a recorded stage has iterations, and their numbers are possible") {
  const auto accepts = [](const RecordedStage& recorded) {
    return read_stage_line(without_end(stage_line(recorded, 7)), 7).has_value();
  };
  const auto stage = [](std::vector<IndexRange> trials, std::int64_t repeats, std::int64_t folds,
                        std::int64_t members) {
    return RecordedStage{{1, std::move(trials), {0, repeats}, {0, folds}, members, 3, std::nullopt}, 1};
  };
  const auto epochs = [&](std::int64_t from, std::optional<std::int64_t> to) {
    RecordedStage recorded = stage({{0, 2}}, 1, 1, 1);
    recorded.stage.from_epoch = from;
    recorded.stage.to_epoch = to;
    return recorded;
  };
  CHECK(accepts(epochs(0, 1)));
  CHECK(accepts(epochs(3, 4)));
  CHECK_FALSE(accepts(epochs(3, 3)));
  CHECK_FALSE(accepts(epochs(3, 2)));
  CHECK_FALSE(accepts(epochs(3, -1)));
  CHECK_FALSE(accepts(epochs(-1, 4)));
  CHECK_FALSE(accepts(epochs(max_epochs, std::nullopt)));
  for (const std::int64_t first_new : {-1, 0, 1, 2}) {
    RecordedStage recorded = epochs(3, 4);
    recorded.stage.first_new_trial = first_new;
    CHECK(accepts(recorded) == (first_new == 0 || first_new == 1));
    recorded.stage.from_epoch = 0;
    CHECK_FALSE(accepts(recorded));
  }
  CHECK(accepts(stage({{0, 2}, {3, 4}}, 2, 1, 1)));
  CHECK(accepts(stage({{0, max_iterations - 1}}, 1, 1, 1)));
  CHECK_FALSE(accepts(stage({{0, max_iterations}}, 1, 1, 1)));
  CHECK_FALSE(accepts(stage({{0, 2}}, std::int64_t{1} << 31, 1, 1)));
  CHECK_FALSE(accepts(stage({{0, 1}}, std::int64_t{1} << 62, std::int64_t{1} << 62, 4)));
  for (const std::int64_t factor : {0, -1}) {
    CHECK_FALSE(accepts(stage({{0, 2}}, factor, 1, 1)));
    CHECK_FALSE(accepts(stage({{0, 2}}, 1, factor, 1)));
    CHECK_FALSE(accepts(stage({{0, 2}}, 1, 1, factor)));
  }
  for (const std::vector<IndexRange>& trials :
       std::vector<std::vector<IndexRange>>{{}, {{-1, 1}}, {{1, 1}}, {{2, 1}}, {{0, 2}, {1, 3}}, {{3, 4}, {0, 1}}})
    CHECK_FALSE(accepts(stage(trials, 1, 1, 1)));
  RecordedStage negative = stage({{0, 1}}, 1, 1, 1);
  negative.first_iteration = -1;
  CHECK_FALSE(accepts(negative));
  negative = stage({{0, 1}}, 1, 1, 1);
  negative.stage.number = -1;
  CHECK_FALSE(accepts(negative));
  negative = stage({{0, 1}}, 1, 1, 1);
  negative.stage.folds = {-2, 1};
  CHECK_FALSE(accepts(negative));
  negative = stage({{0, 1}}, 1, 1, 1);
  negative.stage.repeats = {-2, 1};
  CHECK_FALSE(accepts(negative));
}

TEST_CASE("the line of a refit is read back, and impossible refits are refused") {
  const auto recorded = [](std::vector<Refit> refits) {
    return RecordedStage{{1, {{2, 3}, {5, 6}}, {0, 1}, {3, 4}, 2, 0, std::nullopt, std::nullopt, std::move(refits)},
                         12};
  };
  const auto read = [](const RecordedStage& stage) { return read_stage_line(without_end(stage_line(stage, 5)), 5); };
  const RecordedStage refit = recorded({{2, 7, 30, {}}, {5, 4, 31, {0, 3}}});
  CHECK(read(refit) == refit);
  for (const std::vector<Refit>& refits : std::vector<std::vector<Refit>>{{{2, 7, 30, {}}},
                                                                          {{2, 7, 30, {}}, {4, 4, 31, {}}},
                                                                          {{5, 7, 30, {}}, {2, 4, 31, {}}},
                                                                          {{2, 0, 30, {}}, {5, 4, 31, {}}},
                                                                          {{2, 7, 0, {}}, {5, 4, 31, {}}},
                                                                          {{2, 7, 30, {}}, {5, 4, 31, {3, 3}}},
                                                                          {{2, 7, 30, {-1}}, {5, 4, 31, {}}}})
    CHECK_FALSE(read(recorded(refits)).has_value());
  // Results of a refit verify only with its line.
  const RecordedStage of_search{{1, {{0, 1}}, {0, 1}, {0, 1}, 1, 0, std::nullopt}, 0};
  CHECK(seed_after(of_search, 5) == 5);
  CHECK(seed_after(refit, 5) != 5);
  CHECK(seed_after(refit, 5) != seed_after(recorded({{2, 7, 30, {}}, {5, 4, 31, {0}}}), 5));
}

TEST_CASE("the epochs at which a plateau reduced the rate are read back by both readers") {
  TrainedIteration iteration = sample_iteration(3);
  iteration.rate_reductions = {0, 4, 999999};
  iteration.metrics = {0.5};
  const std::string line = without_end(journal_line(iteration, {8, 16, 32}, 5));
  for (const auto& read : {read_journal_line(line, 5), parse_journal_line(line, 5)}) {
    REQUIRE(read.has_value());
    CHECK(read->iteration.rate_reductions == iteration.rate_reductions);
    CHECK(read->predictions.checksum == 32);
  }
  std::vector<std::byte> bytes;
  pack_result(iteration, {8, 16, 32}, 1, bytes);
  const JournaledIteration unpacked = PackedResult(bytes.data()).unpack();
  CHECK(unpacked.trained.rate_reductions == iteration.rate_reductions);
  CHECK(unpacked.predictions.bytes == 16);
}

TEST_CASE("a header may have the platform of its rank") {
  JournalHeader header{"0.1.0", "0123456789abcdef", "data"};
  const std::uint32_t seed = header.seed();
  CHECK_FALSE(read_header_line(without_end(header_line(header)))->platform.has_value());
  using Engines = std::map<std::string, std::string>;
  for (const auto& engines : {Engines{{"native_engine", "AVX2, gr\\xfcn"}, {"libtorch", "1.13, \"AVX2\""}},
                              Engines{{"native_engine", "AVX2"}}}) {
    header.platform = Platform{"b1", engines, 3};
    const auto read = read_header_line(without_end(header_line(header)));
    REQUIRE(read.has_value());
    CHECK(read->platform == header.platform);
    CHECK(read->seed() == seed);
    header.platform->gpu = "NVIDIA H200";
    CHECK(read_header_line(without_end(header_line(header)))->platform == header.platform);
  }
}

TEST_CASE("header lines are read back and are not read as results") {
  const JournalHeader header{"0.1.0",
                             "0123456789abcdef",
                             "data \"x\", content 5",
                             journal_format,
                             {{"a \"b\".pt", "f1"}, {"c.so", "f2"}},
                             "gr\\xfcn.h5, 5 bytes of 7"};
  const std::string line = without_end(header_line(header));
  const auto read = read_header_line(line);
  REQUIRE(read.has_value());
  CHECK(read->program == header.program);
  CHECK(read->study == header.study);
  CHECK(read->data == header.data);
  CHECK(read->models == header.models);
  CHECK(read->files == header.files);
  CHECK(read->seed() == header.seed());
  CHECK_FALSE(read_journal_line(line, 0).has_value());
  CHECK_FALSE(read_header_line(without_end(journal_line(sample_iteration(1), {}, 0))).has_value());
  CHECK(header.seed() != JournalHeader{"0.1.0", "0123456789abcdef", "other", journal_format, header.models}.seed());
  JournalHeader other = header;
  other.models["c.so"] = "f3";
  CHECK(header.seed() != other.seed());
  other = header;
  other.files = "gr\\xfcn.h5, 5 bytes of 8";  // the same values at another time
  CHECK(header.seed() == other.seed());
}

TEST_CASE("a header may have lanes and an expected time, which the checksums of later lines do not depend on") {
  JournalHeader header{"0.1.0", "0123456789abcdef", "data"};
  const std::uint32_t seed = header.seed();
  CHECK(header_line(header).find("lanes") == std::string::npos);
  header.lanes = 4;
  header.expected_seconds = 0.1;
  const auto read = read_header_line(without_end(header_line(header)));
  REQUIRE(read.has_value());
  CHECK(read->lanes == 4);
  CHECK(read->expected_seconds == 0.1);
  CHECK(read->seed() == seed);
  header.lanes = std::int64_t{1} << 40;
  CHECK_FALSE(read_header_line(without_end(header_line(header))).has_value());
}

TEST_CASE("lines of times are read back; those without an end are of a job that ended") {
  const auto read = [](const std::string& line) { return read_time_line(without_end(line), 7); };
  CHECK(read(time_line({1.5, true}, 7))->is_over);
  CHECK(time_line({1.5, true}, 7).find("is_over") == std::string::npos);
  CHECK_FALSE(read(time_line({1.5, false}, 7))->is_over);
  CHECK(read(time_line({1.5, false}, 7))->seconds == 1.5);
  CHECK_FALSE(read(time_line({-1, true}, 7)).has_value());
  CHECK_FALSE(read_time_line(without_end(time_line({1.5, true}, 8)), 7).has_value());
}

// The JSON parser may accept lines that the fast reader rejects, but not the reverse.
TEST_CASE("every line that the fast reader accepts gives the same result with the JSON parser") {
  std::mt19937 random(11);
  const char* pieces[] = {"0",
                          "-0",
                          "-0.0",
                          "00",
                          "1e5",
                          "1E5",
                          "1.",
                          ".5",
                          "1e",
                          "1e400",
                          "5e-324",
                          "1e-400",
                          "nan",
                          "inf",
                          "\"nan\"",
                          "\"-inf\"",
                          "null",
                          "true",
                          "9223372036854775808",
                          "18446744073709551616",
                          "123456789012345678901234567890",
                          " 1",
                          "+1",
                          "-",
                          ",",
                          "]",
                          "[",
                          "{"};
  const std::string line = without_end(journal_line(
      [] {
        TrainedIteration written = sample_iteration(5);
        written.epochs = {{5, 0, 0.5, not_a_number, infinity}, {5, 1, -infinity, 5e-324, 1}};
        written.metrics = {0.5, 1};
        written.epoch_metrics = {0.25, 1e-3, not_a_number, 3};
        return written;
      }(),
      {12, 34, 56}, 7));
  const std::string text = line.substr(0, line.rfind(R"(,"crc32")"));
  std::vector<std::size_t> values;  // positions where the value of a member or an element begins
  for (std::size_t position = 1; position < text.size(); ++position)
    if (text[position - 1] == ':' || text[position - 1] == '[' || (text[position - 1] == ',' && text[position] != '"'))
      values.push_back(position);
  const auto closed = [](const std::string& changed) {
    return changed + fmt::format(R"(,"crc32":"{:08x}"}})", checksum(changed.data(), changed.size(), 7));
  };
  std::size_t accepted = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string changed = text;
    if (random() % 2 == 0) {
      const std::size_t begin = values[random() % values.size()];
      changed.replace(begin, changed.find_first_of(",]}", begin) - begin, pieces[random() % std::size(pieces)]);
    } else {
      changed[random() % changed.size()] = "0123456789-+.eE,:[]{}\"nai"[random() % 25];
    }
    const auto fast = scan_journal_line(changed);
    const auto slow = parse_journal_line(closed(changed), 7);
    const auto both = read_journal_line(closed(changed), 7);
    CHECK(both.has_value() == slow.has_value());
    if (!fast) continue;
    ++accepted;
    REQUIRE(slow.has_value());
    CHECK(journal_line(fast->iteration, fast->predictions, 7) == journal_line(slow->iteration, slow->predictions, 7));
  }
  CHECK(scan_journal_line(text).has_value());
  CHECK(accepted > 2000);
}

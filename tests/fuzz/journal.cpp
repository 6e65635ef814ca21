// Input parts: a journal and its predictions file. Options: 0 --force; 1 checksums are corrected, so that lines with
// other damage are parsed.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "files/checksum.hpp"
#include "fuzzing.hpp"
#include "runs/journal/journal_files.hpp"
#include "runs/journal/replay.hpp"
#include "runs/journal/stage_line.hpp"

using namespace sheaf;

namespace {

constexpr std::int64_t total = 100, first_stage = 60;
const JournalHeader header{"0.1.0", "0123456789abcdef", "data"};

// A run directory for this process, removed at exit.
struct Scratch {
  std::string run = fmt::format("journal.{}", ::getpid());
  std::string journal = journal_path(begin_attempt(run), 0);
  ~Scratch() { std::filesystem::remove_all(run); }
};

std::string with_checksums(const std::string& text) {
  constexpr std::size_t ending_size = sizeof(R"(,"crc32":"01234567"})") - 1;
  std::string whole;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    std::string line = text.substr(begin, end - begin);
    if (line.size() > ending_size) {
      line.resize(line.size() - ending_size);
      const std::uint32_t sum = checksum(line.data(), line.size(), begin == 0 ? 0 : header.seed());
      line += fmt::format(R"(,"crc32":"{:08x}"}})", sum);
    }
    whole += line;
    if (end == text.npos) break;
    whole += '\n';
    begin = end + 1;
  }
  return whole;
}

void write_file(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

void must_be_sound(const Replay& replay) {
  std::vector<bool> left(total, true);
  std::int64_t previous = -1;
  for (const auto& iteration : replay.iterations) {
    const std::int64_t number = iteration.trained.result.iteration;
    fuzz::must(number > previous && number < total, "iterations ascend from 0 to the last");
    previous = number;
    const auto has = [number](const RecordedStage& stage) {
      return number >= stage.iterations().begin && number < stage.iterations().end;
    };
    fuzz::must(number < first_stage || std::any_of(replay.stages.begin(), replay.stages.end(), has),
               "each result of a later stage belongs to a recorded stage");
    if (iteration.has_result()) left[static_cast<std::size_t>(number)] = false;
    read_predictions(replay.files, iteration);
    const std::string line = journal_line(iteration.trained, iteration.predictions, header.seed());
    const auto again = read_journal_line(line.substr(0, line.size() - 1), header.seed());
    fuzz::must(again && journal_line(again->iteration, again->predictions, header.seed()) == line,
               "writing and reading restores a result: " + line);
  }
  std::vector<bool> reported(total, false);
  for (const IndexRange range : iterations_left(replay.iterations, {0, total}))
    for (std::int64_t number = range.begin; number < range.end; ++number)
      reported[static_cast<std::size_t>(number)] = true;
  fuzz::must(left == reported, "iterations_left returns the iterations without a result");
  for (const RecordedStage& recorded : replay.stages) {
    const std::string line = stage_line(recorded, header.seed());
    fuzz::must(read_stage_line(line.substr(0, line.size() - 1), header.seed()) == recorded,
               "writing and reading restores a stage: " + line);
  }
  for (const auto& warning : replay.warnings) fuzz::must_be_readable(warning, false);
}

// The fast reader of journal lines and the JSON parser must give the same results.
void parsers_must_agree(const std::string& text) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    begin = end + 1;
    const auto read = read_journal_line(line, header.seed());
    const auto parsed = parse_journal_line(line, header.seed());
    fuzz::must(read.has_value() == parsed.has_value(), "both parsers accept the same lines: " + line);
    if (read)
      fuzz::must(journal_line(read->iteration, read->predictions, header.seed()) ==
                     journal_line(parsed->iteration, parsed->predictions, header.seed()),
                 "both parsers return the same result: " + line);
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Scratch scratch;
  const fuzz::Input input(data, size);
  const std::string journal = input.option(1) ? with_checksums(input.part(0)) : input.part(0);
  parsers_must_agree(journal);
  write_file(scratch.journal, journal);
  write_file(predictions_path(scratch.journal), input.part(1));
  Replay replay;
  if (fuzz::accepts([&] { replay = replay_journals(scratch.run, header, {total, first_stage}, input.option(0)); }))
    must_be_sound(replay);
  return 0;
}

// The lines of a journal. Each is one JSON object whose last member is a checksum of everything before it, so that a
// line that was torn or changed is not taken for a result. Numbers read back to the bit; those that JSON has no form
// for are texts ("nan", "inf", "-inf"). Pure. SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "study/stage.hpp"
#include "training/iteration_result.hpp"

namespace sheaf {

/// The files that models come from, each with the fingerprint of its content.
using ModelFingerprints = std::map<std::string, std::string>;

/// Format of journals that this program writes and reads. It increases with every change of the lines, or of what
/// their fields mean.
inline constexpr std::int64_t journal_format = 4;

/// The first line of a journal: what its results belong to.
struct JournalHeader {
  std::string program;  ///< version
  std::string study;    ///< fingerprint of what decides the results (study_identity.hpp)
  std::string data;     ///< fingerprint of the data
  std::int64_t format = journal_format;
  ModelFingerprints models{};

  /// The checksums of the file's results go on from this one: results of another study do not verify.
  std::uint32_t seed() const;
};

/// Where an iteration's predictions stand in the binary file beside the journal; none: no bytes.
struct PredictionsPlace {
  std::int64_t offset = 0;
  std::int64_t bytes = 0;
  std::uint32_t checksum = 0;
};

/// An iteration as its line tells it.
struct JournalLine {
  TrainedIteration iteration;  ///< without its predictions
  PredictionsPlace predictions;
};

/// A stage of the run's search, as rank 0 records it when its training begins.
struct RecordedStage {
  Stage stage;
  std::int64_t first_iteration = 0;

  bool operator==(const RecordedStage& other) const {
    return stage == other.stage && first_iteration == other.first_iteration;
  }
};

/// Every result line begins with this, and no other place of one can hold it.
inline constexpr const char* journal_line_beginning = "{\"iteration\":";

/// With the line end.
std::string header_line(const JournalHeader& header);
std::string stage_line(const RecordedStage& recorded, std::uint32_t seed);
std::string journal_line(const TrainedIteration& iteration, const PredictionsPlace& predictions, std::uint32_t seed);

/// `line`: without the line end. Nothing for another kind of line, or one that is not as it was written. The header of
/// another format has its format and program alone.
std::optional<JournalHeader> read_header_line(const std::string& line);
std::optional<RecordedStage> read_stage_line(const std::string& line, std::uint32_t seed);
std::optional<JournalLine> read_journal_line(const std::string& line, std::uint32_t seed);

/// As read_journal_line, without a JSON parser, for journals of millions of results. `text`: a line without its
/// checksum. Accepts only lines as journal_line() writes them, without a
/// message. None: any other line, which may still be valid JSON. An accepted line has the same result as by the JSON
/// parser. Pure.
std::optional<JournalLine> scan_journal_line(std::string_view text);

/// As read_journal_line, by the JSON parser alone, which takes several times as long.
std::optional<JournalLine> parse_journal_line(const std::string& line, std::uint32_t seed);

}  // namespace sheaf

// The lines of a journal. Each is a JSON object whose last member is a checksum of all text before it, so that an
// incomplete or changed line is detected. Numbers read back with the same bits; NaN and infinity are strings ("nan",
// "inf", "-inf"). The line of a result has its `result_fields` that differ from those of a new result. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "runs/journal/platform.hpp"
#include "training/iteration_result.hpp"

namespace sheaf {

/// Model files, each with the fingerprint of its content. Their names are escaped(), since JSON is UTF-8.
using ModelFingerprints = std::map<std::string, std::string>;

/// Format of the journals that this program writes and reads. It increases with every change of the lines or of the
/// meaning of their fields, except for members that readers may leave out.
inline constexpr std::int64_t journal_format = 11;

/// The first line of a journal: the identity of the run.
struct JournalHeader {
  std::string program;  ///< version
  std::string study;    ///< fingerprint of the keys that affect results (study_identity.hpp)
  std::string data;     ///< identity of the values (data/content_identity.hpp)
  std::int64_t format = journal_format;
  ModelFingerprints models{};
  std::string files{};     ///< names, sizes and times of the data files; they may change, the values may not
  std::int64_t lanes = 0;  ///< of the rank whose journal it is; 0: not known
  std::optional<double> expected_seconds{};  ///< that the job was expected to need for the whole run
  std::optional<Platform> platform{};        ///< of the rank; nullopt: not recorded, by older versions

  /// The initial value of the checksums of all later lines, so that results of another study do not verify.
  std::uint32_t seed() const;
};

/// The location of an iteration's predictions in the binary file next to the journal; `bytes` is 0 if it has none.
struct PredictionsLocation {
  std::int64_t offset = 0;
  std::int64_t bytes = 0;
  std::uint32_t checksum = 0;
};

/// The contents of the line of an iteration.
struct JournalLine {
  TrainedIteration iteration;  ///< without its predictions
  PredictionsLocation predictions;
};

/// The beginning of every result line. It cannot occur elsewhere in such a line.
inline constexpr const char* journal_line_beginning = "{\"iteration\":";

/// The functions below return lines with their line end.
std::string header_line(const JournalHeader& header);
std::string journal_line(const TrainedIteration& iteration, const PredictionsLocation& predictions, std::uint32_t seed);
/// Appends the same line to `text`.
void append_journal_line(std::string& text, const TrainedIteration& iteration, const PredictionsLocation& predictions,
                         std::uint32_t seed);

/// `line`: without its line end. Returns nothing for another kind of line, or if the checksum is wrong. A header of
/// another format has only `format` and `program`.
std::optional<JournalHeader> read_header_line(const std::string& line);
std::optional<JournalLine> read_journal_line(const std::string& line, std::uint32_t seed);

/// Like read_journal_line, but without a JSON parser, for journals of millions of results. `text`: a line without its
/// checksum. Accepts only lines exactly as journal_line() writes them, without values or a message, and returns the
/// same as the JSON parser. Returns nothing for all other lines, which may be valid JSON. Pure.
std::optional<JournalLine> scan_journal_line(std::string_view text);

/// Like read_journal_line, but uses only the JSON parser, which takes several times as long.
std::optional<JournalLine> parse_journal_line(const std::string& line, std::uint32_t seed);

}  // namespace sheaf

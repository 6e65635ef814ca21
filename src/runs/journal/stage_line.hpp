// The journal lines of stages, and of the ends of searches and jobs. Their form is that of results (journal_line.hpp).
// Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/index_range.hpp"
#include "study/stage.hpp"

namespace sheaf {

/// A stage of the search, recorded by each rank before its first result of the stage.
struct RecordedStage {
  Stage stage;
  std::int64_t first_iteration = 0;

  IndexRange iterations() const { return {first_iteration, first_iteration + stage.iteration_count()}; }
  bool operator==(const RecordedStage& other) const {
    return stage == other.stage && first_iteration == other.first_iteration;
  }
};

/// The end of a search whose time is over, recorded by rank 0.
struct RecordedEnd {
  std::int64_t time = 0;    ///< search.time, in seconds; a run with another one goes on
  std::int64_t trials = 0;  ///< of the run: 0..trials-1
};

/// How long a job has trained, recorded by rank 0 at its end and from time to time before, so that the work of a killed
/// job is known.
struct RecordedTime {
  double seconds = 0;   ///< since the start of its training
  bool is_over = true;  ///< whether the job ended then
};

/// The functions below return lines with their line end.
std::string stage_line(const RecordedStage& recorded, std::uint32_t seed);
std::string end_line(const RecordedEnd& recorded, std::uint32_t seed);
std::string time_line(const RecordedTime& recorded, std::uint32_t seed);

/// The seed of the lines after that of a stage. Results of a refit verify only after the line of their stage, because
/// their numbers may be those of other iterations when the search goes on.
std::uint32_t seed_after(const RecordedStage& recorded, std::uint32_t seed);

/// `line`: without its line end. Returns nothing for another kind of line, if the checksum is wrong or if the numbers
/// are impossible (of a stage: negative, not ascending, no iterations or too many).
std::optional<RecordedStage> read_stage_line(const std::string& line, std::uint32_t seed);
std::optional<RecordedEnd> read_end_line(const std::string& line, std::uint32_t seed);
std::optional<RecordedTime> read_time_line(const std::string& line, std::uint32_t seed);

}  // namespace sheaf

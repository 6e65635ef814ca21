// SPDX-License-Identifier: MIT
#include "runs/journal/replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <optional>
#include <utility>

#include "core/error.hpp"
#include "core/text.hpp"
#include "files/checksum.hpp"
#include "runs/journal/journal_files.hpp"

namespace sheaf {
namespace {

// Whether the location has whole floats inside a file of `file_bytes`. Checked before memory is allocated, because the
// location was read from a file.
bool is_inside(const PredictionsLocation& location, std::int64_t file_bytes) {
  return location.offset >= 0 && location.bytes > 0 && location.bytes % static_cast<std::int64_t>(sizeof(float)) == 0 &&
         location.offset <= file_bytes && location.bytes <= file_bytes - location.offset;
}

std::optional<std::vector<float>> try_read_predictions(std::ifstream& file, const PredictionsLocation& location) {
  file.clear();
  file.seekg(0, std::ios::end);
  if (!is_inside(location, file.tellg())) return std::nullopt;
  const auto bytes = static_cast<std::size_t>(location.bytes);
  std::vector<float> values(bytes / sizeof(float));
  file.seekg(location.offset);
  file.read(reinterpret_cast<char*>(values.data()), location.bytes);
  if (file.gcount() != location.bytes || checksum(values.data(), bytes) != location.checksum) return std::nullopt;
  return values;
}

// The first model file whose content differs from that when the journal was written.
std::optional<std::string> changed_model(const JournalHeader& found, const JournalHeader& header) {
  for (const auto& [file, fingerprint] : header.models) {
    const auto before = found.models.find(file);
    if (before == found.models.end() || before->second != fingerprint) return file;
  }
  return std::nullopt;
}

// Throws RunError for the journal of another format or study.
void require_same_study(const std::string& path, const JournalHeader& found, const JournalHeader& header) {
  require(found.format == journal_format,
          fmt::format("'{}' has journal format {} (written by sheaf {}); this program only reads format {}. Resume "
                      "the run with that version, or start a new run with another run.output.",
                      path, found.format, printable(found.program), journal_format));
  require(
      found.study == header.study,
      fmt::format("'{}' belongs to another study (fingerprint {}, not {}). Start a new run with another run.output.",
                  path, printable(found.study), header.study));
}

// A difference that may change results, and its remedy.
struct Difference {
  std::string text, remedy;
};

std::optional<Difference> find_difference(const std::string& path, const JournalHeader& found,
                                          const JournalHeader& header) {
  if (found.data != header.data)
    return Difference{fmt::format("the data have changed since '{}' was written ({}; now {})", path,
                                  printable(found.data), header.data),
                      "Restore them"};
  if (const auto model = changed_model(found, header))
    return Difference{
        fmt::format("the model file '{}' has changed since '{}' was written (its content differs)", *model, path),
        "Restore it"};
  // Other versions of XGBoost grow other trees.
  const auto xgboost_of = [](const JournalHeader& of) {
    return of.platform ? of.platform->engine("xgboost") : std::nullopt;
  };
  const auto before = xgboost_of(found), now = xgboost_of(header);
  if (before && now && before != now)
    return Difference{fmt::format("'{}' was written with XGBoost {}, this is XGBoost {} (its trees differ)", path,
                                  printable(*before), *now),
                      "Use that version"};
  if (found.program != header.program)
    return Difference{fmt::format("'{}' was written by sheaf {}, this is sheaf {} (results may differ)", path,
                                  printable(found.program), header.program),
                      "Use that version"};
  return std::nullopt;
}

// Reads one journal, line by line.
class JournalReader {
 public:
  JournalReader(Replay& replay, const JournalHeader& header, IterationLimits limits, bool forced)
      : replay_(replay), header_(header), limits_(limits), forced_(forced) {}

  void read(const std::string& path) {
    Lines lines;
    file_ = replay_.files.size();
    replay_.files.push_back(path);
    replay_.headers.emplace_back();
    predictions_.reset();
    seed_ = header_.seed();
    known_ = {{0, limits_.first_stage}};
    repeats_.clear();
    attempt_ = attempt_of(path);
    refit_.reset();
    unknown_count_ = 0;
    std::ifstream file(path, std::ios::binary);
    std::string line;
    // A last line without its end is incomplete: the run was killed.
    for (std::int64_t number = 1; std::getline(file, line) && !file.eof(); ++number) {
      if (number == 1 ? take_header(path, line)
                      : take_stage(line) || take_end(line) || take_time(line) || take_result(line)) {
        lines.fit = true;
      } else {
        lines.damaged.push_back(number);
        // If the end of a line is damaged, the next line follows in the same string and is still valid.
        const std::size_t beginning = line.rfind(journal_line_beginning);
        if (beginning != std::string::npos && beginning > 0 && take_result(line.substr(beginning))) lines.fit = true;
      }
    }
    require(file.eof(), fmt::format("'{}' cannot be read. Check its permissions and the disk.", path));
    report_damage(path, lines);
  }

 private:
  // The complete lines of a journal.
  struct Lines {
    std::vector<std::int64_t> damaged;  // numbers, from 1
    bool fit = false;                   // whether any line is valid for this study and data
  };

  // Without a header, lines that were changed cannot be distinguished from those of another study or other data.
  void report_damage(const std::string& path, const Lines& lines) {
    if (lines.damaged.size() > 1 && !lines.fit) {
      const std::string problem = fmt::format(
          "the header of '{}' is damaged, and none of its results fits this study and data (the data may have changed "
          "since it was written)",
          path);
      require(forced_, problem +
                           ". Restore the data, start a new run with another run.output, or continue with "
                           "--force, which trains its iterations again.");
      replay_.warnings.push_back(problem + ". Its results are not used.");
      return;
    }
    for (const std::int64_t number : lines.damaged)
      replay_.warnings.push_back(
          number == 1
              ? fmt::format("the header of '{}' is damaged. Only results that fit this study and data are used.", path)
              : fmt::format(
                    "line {} of '{}' is damaged and was skipped. If it was a result, its iteration will be trained "
                    "again.",
                    number, path));
    if (unknown_count_ > 0)
      replay_.warnings.push_back(fmt::format(
          "{} of '{}' {} skipped, because the line of their stage is damaged or missing. Iterations without "
          "another result are trained again.",
          counted(unknown_count_, "result"), path, unknown_count_ == 1 ? "was" : "were"));
  }

  bool take_header(const std::string& path, const std::string& line) {
    const auto found = read_header_line(line);
    if (!found) return false;
    require_same_study(path, *found, header_);
    if (const auto difference = find_difference(path, *found, header_)) refuse_or_warn(*difference);
    seed_ = found->seed();
    ReplayedJob& job = replay_.jobs[attempt_];
    job.lanes += found->lanes;
    if (found->expected_seconds) job.expected_seconds = found->expected_seconds;
    replay_.headers.back() = found;
    return true;
  }

  // Warns only once, since all journals of an attempt have the same difference.
  void refuse_or_warn(const Difference& difference) {
    require(forced_, fmt::format("{}. {}, start a new run with another run.output, or continue with --force.",
                                 difference.text, difference.remedy));
    if (std::exchange(has_warned_, true)) return;
    replay_.accepted_differences.push_back(
        fmt::format("{}. The run continues because of --force; its results will be mixed.", difference.text));
  }

  bool take_result(const std::string& line) {
    auto result = read_journal_line(line, seed_);
    if (!result) return false;
    const std::int64_t iteration = result->iteration.result.iteration;
    if (refit_) return take_refit_result(*result);
    if (iteration < 0 || iteration >= limits_.total) return false;
    if (result->predictions.bytes != 0 && !has_predictions(result->predictions)) return false;
    count_line(*result);
    if (!is_of_known_stage(iteration)) {
      ++unknown_count_;
      return true;
    }
    drop_earlier_refits();
    record_repeats(iteration);
    if (is_result(result->iteration.result.status)) ++replay_.result_lines;
    if (!result->iteration.values.empty()) replay_.values.emplace(iteration, std::move(result->iteration.values));
    replay_.iterations.append(result->iteration, result->predictions, file_);
    return true;
  }

  // A result of the search may lead to another refit than those that earlier attempts have chosen.
  void drop_earlier_refits() {
    auto& refits = replay_.refits;
    refits.erase(std::remove_if(refits.begin(), refits.end(),
                                [this](const ReplayedRefit& refit) { return refit.attempt != attempt_; }),
                 refits.end());
  }

  // A journal has no results of other stages after those of a refit.
  bool take_refit_result(const JournalLine& line) {
    ReplayedRefit& refit = replay_.refits[*refit_];
    if (!refit.recorded.iterations().has(line.iteration.result.iteration) || line.predictions.bytes != 0) return false;
    count_line(line);
    if (is_result(line.iteration.result.status)) ++refit.result_lines;
    refit.results.append(line.iteration, line.predictions, file_);
    return true;
  }

  void count_line(const JournalLine& line) {
    ++replay_.iteration_lines;
    const IterationResult& result = line.iteration.result;
    replay_.line_seconds += result.end_seconds() - result.start_seconds;
  }

  // Opens the file of predictions when a line needs it, since most journals have none.
  bool has_predictions(const PredictionsLocation& location) {
    if (!predictions_) predictions_.emplace(predictions_path(replay_.files.back()), std::ios::binary);
    return try_read_predictions(*predictions_, location).has_value();
  }

  bool is_of_known_stage(std::int64_t iteration) const {
    return std::any_of(known_.rbegin(), known_.rend(), [iteration](const IndexRange& known) {
      return iteration >= known.begin && iteration < known.end;
    });
  }

  bool take_end(const std::string& line) {
    const auto recorded = read_end_line(line, seed_);
    if (recorded) replay_.end = recorded;
    return recorded.has_value();
  }

  bool take_time(const std::string& line) {
    const auto recorded = read_time_line(line, seed_);
    if (recorded) replay_.jobs[attempt_].time = recorded;
    return recorded.has_value();
  }

  bool take_stage(const std::string& line) {
    auto recorded = read_stage_line(line, seed_);
    if (!recorded) return false;
    if (recorded->stage.is_refit()) {
      begin_refit(*recorded);
      return true;
    }
    known_.push_back(recorded->iterations());
    if (recorded->stage.adds_repeats())
      repeats_.push_back(std::move(*recorded));
    else
      record(*recorded);
    return true;
  }

  void record(const RecordedStage& stage) {
    auto& stages = replay_.stages;
    if (std::find(stages.begin(), stages.end(), stage) == stages.end()) stages.push_back(stage);
  }

  // The run may get another number of repeats as long as those that it adds have no line.
  void record_repeats(std::int64_t iteration) {
    for (const RecordedStage& stage : repeats_)
      if (stage.iterations().has(iteration)) record(stage);
  }

  void begin_refit(const RecordedStage& recorded) {
    auto& refits = replay_.refits;
    const auto found = std::find_if(refits.begin(), refits.end(),
                                    [&](const ReplayedRefit& refit) { return refit.recorded == recorded; });
    refit_ = static_cast<std::size_t>(found - refits.begin());
    if (found == refits.end()) refits.emplace_back().recorded = recorded;
    refits[*refit_].attempt = attempt_;
    seed_ = seed_after(recorded, seed_);
  }

  Replay& replay_;
  const JournalHeader& header_;
  const IterationLimits limits_;
  const bool forced_;
  bool has_warned_ = false;
  std::size_t file_ = 0;
  std::uint32_t seed_ = 0;
  std::string attempt_;
  std::optional<std::size_t> refit_;          // whose line was the last one of a stage
  std::vector<IndexRange> known_;             // iterations of the stages that the journal records, and of the first one
  std::vector<RecordedStage> repeats_;        // stages of the journal that add repeats
  std::int64_t unknown_count_ = 0;            // results of other stages
  std::optional<std::ifstream> predictions_;  // of the journal
};

}  // namespace

Replay replay_journals(const std::string& run_directory, const JournalHeader& header, IterationLimits limits,
                       bool forced) {
  Replay replay;
  JournalReader reader(replay, header, limits, forced);
  for (const auto& path : list_journals(run_directory)) reader.read(path);
  replay.iterations.settle();
  for (ReplayedRefit& refit : replay.refits) refit.results.settle();
  return replay;
}

void add_refit_results(Replay& replay, const ReplayedRefit& refit) {
  for (std::size_t position = 0; position < refit.results.size(); ++position)
    replay.iterations.append(refit.results.packed(position));
  replay.iterations.settle();
  replay.result_lines += refit.result_lines;
}

std::vector<IndexRange> iterations_left(const ResultStore& known, IndexRange iterations, const ArraySlice& slice) {
  std::vector<IndexRange> left;
  const IndexRange indices = slice.indices(iterations);
  std::int64_t next = indices.begin;
  const auto leave = [&](std::int64_t end) {
    if (end > next) left.push_back({next, end});
    next = end + 1;
  };
  const IndexRange positions = known.positions_of(iterations);
  for (std::int64_t position = positions.begin; position < positions.end; ++position) {
    const PackedResult result = known.packed(static_cast<std::size_t>(position));
    if (slice.has(result.iteration()) && result.has_result()) leave(slice.index(result.iteration()));
  }
  leave(indices.end);
  return left;
}

double trained_seconds(const Replay& journals) {
  std::map<std::string, double> ends;  // by attempt
  for (const auto& [attempt, job] : journals.jobs)
    if (job.time) ends[attempt] = job.time->seconds;
  for (const JournaledIteration iteration : journals.iterations) {
    double& end = ends[attempt_of(journals.files[iteration.file])];
    end = std::max(end, iteration.trained.result.end_seconds());
  }
  double seconds = 0;
  for (const auto& [attempt, end] : ends) seconds += end;
  return seconds;
}

std::vector<float> read_predictions(const std::vector<std::string>& files, const JournaledIteration& iteration) {
  if (iteration.predictions.bytes == 0) return {};
  const std::string path = predictions_path(files[iteration.file]);
  std::ifstream file(path, std::ios::binary);
  auto values = try_read_predictions(file, iteration.predictions);
  require(values.has_value(), [&] {
    return fmt::format(
        "the predictions of iteration {} in '{}' are damaged. Train the iteration again with sheaf resume.",
        iteration.trained.result.iteration, path);
  });
  return std::move(*values);
}

}  // namespace sheaf

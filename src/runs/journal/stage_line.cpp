// SPDX-License-Identifier: MIT
#include "runs/journal/stage_line.hpp"

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "files/checksum.hpp"
#include "runs/journal/line_json.hpp"
#include "study/study.hpp"
#include "study/value_types.hpp"

namespace sheaf {
namespace {

constexpr std::string_view stage_line_beginning = "{\"stage\":";
constexpr std::string_view end_line_beginning = "{\"search_time\":";
constexpr std::string_view time_line_beginning = "{\"trained_seconds\":";

void read_refits(const Json& list, std::vector<Refit>& refits) {
  for (const Json& object : list) {
    Refit& refit = refits.emplace_back();
    refit.trial = integer_of<std::int64_t>(object.at("trial"));
    refit.epochs = integer_of<std::int64_t>(object.at("epochs"));
    refit.epoch_steps = integer_of<std::int64_t>(object.at("epoch_steps"));
    read_integers(object.at("reductions"), refit.reductions);
  }
}

// Whether a stage of refits has one for each of its trials, in their order, with possible numbers.
bool has_possible_refits(const Stage& stage) {
  std::int64_t after = 0;
  for (const Refit& refit : stage.refits) {
    if (refit.trial < after || !stage.has(refit.trial)) return false;
    if (refit.epochs < 1 || refit.epochs > max_epochs || refit.epoch_steps < 1 || refit.epoch_steps > max_rows)
      return false;
    std::int64_t epoch = 0;
    for (const std::int64_t reduction : refit.reductions) {
      if (reduction < epoch || reduction >= max_epochs) return false;
      epoch = reduction + 1;
    }
    after = refit.trial + 1;
  }
  return stage.refits.empty() || static_cast<std::int64_t>(stage.refits.size()) == stage.trial_count();
}

// Whether the ranges of trials ascend, and the stage has epochs and iterations, all of them with valid numbers.
bool is_possible(const RecordedStage& recorded) {
  const Stage& stage = recorded.stage;
  if (stage.number < 0 || recorded.first_iteration < 0) return false;
  if (stage.from_epoch < 0 || stage.to_epoch.value_or(max_epochs) <= stage.from_epoch) return false;
  std::int64_t trials = 0;
  for (const IndexRange& range : stage.trials) {
    if (range.begin < trials || range.empty() || range.end > max_iterations) return false;
    trials = range.end;
  }
  if (stage.folds.begin < 0 || stage.folds.begin > max_iterations) return false;
  if (!has_possible_refits(stage)) return false;
  std::int64_t room = max_iterations - recorded.first_iteration;
  for (const std::int64_t factor : {stage.trial_count(), stage.repeats, stage.folds.count(), stage.members}) {
    if (factor < 1 || factor > room) return false;
    room /= factor;
  }
  return !stage.first_new_trial || (stage.from_epoch > 0 && stage.has(*stage.first_new_trial));
}

}  // namespace

std::string stage_line(const RecordedStage& recorded, std::uint32_t seed) {
  const Stage& stage = recorded.stage;
  std::string text =
      fmt::format(R"({{"stage":{},"first_iteration":{},"repeats":{},"folds":{},"members":{})", stage.number,
                  recorded.first_iteration, stage.repeats, stage.folds.count(), stage.members);
  if (stage.folds.begin != 0) text += fmt::format(R"(,"first_fold":{})", stage.folds.begin);
  if (stage.from_epoch != 0) text += fmt::format(R"(,"from_epoch":{})", stage.from_epoch);
  if (stage.to_epoch) text += fmt::format(R"(,"to_epoch":{})", *stage.to_epoch);
  if (stage.first_new_trial) text += fmt::format(R"(,"first_new_trial":{})", *stage.first_new_trial);
  text += R"(,"trials":[)";
  for (const IndexRange& range : stage.trials)
    text += fmt::format("{}[{},{}]", text.back() == '[' ? "" : ",", range.begin, range.end);
  text += ']';
  if (stage.is_refit()) text += R"(,"refits":[)";
  for (const Refit& refit : stage.refits) {
    text += fmt::format(R"({}{{"trial":{},"epochs":{},"epoch_steps":{},"reductions":[)", text.back() == '[' ? "" : ",",
                        refit.trial, refit.epochs, refit.epoch_steps);
    append_integers(text, refit.reductions);
    text += '}';
  }
  if (stage.is_refit()) text += ']';
  return closed_line(text + "}", seed);
}

std::uint32_t seed_after(const RecordedStage& recorded, std::uint32_t seed) {
  if (!recorded.stage.is_refit()) return seed;
  const std::string line = stage_line(recorded, seed);
  return checksum(line.data(), line.size(), seed);
}

std::string end_line(const RecordedEnd& recorded, std::uint32_t seed) {
  return closed_line(fmt::format(R"({{"search_time":{},"trials":{}}})", recorded.time, recorded.trials), seed);
}

std::string time_line(const RecordedTime& recorded, std::uint32_t seed) {
  return closed_line(
      fmt::format("{}{}{}}}", time_line_beginning, recorded.seconds, recorded.is_over ? "" : R"(,"is_over":false)"),
      seed);
}

std::optional<RecordedStage> read_stage_line(const std::string& line, std::uint32_t seed) {
  if (line.compare(0, stage_line_beginning.size(), stage_line_beginning) != 0) return std::nullopt;
  return read_object(line, seed, [](const Json& object) {
    RecordedStage recorded;
    Stage& stage = recorded.stage;
    stage.number = integer_of<std::int64_t>(object.at("stage"));
    recorded.first_iteration = integer_of<std::int64_t>(object.at("first_iteration"));
    stage.repeats = integer_of<std::int64_t>(object.at("repeats"));
    if (object.contains("first_fold")) stage.folds.begin = integer_of<std::int64_t>(object.at("first_fold"));
    stage.folds.end = stage.folds.begin + integer_of<std::int64_t>(object.at("folds"));
    stage.members = integer_of<std::int64_t>(object.at("members"));
    if (object.contains("from_epoch")) stage.from_epoch = integer_of<std::int64_t>(object.at("from_epoch"));
    if (object.contains("to_epoch")) stage.to_epoch = integer_of<std::int64_t>(object.at("to_epoch"));
    if (object.contains("first_new_trial"))
      stage.first_new_trial = integer_of<std::int64_t>(object.at("first_new_trial"));
    for (const auto& range : object.at("trials"))
      stage.trials.push_back({integer_of<std::int64_t>(range.at(0)), integer_of<std::int64_t>(range.at(1))});
    if (object.contains("refits")) read_refits(object.at("refits"), stage.refits);
    return is_possible(recorded) ? std::optional(recorded) : std::nullopt;
  });
}

std::optional<RecordedEnd> read_end_line(const std::string& line, std::uint32_t seed) {
  if (line.compare(0, end_line_beginning.size(), end_line_beginning) != 0) return std::nullopt;
  return read_object(line, seed, [](const Json& object) {
    const RecordedEnd recorded{integer_of<std::int64_t>(object.at("search_time")),
                               integer_of<std::int64_t>(object.at("trials"))};
    const bool is_possible = recorded.time > 0 && recorded.trials > 0 && recorded.trials <= max_iterations;
    return is_possible ? std::optional(recorded) : std::nullopt;
  });
}

std::optional<RecordedTime> read_time_line(const std::string& line, std::uint32_t seed) {
  if (line.compare(0, time_line_beginning.size(), time_line_beginning) != 0) return std::nullopt;
  return read_object(line, seed, [](const Json& object) {
    const RecordedTime recorded{object.at("trained_seconds").get<double>(), object.value("is_over", true)};
    return recorded.seconds >= 0 ? std::optional(recorded) : std::nullopt;
  });
}

}  // namespace sheaf

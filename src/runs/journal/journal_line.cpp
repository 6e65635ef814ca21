// SPDX-License-Identifier: MIT
#include "runs/journal/journal_line.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <new>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>

#include "files/checksum.hpp"
#include "study/study.hpp"

namespace sheaf {
namespace {

using Json = nlohmann::json;

constexpr std::string_view stage_line_beginning = "{\"stage\":";
constexpr std::size_t ending_size = sizeof(R"(,"crc32":"01234567"})") - 1;

std::string ending(std::uint32_t sum) {
  return fmt::format(R"(,"crc32":"{:08x}"}})", sum);
}

// Converts the text of an object to a line: replaces the closing brace by the checksum.
std::string closed_line(std::string text, std::uint32_t seed) {
  text.pop_back();
  text += ending(checksum(text.data(), text.size(), seed));
  text += '\n';
  return text;
}

std::string quoted_text(const std::string& text) {
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

// The text of a line before its checksum; nothing if the checksum is wrong.
std::optional<std::string_view> verified_text(const std::string& line, std::uint32_t seed) {
  if (line.size() <= ending_size) return std::nullopt;
  const std::size_t size = line.size() - ending_size;
  if (line.compare(size, ending_size, ending(checksum(line.data(), size, seed))) != 0) return std::nullopt;
  return std::string_view(line).substr(0, size);
}

// The JSON object of a line; nothing if the checksum is wrong.
std::optional<Json> open_line(const std::string& line, std::uint32_t seed) {
  if (!verified_text(line, seed)) return std::nullopt;
  return Json::parse(line);
}

std::string number(double value) {
  if (value == 0 && std::signbit(value)) return "-0.0";  // "-0" would be read as an integer
  if (std::isfinite(value)) return fmt::format("{}", value);
  if (std::isnan(value)) return R"("nan")";
  return value > 0 ? R"("inf")" : R"("-inf")";
}

double number(const Json& value) {
  if (!value.is_string()) return value.get<double>();
  const auto& text = value.get_ref<const std::string&>();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (text == "inf") return infinity;
  if (text == "-inf") return -infinity;
  throw std::invalid_argument("no number");
}

template <class Integer>
Integer integer(const Json& value) {
  const bool fits =
      value.is_number_unsigned()
          ? value.get<std::uint64_t>() <= static_cast<std::uint64_t>(std::numeric_limits<Integer>::max())
          : value.is_number_integer() && value.get<std::int64_t>() >= std::int64_t{std::numeric_limits<Integer>::min()};
  if (!fits) throw std::invalid_argument("no such integer");
  return value.get<Integer>();
}

template <class Value, class Name>
Value value_named(const Json& text, const std::initializer_list<Value>& values, Name name) {
  for (const Value value : values)
    if (text == name(value)) return value;
  throw std::invalid_argument("no such name");
}

std::string epochs_text(const std::vector<EpochResult>& epochs) {
  std::string rows;
  for (const auto& epoch : epochs)
    rows += fmt::format("{}[{},{},{},{}]", rows.empty() ? "" : ",", epoch.epoch, number(epoch.training_loss),
                        number(epoch.validation_loss), number(epoch.validation_score));
  return rows;
}

std::vector<EpochResult> read_epochs(const Json& rows, std::int64_t iteration) {
  std::vector<EpochResult> epochs;
  for (const auto& row : rows)
    epochs.push_back(
        {iteration, integer<std::int64_t>(row.at(0)), number(row.at(1)), number(row.at(2)), number(row.at(3))});
  return epochs;
}

// Whether the ranges of trials ascend, and the stage has iterations, all of them with valid numbers.
bool is_possible(const RecordedStage& recorded) {
  const Stage& stage = recorded.stage;
  if (stage.number < 0 || recorded.first_iteration < 0) return false;
  std::int64_t trials = 0;
  for (const IndexRange& range : stage.trials) {
    if (range.begin < trials || range.empty() || range.end > max_iterations) return false;
    trials = range.end;
  }
  std::int64_t room = max_iterations - recorded.first_iteration;
  for (const std::int64_t factor : {stage.trial_count(), stage.repeats, stage.folds, stage.members}) {
    if (factor < 1 || factor > room) return false;
    room /= factor;
  }
  return true;
}

JournalLine parse_result(const Json& object) {
  JournalLine line;
  IterationResult& result = line.iteration.result;
  result.iteration = integer<decltype(result.iteration)>(object.at("iteration"));
  result.status =
      value_named(object.at("status"), {IterationStatus::finished, IterationStatus::diverged, IterationStatus::failed},
                  status_name);
  result.rank = integer<decltype(result.rank)>(object.at("rank"));
  result.lane = integer<decltype(result.lane)>(object.at("lane"));
  result.gpu = integer<decltype(result.gpu)>(object.at("gpu"));
  result.engine = EngineName(object.at("engine").get<std::string>());
  result.final_loss = number(object.at("final_loss"));
  result.validation_loss = number(object.at("validation_loss"));
  result.validation_score = number(object.at("validation_score"));
  result.epochs = integer<decltype(result.epochs)>(object.at("epochs"));
  result.steps = integer<decltype(result.steps)>(object.at("steps"));
  result.seconds = number(object.at("seconds"));
  result.start_seconds = number(object.at("start_seconds"));
  result.wait_seconds = number(object.at("wait_seconds"));
  if (object.contains("message")) object.at("message").get_to(line.iteration.message);
  if (object.contains("curve")) line.iteration.epochs = read_epochs(object.at("curve"), result.iteration);
  if (object.contains("predictions")) {
    const Json& location = object.at("predictions");
    line.predictions = {integer<std::int64_t>(location.at(0)), integer<std::int64_t>(location.at(1)),
                        integer<std::uint32_t>(location.at(2))};
  }
  return line;
}

}  // namespace

std::uint32_t JournalHeader::seed() const {
  std::string text = study + "\n" + data;
  for (const auto& [file, fingerprint] : models) text += "\n" + file + " " + fingerprint;
  return checksum(text.data(), text.size());
}

std::string header_line(const JournalHeader& header) {
  std::string models;
  for (const auto& [file, fingerprint] : header.models)
    models += fmt::format("{}{}:{}", models.empty() ? "" : ",", quoted_text(file), quoted_text(fingerprint));
  return closed_line(
      fmt::format(R"({{"sheaf_journal":{},"program":{},"study":{},"data":{},"models":{{{}}}}})", header.format,
                  quoted_text(header.program), quoted_text(header.study), quoted_text(header.data), models),
      0);
}

std::string stage_line(const RecordedStage& recorded, std::uint32_t seed) {
  const Stage& stage = recorded.stage;
  std::string text = fmt::format(R"({{"stage":{},"first_iteration":{},"repeats":{},"folds":{},"members":{})",
                                 stage.number, recorded.first_iteration, stage.repeats, stage.folds, stage.members);
  if (stage.epochs) text += fmt::format(R"(,"epochs":{})", *stage.epochs);
  text += R"(,"trials":[)";
  for (const IndexRange& range : stage.trials)
    text += fmt::format("{}[{},{}]", text.back() == '[' ? "" : ",", range.begin, range.end);
  return closed_line(text + "]}", seed);
}

std::string journal_line(const TrainedIteration& iteration, const PredictionsLocation& predictions,
                         std::uint32_t seed) {
  const IterationResult& result = iteration.result;
  // Without a JSON library, which takes several times as long and would slow down short iterations.
  std::string text = fmt::format(
      R"({{"iteration":{},"status":"{}","rank":{},"lane":{},"gpu":{},"engine":"{}","final_loss":{},)"
      R"("validation_loss":{},"validation_score":{},"epochs":{},"steps":{},"seconds":{},"start_seconds":{},)"
      R"("wait_seconds":{})",
      result.iteration, status_name(result.status), result.rank, result.lane, result.gpu, result.engine.view(),
      number(result.final_loss), number(result.validation_loss), number(result.validation_score), result.epochs,
      result.steps, number(result.seconds), number(result.start_seconds), number(result.wait_seconds));
  if (!iteration.message.empty()) text += fmt::format(R"(,"message":{})", quoted_text(iteration.message));
  if (!iteration.epochs.empty()) text += fmt::format(R"(,"curve":[{}])", epochs_text(iteration.epochs));
  if (predictions.bytes > 0)
    text += fmt::format(R"(,"predictions":[{},{},{}])", predictions.offset, predictions.bytes, predictions.checksum);
  return closed_line(text + "}", seed);
}

std::optional<JournalHeader> read_header_line(const std::string& line) try {
  const auto object = open_line(line, 0);
  if (!object) return std::nullopt;
  JournalHeader header;
  header.format = integer<std::int64_t>(object->at("sheaf_journal"));
  header.program = object->at("program");
  if (header.format != journal_format) return header;
  header.study = object->at("study");
  header.data = object->at("data");
  header.models = object->at("models").get<ModelFingerprints>();
  return header;
} catch (const std::bad_alloc&) {
  throw;
} catch (const std::exception&) {  // JSON, but not a journal line
  return std::nullopt;
}

std::optional<RecordedStage> read_stage_line(const std::string& line, std::uint32_t seed) try {
  if (line.compare(0, stage_line_beginning.size(), stage_line_beginning) != 0) return std::nullopt;
  const auto object = open_line(line, seed);
  if (!object) return std::nullopt;
  RecordedStage recorded;
  Stage& stage = recorded.stage;
  stage.number = integer<std::int64_t>(object->at("stage"));
  recorded.first_iteration = integer<std::int64_t>(object->at("first_iteration"));
  stage.repeats = integer<std::int64_t>(object->at("repeats"));
  stage.folds = integer<std::int64_t>(object->at("folds"));
  stage.members = integer<std::int64_t>(object->at("members"));
  if (object->contains("epochs")) stage.epochs = integer<std::int64_t>(object->at("epochs"));
  for (const auto& range : object->at("trials"))
    stage.trials.push_back({integer<std::int64_t>(range.at(0)), integer<std::int64_t>(range.at(1))});
  return is_possible(recorded) ? std::optional(recorded) : std::nullopt;
} catch (const std::bad_alloc&) {
  throw;
} catch (const std::exception&) {
  return std::nullopt;
}

std::optional<JournalLine> read_journal_line(const std::string& line, std::uint32_t seed) {
  const auto text = verified_text(line, seed);
  if (!text) return std::nullopt;
  if (auto result = scan_journal_line(*text)) return result;
  return parse_journal_line(line, seed);
}

std::optional<JournalLine> parse_journal_line(const std::string& line, std::uint32_t seed) try {
  const auto object = open_line(line, seed);
  return object ? std::optional(parse_result(*object)) : std::nullopt;
} catch (const std::bad_alloc&) {
  throw;
} catch (const std::exception&) {
  return std::nullopt;
}

}  // namespace sheaf

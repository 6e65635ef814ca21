// SPDX-License-Identifier: MIT
#include "runs/journal/journal_line.hpp"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <limits>
#include <new>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>

#include "files/checksum.hpp"
#include "runs/journal/field_values.hpp"
#include "study/study.hpp"
#include "study/value_types.hpp"

namespace sheaf {
namespace {

using Json = nlohmann::json;

constexpr std::string_view stage_line_beginning = "{\"stage\":";
constexpr std::string_view end_line_beginning = "{\"search_time\":";
constexpr std::string_view time_line_beginning = "{\"trained_seconds\":";
constexpr std::size_t ending_size = sizeof(R"(,"crc32":"01234567"})") - 1;

std::string ending(std::uint32_t sum) {
  return fmt::format(R"(,"crc32":"{:08x}"}})", sum);
}

// Converts the text of an object, which begins at `begin`, to a line: replaces the closing brace by the checksum.
void close_line(std::string& text, std::size_t begin, std::uint32_t seed) {
  text.pop_back();
  text += ending(checksum(text.data() + begin, text.size() - begin, seed));
  text += '\n';
}

std::string closed_line(std::string text, std::uint32_t seed) {
  close_line(text, 0, seed);
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

void add(std::string& text, std::int64_t value) {
  const fmt::format_int digits(value);
  text.append(digits.data(), digits.size());
}

void add(std::string& text, double value) {
  if (value == 0 && std::signbit(value))
    text += "-0.0";  // "-0" would be read as an integer
  else if (value == 0)
    text += '0';
  else if (std::isfinite(value))
    fmt::format_to(std::back_inserter(text), FMT_COMPILE("{}"), value);
  else if (std::isnan(value))
    text += R"("nan")";
  else
    text += value > 0 ? R"("inf")" : R"("-inf")";
}

void add(std::string& text, std::int32_t value) {
  add(text, std::int64_t{value});
}

void add(std::string& text, IterationStatus value) {
  text += '"';
  text += status_name(value);
  text += '"';
}

void add(std::string& text, const EngineName& value) {
  text += '"';
  text += value.view();
  text += '"';
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

void read(const Json& value, std::int64_t& to) {
  to = integer<std::int64_t>(value);
}

void read(const Json& value, std::int32_t& to) {
  to = integer<std::int32_t>(value);
}

void read(const Json& value, double& to) {
  to = number(value);
}

void read(const Json& value, EngineName& to) {
  to = EngineName(value.get<std::string>());
}

void read(const Json& value, IterationStatus& to) {
  for (const IterationStatus status : known_statuses)
    if (value == status_name(status)) {
      to = status;
      return;
    }
  throw std::invalid_argument("no such status");
}

void add_metrics(std::string& text, const std::vector<double>& metrics) {
  text += metrics_key;
  for (const double value : metrics) {
    if (text.back() != '[') text += ',';
    add(text, value);
  }
  text += ']';
}

void add_numbers(std::string& text, const std::vector<std::int64_t>& numbers) {
  for (const std::int64_t number : numbers) {
    if (text.back() != '[') text += ',';
    add(text, number);
  }
  text += ']';
}

void read_numbers(const Json& list, std::vector<std::int64_t>& numbers) {
  for (const Json& value : list) numbers.push_back(integer<std::int64_t>(value));
}

void add_curve(std::string& text, const TrainedIteration& iteration) {
  text += curve_key;
  auto metric = iteration.epoch_metrics.begin();
  for (const EpochResult& epoch : iteration.epochs) {
    text += text.back() == '[' ? "[" : ",[";
    for_each_stored(epoch_fields, [&](const auto& field) {
      if (text.back() != '[') text += ',';
      add(text, field.of(epoch));
    });
    for (std::size_t number = 0; number < iteration.metrics.size(); ++number) {
      text += ',';
      add(text, *metric++);
    }
    text += ']';
  }
  text += ']';
}

void read_curve(const Json& rows, TrainedIteration& iteration) {
  for (const auto& row : rows) {
    EpochResult epoch;
    epoch.iteration = iteration.result.iteration;
    std::size_t column = 0;
    for_each_stored(epoch_fields, [&](const auto& field) { read(row.at(column++), field.in(epoch)); });
    iteration.epochs.push_back(epoch);
    for (std::size_t metric = 0; metric < iteration.metrics.size(); ++metric)
      iteration.epoch_metrics.push_back(number(row.at(column++)));
  }
}

void read_refits(const Json& list, std::vector<Refit>& refits) {
  for (const Json& object : list) {
    Refit& refit = refits.emplace_back();
    refit.trial = integer<std::int64_t>(object.at("trial"));
    refit.epochs = integer<std::int64_t>(object.at("epochs"));
    refit.epoch_steps = integer<std::int64_t>(object.at("epoch_steps"));
    read_numbers(object.at("reductions"), refit.reductions);
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

JournalLine parse_result(const Json& object) {
  JournalLine line;
  TrainedIteration& iteration = line.iteration;
  read(object.at("iteration"), iteration.result.iteration);
  for_each_stored(result_fields, [&](const auto& field) {
    const auto found = object.find(std::string(field.name()));
    if (found != object.end()) read(*found, field.in(iteration.result));
  });
  if (iteration.result.status == IterationStatus::missing) throw std::invalid_argument("no status");
  if (object.contains("metrics"))
    for (const Json& value : object.at("metrics")) iteration.metrics.push_back(number(value));
  if (object.contains("rate_reductions")) read_numbers(object.at("rate_reductions"), iteration.rate_reductions);
  if (object.contains("values")) object.at("values").get_to(iteration.values);
  if (object.contains("message")) object.at("message").get_to(iteration.message);
  if (object.contains("curve")) read_curve(object.at("curve"), iteration);
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
      fmt::format(R"({{"sheaf_journal":{},"program":{},"study":{},"data":{},"files":{},"models":{{{}}}}})",
                  header.format, quoted_text(header.program), quoted_text(header.study), quoted_text(header.data),
                  quoted_text(header.files), models),
      0);
}

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
    add_numbers(text, refit.reductions);
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

std::string time_line(double seconds, std::uint32_t seed) {
  return closed_line(fmt::format("{}{}}}", time_line_beginning, seconds), seed);
}

// Without a JSON library and temporary strings, since this is most of the cost of a very short iteration.
void append_journal_line(std::string& text, const TrainedIteration& iteration, const PredictionsLocation& predictions,
                         std::uint32_t seed) {
  const IterationResult& result = iteration.result;
  const std::size_t begin = text.size();
  text += journal_line_beginning;
  add(text, result.iteration);
  for_each_stored(result_fields, [&](const auto& field) {
    if (is_default(result, field)) return;
    text += field.key();
    add(text, field.of(result));
  });
  if (!iteration.metrics.empty()) add_metrics(text, iteration.metrics);
  if (!iteration.rate_reductions.empty()) {
    text += reductions_key;
    add_numbers(text, iteration.rate_reductions);
  }
  if (!iteration.values.empty()) text += R"(,"values":)" + Json(iteration.values).dump();
  if (!iteration.message.empty()) text += R"(,"message":)" + quoted_text(iteration.message);
  if (!iteration.epochs.empty()) add_curve(text, iteration);
  if (predictions.bytes > 0) {
    text += predictions_key;
    add(text, predictions.offset);
    text += ',';
    add(text, predictions.bytes);
    text += ',';
    add(text, std::int64_t{predictions.checksum});
    text += ']';
  }
  text += '}';
  close_line(text, begin, seed);
}

std::string journal_line(const TrainedIteration& iteration, const PredictionsLocation& predictions,
                         std::uint32_t seed) {
  std::string text;
  append_journal_line(text, iteration, predictions, seed);
  return text;
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
  header.files = object->at("files");
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
  if (object->contains("first_fold")) stage.folds.begin = integer<std::int64_t>(object->at("first_fold"));
  stage.folds.end = stage.folds.begin + integer<std::int64_t>(object->at("folds"));
  stage.members = integer<std::int64_t>(object->at("members"));
  if (object->contains("from_epoch")) stage.from_epoch = integer<std::int64_t>(object->at("from_epoch"));
  if (object->contains("to_epoch")) stage.to_epoch = integer<std::int64_t>(object->at("to_epoch"));
  if (object->contains("first_new_trial")) stage.first_new_trial = integer<std::int64_t>(object->at("first_new_trial"));
  for (const auto& range : object->at("trials"))
    stage.trials.push_back({integer<std::int64_t>(range.at(0)), integer<std::int64_t>(range.at(1))});
  if (object->contains("refits")) read_refits(object->at("refits"), stage.refits);
  return is_possible(recorded) ? std::optional(recorded) : std::nullopt;
} catch (const std::bad_alloc&) {
  throw;
} catch (const std::exception&) {
  return std::nullopt;
}

std::optional<RecordedEnd> read_end_line(const std::string& line, std::uint32_t seed) try {
  if (line.compare(0, end_line_beginning.size(), end_line_beginning) != 0) return std::nullopt;
  const auto object = open_line(line, seed);
  if (!object) return std::nullopt;
  const RecordedEnd recorded{integer<std::int64_t>(object->at("search_time")),
                             integer<std::int64_t>(object->at("trials"))};
  const bool is_possible = recorded.time > 0 && recorded.trials > 0 && recorded.trials <= max_iterations;
  return is_possible ? std::optional(recorded) : std::nullopt;
} catch (const std::bad_alloc&) {
  throw;
} catch (const std::exception&) {
  return std::nullopt;
}

std::optional<double> read_time_line(const std::string& line, std::uint32_t seed) try {
  if (line.compare(0, time_line_beginning.size(), time_line_beginning) != 0) return std::nullopt;
  const auto object = open_line(line, seed);
  if (!object) return std::nullopt;
  const double seconds = object->at("trained_seconds").get<double>();
  return seconds >= 0 ? std::optional(seconds) : std::nullopt;
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

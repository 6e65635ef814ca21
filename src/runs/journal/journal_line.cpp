// SPDX-License-Identifier: MIT
#include "runs/journal/journal_line.hpp"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <limits>
#include <stdexcept>

#include "files/checksum.hpp"
#include "runs/journal/field_values.hpp"
#include "runs/journal/line_json.hpp"

namespace sheaf {
namespace {

constexpr std::int64_t max_lanes = std::int64_t{1} << 20;  // of a rank

void add(std::string& text, std::int64_t value) {
  append_integer(text, value);
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

void read(const Json& value, std::int64_t& to) {
  to = integer_of<std::int64_t>(value);
}

void read(const Json& value, std::int32_t& to) {
  to = integer_of<std::int32_t>(value);
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

Json json_of(const Platform& platform) {
  Json json = {{"build", platform.build}, {"threads", platform.threads}};
  for (const auto& [key, text] : platform.engines) json[key] = text;
  if (platform.gpu) json["gpu"] = *platform.gpu;
  return json;
}

Platform platform_of(const Json& json) {
  Platform platform{json.at("build"), {}, integer_of<std::int64_t>(json.at("threads"))};
  for (const auto& [key, value] : json.items())
    if (key == "gpu")
      platform.gpu = value.get<std::string>();
    else if (key != "build" && key != "threads")
      platform.engines.emplace(key, value.get<std::string>());
  return platform;
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
  if (object.contains("rate_reductions")) read_integers(object.at("rate_reductions"), iteration.rate_reductions);
  if (object.contains("values")) object.at("values").get_to(iteration.values);
  if (object.contains("message")) object.at("message").get_to(iteration.message);
  if (object.contains("curve")) read_curve(object.at("curve"), iteration);
  if (object.contains("predictions")) {
    const Json& location = object.at("predictions");
    line.predictions = {integer_of<std::int64_t>(location.at(0)), integer_of<std::int64_t>(location.at(1)),
                        integer_of<std::uint32_t>(location.at(2))};
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
  std::string text = fmt::format(R"({{"sheaf_journal":{},"program":{},"study":{},"data":{},"files":{},"models":{{{}}})",
                                 header.format, quoted_text(header.program), quoted_text(header.study),
                                 quoted_text(header.data), quoted_text(header.files), models);
  if (header.lanes > 0) text += fmt::format(R"(,"lanes":{})", header.lanes);
  if (header.expected_seconds) text += fmt::format(R"(,"expected_seconds":{})", *header.expected_seconds);
  if (header.platform) text += R"(,"platform":)" + json_of(*header.platform).dump();
  return closed_line(text + "}", 0);
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
    append_integers(text, iteration.rate_reductions);
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

std::optional<JournalHeader> read_header_line(const std::string& line) {
  return read_object(line, 0, [](const Json& object) -> std::optional<JournalHeader> {
    JournalHeader header;
    header.format = integer_of<std::int64_t>(object.at("sheaf_journal"));
    header.program = object.at("program");
    if (header.format != journal_format) return header;
    header.study = object.at("study");
    header.data = object.at("data");
    header.files = object.at("files");
    header.models = object.at("models").get<ModelFingerprints>();
    if (object.contains("lanes")) header.lanes = integer_of<std::int64_t>(object.at("lanes"));
    if (object.contains("expected_seconds")) header.expected_seconds = object.at("expected_seconds").get<double>();
    if (object.contains("platform")) header.platform = platform_of(object.at("platform"));
    const bool is_possible = header.lanes >= 0 && header.lanes <= max_lanes && header.expected_seconds.value_or(1) > 0;
    return is_possible ? std::optional(header) : std::nullopt;
  });
}

std::optional<JournalLine> read_journal_line(const std::string& line, std::uint32_t seed) {
  const auto text = verified_text(line, seed);
  if (!text) return std::nullopt;
  if (auto result = scan_journal_line(*text)) return result;
  return parse_journal_line(line, seed);
}

std::optional<JournalLine> parse_journal_line(const std::string& line, std::uint32_t seed) {
  return read_object(line, seed, [](const Json& object) { return std::optional(parse_result(object)); });
}

}  // namespace sheaf

// SPDX-License-Identifier: MIT
#include "commands/evaluate/evaluation_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <string_view>

#include "core/text.hpp"
#include "study/losses.hpp"
#include "study/metrics.hpp"

namespace sheaf {
namespace {

using Json = nlohmann::ordered_json;  // keeps the order of the members

constexpr std::int64_t max_shown_classes = 20;

std::int64_t cell(const EvaluationReport& report, std::int64_t label, std::int64_t predicted) {
  return report.fit->confusion[static_cast<std::size_t>(label * report.outputs + predicted)];
}

// Scores of one class; NaN if no row was predicted as the class, or none has its label.
struct ClassScore {
  double precision = 0, recall = 0;
};

ClassScore class_score(const EvaluationReport& report, std::int64_t label) {
  std::int64_t predicted = 0, labeled = 0;
  for (std::int64_t other = 0; other < report.outputs; ++other) {
    predicted += cell(report, other, label);
    labeled += cell(report, label, other);
  }
  const auto right = static_cast<double>(cell(report, label, label));
  return {right / static_cast<double>(predicted), right / static_cast<double>(labeled)};
}

std::string score_text(double score) {
  return std::isnan(score) ? "-" : fmt::format("{:.4f}", score);
}

// The name of a class, shortened to fit into a table.
std::string shown_class(const EvaluationReport& report, std::int64_t label) {
  if (report.class_names.empty()) return std::to_string(label);
  constexpr std::size_t longest = 16;
  const std::string name = printable(report.class_names[static_cast<std::size_t>(label)]);
  return name.size() <= longest ? name : printable(name.substr(0, longest - 3)) + "...";
}

std::string confusion_text(const EvaluationReport& report) {
  std::vector<std::vector<std::string>> rows(1, {"label"});
  for (std::int64_t label = 0; label < report.outputs; ++label) rows[0].push_back("as " + shown_class(report, label));
  rows[0].insert(rows[0].end(), {"precision", "recall"});
  for (std::int64_t label = 0; label < report.outputs; ++label) {
    rows.push_back({shown_class(report, label)});
    for (std::int64_t other = 0; other < report.outputs; ++other)
      rows.back().push_back(fmt::format("{}", cell(report, label, other)));
    const ClassScore score = class_score(report, label);
    rows.back().insert(rows.back().end(), {score_text(score.precision), score_text(score.recall)});
  }
  return "\n" + format_table(rows);
}

// [classes, classes]
Json json_confusion(const EvaluationReport& report) {
  Json rows = Json::array();
  for (std::int64_t label = 0; label < report.outputs; ++label) {
    const auto begin = report.fit->confusion.begin() + label * report.outputs;
    rows.push_back(std::vector<std::int64_t>(begin, begin + report.outputs));
  }
  return rows;
}

// The reason why the text report has no confusion matrix; empty if it has one, or the model is not a classifier.
std::string confusion_note(const EvaluationReport& report) {
  if (!report.is_classification || report.outputs <= max_shown_classes) return "";
  return fmt::format("not shown for more than {} classes{}", max_shown_classes,
                     report.fit->confusion.empty() ? "" : "; --output=json includes the matrix");
}

}  // namespace

std::string evaluation_text(const EvaluationReport& report) {
  const std::string models = report.models.size() == 1
                                 ? fmt::format("'{}'", printable(report.models.front()))
                                 : fmt::format("ensemble of {}, '{}' to '{}'", report.models.size(),
                                               printable(report.models.front()), printable(report.models.back()));
  std::string text;
  std::size_t width = 18;
  if (report.fit)
    for (const MetricValue& metric : report.fit->metrics) width = std::max(width, metric.metric.label().size());
  const auto add = [&](std::string_view label, const std::string& value) {
    text += fmt::format("{:<{}} {}\n", label, width, value);
  };
  add("model", models);
  add("data", fmt::format("'{}', {}", printable(report.data), counted(report.rows, "row")));
  add("engine", report.engine);
  if (report.fit) {
    add("loss", fmt::format("{:.6g} ({})", report.fit->loss, loss_of(report.loss).name));
    for (const auto& [metric, value] : report.fit->metrics)
      add(printable(metric.label()), std::isnan(value) ? fmt::format("not defined for {}", metric.metric().undefined)
                                                       : fmt::format("{:.6f}", value));
    for (const MetricChoice& metric : report.fit->left_out)
      add(metric.label(), "left out: the outputs of all rows do not fit into data.memory");
    if (const std::string note = confusion_note(report); !note.empty()) add("confusion", note);
  }
  if (!report.predictions.empty()) add("predictions", fmt::format("'{}'", printable(report.predictions)));
  add("time", fmt::format("{}, {:.4g} rows/s, {:.3g} GB/s", human_seconds(report.seconds),
                          static_cast<double>(report.rows) / report.seconds, report.bytes / report.seconds / 1e9));
  if (report.fit && !report.fit->confusion.empty() && report.outputs <= max_shown_classes)
    text += confusion_text(report);
  return text;
}

std::string evaluation_json(const EvaluationReport& report) {
  Json json = {{"models", report.models},
               {"data", report.data},
               {"rows", report.rows},
               {"outputs", report.outputs},
               {"engine", report.engine}};
  if (!report.class_names.empty()) json["class_names"] = report.class_names;
  if (report.fit) {
    json["loss_kind"] = loss_of(report.loss).name;
    json["loss"] = report.fit->loss;
    for (const auto& [metric, value] : report.fit->metrics) json[metric.name()] = value;
    for (const MetricChoice& metric : report.fit->left_out) json["left_out"].push_back(metric.name());
    if (!report.fit->confusion.empty()) json["confusion"] = json_confusion(report);
  }
  if (!report.predictions.empty()) json["predictions"] = report.predictions;
  json["seconds"] = report.seconds;
  json["rows_per_second"] = static_cast<double>(report.rows) / report.seconds;
  json["bytes_per_second"] = report.bytes / report.seconds;
  constexpr int one_line = -1;
  return json.dump(one_line, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace sheaf

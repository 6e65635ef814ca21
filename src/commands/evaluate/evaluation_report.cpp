// SPDX-License-Identifier: MIT
#include "commands/evaluate/evaluation_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <string_view>

#include "core/quoted.hpp"
#include "core/text.hpp"
#include "runs/results/models_kind.hpp"
#include "study/losses.hpp"
#include "study/metrics.hpp"

namespace sheaf {
namespace {

using Json = nlohmann::ordered_json;  // keeps the order of the members

constexpr std::int64_t max_shown_classes = 20;

std::int64_t cell(const EvaluationReport& report, std::int64_t label, std::int64_t predicted) {
  return report.fit->confusion[static_cast<std::size_t>(label * report.outputs + predicted)];
}

// The name of a class, shortened to fit into a table.
std::string shown_class(const EvaluationReport& report, std::int64_t label) {
  if (report.class_names.empty()) return std::to_string(label);
  constexpr std::size_t longest = 16;
  const std::string name = printable(report.class_names[static_cast<std::size_t>(label)]);
  return name.size() <= longest ? name : printable(name.substr(0, longest - 3)) + "...";
}

// "class"; with several labels per row, "label".
std::string word_for_class(const EvaluationReport& report) {
  return report.task == Task::multilabel ? "label" : "class";
}

std::string classes_text(const EvaluationReport& report) {
  std::vector<std::vector<std::string>> rows = {
      {word_for_class(report), "precision", "recall", "F1", report.weights ? "weight" : "rows"}};
  for (std::int64_t label = 0; label < report.outputs; ++label) {
    const auto& [precision, recall, f1, count] = report.fit->classes[static_cast<std::size_t>(label)];
    rows.push_back({shown_class(report, label), fmt::format("{:.4f}", precision), fmt::format("{:.4f}", recall),
                    fmt::format("{:.4f}", f1), fmt::format(report.weights ? "{:.6g}" : "{:.0f}", count)});
  }
  return "\n" + format_table(rows);
}

std::string confusion_text(const EvaluationReport& report) {
  std::vector<std::vector<std::string>> rows(1, {"label"});
  for (std::int64_t label = 0; label < report.outputs; ++label) rows[0].push_back("as " + shown_class(report, label));
  for (std::int64_t label = 0; label < report.outputs; ++label) {
    rows.push_back({shown_class(report, label)});
    for (std::int64_t other = 0; other < report.outputs; ++other)
      rows.back().push_back(fmt::format("{}", cell(report, label, other)));
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

// The name of a class, or its number.
Json json_class(const EvaluationReport& report, std::int64_t label) {
  return report.class_names.empty() ? Json(label) : Json(report.class_names[static_cast<std::size_t>(label)]);
}

Json json_classes(const EvaluationReport& report) {
  Json classes = Json::array();
  for (std::int64_t label = 0; label < report.outputs; ++label) {
    const auto& [precision, recall, f1, count] = report.fit->classes[static_cast<std::size_t>(label)];
    Json of_class = {
        {word_for_class(report), json_class(report, label)}, {"precision", precision}, {"recall", recall}, {"f1", f1}};
    if (report.weights)
      of_class["weight"] = count;
    else
      of_class["rows"] = static_cast<std::int64_t>(count);
    classes.push_back(std::move(of_class));
  }
  return classes;
}

// The reason why the text report has no table of the classes or labels; empty if it has one, or for a regression.
std::string classes_note(const EvaluationReport& report) {
  if (report.task == Task::regression || report.outputs <= max_shown_classes) return "";
  return fmt::format("not shown for more than {}; --output=json includes their values{}", max_shown_classes,
                     report.fit->confusion.empty() ? "" : " and the confusion matrix");
}

}  // namespace

std::string evaluation_text(const EvaluationReport& report) {
  std::string text;
  std::size_t width = 18;
  if (report.fit)
    for (const MetricValue& metric : report.fit->metrics) width = std::max(width, metric.metric.label().size());
  const auto add = [&](std::string_view label, const std::string& value) {
    text += fmt::format("{:<{}} {}\n", label, width, value);
  };
  add("model", models_text(report.models, report.kind));
  add("data", fmt::format("'{}', {}", printable(report.data), counted(report.rows, "row")));
  add("engine", report.engine);
  if (report.positive)
    add("positive class", shown_class(report, *report.positive) +
                              (report.threshold ? fmt::format(", from a probability of {}", *report.threshold) : ""));
  else if (report.threshold)
    add("threshold", fmt::format("labels from a probability of {}", *report.threshold));
  if (report.weights)
    add("weights", quoted(*report.weights) +
                       (report.fit && !report.fit->confusion.empty() ? "; the confusion matrix counts rows" : ""));
  if (report.fit) {
    add("loss", fmt::format("{:.6g} ({})", report.fit->loss, loss_of(report.loss).name));
    for (const auto& [metric, value] : report.fit->metrics)
      add(printable(metric.label()), std::isnan(value) ? fmt::format("not defined for {}", metric.metric().undefined)
                                                       : fmt::format("{:.6f}", value));
    for (const MetricChoice& metric : report.fit->left_out)
      add(metric.label(), "left out: the outputs of all rows do not fit into data.memory");
    if (const std::string note = classes_note(report); !note.empty())
      add(report.task == Task::multilabel ? "labels" : "classes", note);
  }
  if (!report.predictions.empty()) add("predictions", fmt::format("'{}'", printable(report.predictions)));
  add("time", fmt::format("{}, {:.4g} rows/s, {:.3g} GB/s", human_seconds(report.seconds),
                          static_cast<double>(report.rows) / report.seconds, report.bytes / report.seconds / 1e9));
  if (report.fit && !report.fit->classes.empty() && report.outputs <= max_shown_classes)
    text += classes_text(report) + (report.fit->confusion.empty() ? "" : confusion_text(report));
  return text;
}

std::string evaluation_json(const EvaluationReport& report) {
  Json json = {{"models", report.models},
               {"data", report.data},
               {"rows", report.rows},
               {"outputs", report.outputs},
               {"engine", report.engine}};
  if (report.kind) json["models_kind"] = row_of(*report.kind).name;
  const bool has_labels = report.task == Task::multilabel;
  if (!report.class_names.empty()) json[has_labels ? "label_names" : "class_names"] = report.class_names;
  if (report.positive) json["positive"] = json_class(report, *report.positive);
  if (report.threshold) json["threshold"] = *report.threshold;
  if (report.weights) json["weights"] = *report.weights;
  if (report.fit) {
    json["loss_kind"] = loss_of(report.loss).name;
    json["loss"] = report.fit->loss;
    for (const auto& [metric, value] : report.fit->metrics) json[metric.name()] = value;
    for (const MetricChoice& metric : report.fit->left_out) json["left_out"].push_back(metric.name());
    if (!report.fit->classes.empty()) json[has_labels ? "labels" : "classes"] = json_classes(report);
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

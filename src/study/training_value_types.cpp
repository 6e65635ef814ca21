// SPDX-License-Identifier: MIT
#include "study/training_value_types.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <sstream>
#include <utility>

#include "core/quoted.hpp"
#include "study/named_class.hpp"
#include "study/quoted_value.hpp"
#include "study/search_spaces.hpp"
#include "study/searched_text.hpp"
#include "study/value_parsing.hpp"

namespace sheaf {
namespace {

// The metrics of a list. They are separated by commas or spaces, but the name of a class may have spaces.
std::vector<std::string> metrics_of_list(const std::string& text) {
  std::vector<std::string> metrics;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    const auto words = words_of_list(part);
    const bool are_metrics =
        std::all_of(words.begin(), words.end(), [](const std::string& word) { return read_metric(word).has_value(); });
    const bool has_class = part.find(':') != std::string::npos;
    if (are_metrics || !has_class)
      metrics.insert(metrics.end(), words.begin(), words.end());
    else
      metrics.push_back(fmt::format("{}", fmt::join(words, " ")));
  }
  return metrics;
}

std::optional<std::vector<MetricChoice>> read_metrics(const std::string& text) {
  std::vector<MetricChoice> metrics;
  if (is_keyword(text, "none")) return metrics;
  if (text.find_first_of("\t\n\v\f\r") != std::string::npos) return std::nullopt;
  for (const std::string& word : metrics_of_list(text)) {
    auto metric = read_metric(word);
    if (!metric || std::count(metrics.begin(), metrics.end(), *metric) > 0) return std::nullopt;
    metrics.push_back(*std::move(metric));
  }
  return metrics;
}

// For the first metric of a list that is refused.
std::string metrics_hint(const std::string& text) {
  std::vector<std::string> before;
  for (const std::string& word : metrics_of_list(text)) {
    if (const auto metric = read_metric(word); !metric) {
      const std::string hint = metric_hint(word);
      for (const auto& [other, name] : other_names_of_metrics())
        if (lower_case(word) == other && name != "loss") return fmt::format(" Use {} for {}.", name, quoted(word));
      return hint.empty() ? fmt::format(" {} is none of them.", quoted(word)) : hint;
    }
    if (std::count(before.begin(), before.end(), word) > 0) return fmt::format(" {} occurs twice.", quoted(word));
    before.push_back(word);
  }
  return "";
}

constexpr std::size_t max_quantiles = 32;

std::optional<std::vector<double>> read_quantiles(const std::string& text) {
  static const auto quantile = number("number > 0 and < 1", [](double value) { return value > 0 && value < 1; });
  if (text.find_first_of("\t\n\v\f\r") != std::string::npos) return std::nullopt;
  std::vector<double> quantiles;
  for (const std::string& word : words_of_list(text)) {
    const auto value = quantile.read(word);
    if (!value || (!quantiles.empty() && *value <= quantiles.back())) return std::nullopt;
    quantiles.push_back(*value);
  }
  if (quantiles.empty() || quantiles.size() > max_quantiles) return std::nullopt;
  return quantiles;
}

constexpr double largest_weight = 1e12;

// A weight follows the last colon: names may contain colons.
std::optional<ClassWeights> read_class_weights(const std::string& text) {
  if (is_keyword(text, "none")) return ClassWeights();
  if (is_keyword(text, "balanced")) return ClassWeights{true, {}};
  ClassWeights weights;
  std::istringstream entries(text + ',');
  for (std::string entry; std::getline(entries, entry, ',');) {
    const std::size_t colon = std::min(entry.rfind(':'), entry.size());
    const std::string name = trimmed(entry.substr(0, colon));
    const auto weight = whole_number<double>(trimmed(entry.substr(std::min(colon + 1, entry.size()))));
    const bool is_known = std::any_of(weights.of_classes.begin(), weights.of_classes.end(),
                                      [&](const ClassWeights::OfClass& known) { return known.name == name; });
    if (!is_class_text(name) || is_known || !weight || !(*weight >= 0 && *weight <= largest_weight))
      return std::nullopt;
    weights.of_classes.push_back({name, *weight});
  }
  return weights;
}

std::string class_weights_text(const ClassWeights& weights) {
  if (!weights.any()) return "none";
  if (weights.balanced) return "balanced";
  std::vector<std::string> entries;
  for (const auto& [name, weight] : weights.of_classes) entries.push_back(fmt::format("{}:{}", name, weight));
  return fmt::format("{}", fmt::join(entries, ", "));
}

}  // namespace

ValueType<std::vector<MetricChoice>> metric_list() {
  ValueType<std::vector<MetricChoice>> type;
  type.values = "names of metrics, or none";
  type.allowed =
      fmt::format("different names of {}, separated by commas or spaces, or none", fmt::join(metric_patterns(), ", "));
  type.advice = metrics_hint;
  type.read = read_metrics;
  type.write = [](const std::vector<MetricChoice>& metrics) -> std::string {
    std::vector<std::string> written;
    for (const MetricChoice& metric : metrics) written.push_back(metric.name());
    return written.empty() ? "none" : fmt::format("{}", fmt::join(written, ", "));
  };
  return type;
}

ValueType<ClassWeights> class_weights() {
  ValueType<ClassWeights> type;
  type.values = "none | balanced | weights such as cat:2, dog:0.5";
  type.allowed = type.values +
                 " (each class once, by its name, or by its number if the name has a comma, a quote or '#'; "
                 "weights from 0 to 1e12)";
  type.names = {"none", "balanced"};
  type.read = read_class_weights;
  type.write = class_weights_text;
  return type;
}

ValueType<std::optional<MetricChoice>> metric_or_loss() {
  ValueType<std::optional<MetricChoice>> type;
  type.values = type.allowed = fmt::format("loss | {}", fmt::join(metric_patterns(), " | "));
  type.advice = [](const std::string& text) {
    const std::string hint = metric_hint(text);
    return hint.empty() ? did_you_mean(text, {"loss"}) : hint;
  };
  type.read = [](const std::string& text) -> std::optional<std::optional<MetricChoice>> {
    if (is_keyword(text, "loss")) return std::optional<MetricChoice>();
    auto metric = read_metric(text);
    if (!metric) return std::nullopt;
    return std::make_optional(std::move(metric));
  };
  type.write = [](const std::optional<MetricChoice>& metric) { return metric ? metric->name() : "loss"; };
  return type;
}

ValueType<std::string> metric_or_loss_text() {
  const auto metric = metric_or_loss();
  ValueType<std::string> type{metric.values, metric.allowed, {}, {}, {}, metric.advice};
  type.read = [metric](const std::string& text) -> std::optional<std::string> {
    const auto chosen = metric.read(text);
    return chosen ? std::optional(metric.write(*chosen)) : std::nullopt;
  };
  type.write = [](const std::string& text) { return text; };
  return type;
}

ValueType<std::vector<double>> quantile_list() {
  ValueType<std::vector<double>> type;
  type.values = "ascending numbers > 0 and < 1";
  type.allowed =
      fmt::format("at most {} numbers > 0 and < 1 in ascending order, separated by commas or spaces", max_quantiles);
  type.read = read_quantiles;
  type.write = [](const std::vector<double>& quantiles) { return fmt::format("{}", fmt::join(quantiles, " ")); };
  return type;
}

namespace {

std::optional<StartTrial> read_start_trial(const std::string& text) {
  StartTrial trial;
  for (const std::string& part : split_at_commas(text)) {
    const std::size_t equals = std::min(part.find('='), part.size());
    const std::string key = trimmed(part.substr(0, equals));
    const std::string value = equals < part.size() ? trimmed(part.substr(equals + 1)) : "";
    const bool is_known =
        std::any_of(trial.begin(), trial.end(), [&](const auto& known) { return known.first == key; });
    if (key.empty() || value.empty() || is_known) return std::nullopt;
    trial.emplace_back(key, value);
  }
  return trial;
}

// Whether the text begins as "section.name =". Anything else is a path.
bool begins_start_trial(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == text.npos) return false;
  const std::string key = trimmed(text.substr(0, equals));
  const auto is_of_key = [](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9') || letter == '_' || letter == '.';
  };
  return std::all_of(key.begin(), key.end(), is_of_key) && std::count(key.begin(), key.end(), '.') == 1;
}

std::optional<SearchStart> read_search_start(const std::string& text) {
  std::vector<StartTrial> trials;
  if (is_keyword(text, "none")) return SearchStart{};
  if (!begins_start_trial(text)) {
    auto path = non_empty_text().read(text);
    return path ? std::optional(SearchStart{{}, *std::move(path)}) : std::nullopt;
  }
  auto ends = positions_outside_quotes(text, ';');
  if (!ends) return std::nullopt;
  ends->push_back(text.size());
  std::size_t begin = 0;
  for (const std::size_t end : *ends) {
    auto trial = read_start_trial(text.substr(begin, end - begin));
    if (!trial) return std::nullopt;
    trials.push_back(std::move(*trial));
    begin = end + 1;
  }
  return SearchStart{std::move(trials), ""};
}

std::string search_start_text(const SearchStart& start) {
  if (!start.run.empty()) return quoted_value(start.run);
  std::string text;
  for (const StartTrial& trial : start.trials) {
    text += text.empty() ? "" : "; ";
    for (const auto& [key, value] : trial)
      text += fmt::format("{}{} = {}", &key == &trial.front().first ? "" : ", ", key, value);
  }
  return text.empty() ? "none" : text;
}

}  // namespace

ValueType<SearchStart> search_start() {
  ValueType<SearchStart> type;
  type.values = "KEY = VALUE, ...; ..., or RUN_DIR, or none";
  type.allowed =
      "none, or values of searched keys, such as train.learning_rate = 0.01, model.hidden = 64; semicolons separate "
      "trials; or the directory of a run";
  type.read = read_search_start;
  type.write = search_start_text;
  type.path_begin = [](const std::string& text) {
    return is_keyword(text, "none") || begins_start_trial(text) ? text.npos : 0;
  };
  return type;
}

ValueType<std::vector<EarlierSpace>> earlier_spaces() {
  ValueType<std::vector<EarlierSpace>> type;
  type.values = "TRIALS: KEY = VALUES; ..., or none";
  type.allowed =
      "none, or numbers of trials with the values of all searched keys, such as 30: train.learning_rate = uniform(0.1, "
      "1); model.hidden = 16, 32";
  type.read = read_earlier_spaces;
  type.write = earlier_spaces_text;
  return type;
}

}  // namespace sheaf

// SPDX-License-Identifier: MIT
#include "study/metrics.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/text.hpp"
#include "study/named_class.hpp"
#include "study/value_parsing.hpp"

namespace sheaf {
namespace {

constexpr std::int64_t max_count = 1000000000;

template <class Condition>
const Metric* find_first(const Condition& condition) {
  const auto* const found = std::find_if(metric_table.begin(), metric_table.end(), condition);
  return found == metric_table.end() ? nullptr : found;
}

// The name of a metric and its parameter; no parameter: no colon.
struct MetricText {
  std::string name;
  std::optional<std::string> parameter{};
};

MetricText split_metric(const std::string& text) {
  const std::size_t colon = text.find(':');
  if (colon == text.npos) return {lower_case(text)};
  return {lower_case(text.substr(0, colon)), text.substr(colon + 1)};
}

const Metric* metric_named(const std::string& name) {
  return find_first([&](const Metric& metric) { return metric.name == name; });
}

bool is_parameter(MetricParameter parameter, const std::string& text) {
  switch (parameter) {
    case MetricParameter::none:
      return false;
    case MetricParameter::class_name:
      return is_class_text(text);
    case MetricParameter::count: {
      const auto count = whole_number<std::int64_t>(text);
      return count && *count >= 1 && *count <= max_count;
    }
    case MetricParameter::quantile: {
      const auto quantile = whole_number<double>(text);
      return quantile && *quantile > 0 && *quantile < 1;
    }
  }
  return false;
}

// What the parameter of a metric must be.
const char* needed_parameter(MetricParameter parameter) {
  switch (parameter) {
    case MetricParameter::class_name:
      return "a class: its name without '#' and quotes, or its number, such as 1";
    case MetricParameter::count:
      return "an integer of at least 1, such as 3";
    default:
      return "a number between 0 and 1, such as 0.9";
  }
}

}  // namespace

std::string MetricChoice::name() const {
  std::string text(metric().name);
  return metric().parameter == MetricParameter::none ? text : text + ":" + parameter;
}

std::string MetricChoice::label() const {
  const std::string text(metric().label);
  if (metric().parameter == MetricParameter::none) return text;
  return kind == MetricKind::top_k_accuracy ? fmt::format("top-{} accuracy", parameter)
                                            : fmt::format("{} ({})", text, parameter);
}

std::optional<MetricChoice> read_metric(const std::string& text) {
  const auto [name, parameter] = split_metric(text);
  const Metric* const metric = metric_named(name);
  if (metric == nullptr) return std::nullopt;
  const bool has_one = metric->parameter != MetricParameter::none;
  if (has_one != parameter.has_value() || (has_one && !is_parameter(metric->parameter, *parameter)))
    return std::nullopt;
  return MetricChoice(metric->kind, parameter.value_or(""));
}

std::string metric_pattern(const Metric& metric) {
  constexpr const char* endings[] = {"", ":CLASS", ":N", ":Q"};  // in the order of MetricParameter
  return std::string(metric.name) + endings[static_cast<std::size_t>(metric.parameter)];
}

std::vector<std::string> metric_patterns() {
  std::vector<std::string> patterns;
  for (const Metric& metric : metric_table) patterns.push_back(metric_pattern(metric));
  return patterns;
}

std::string metric_hint(const std::string& text) {
  const auto [name, parameter] = split_metric(text);
  const Metric* const metric = metric_named(name);
  if (metric == nullptr) return did_you_mean(text, metric_patterns());
  if (metric->parameter == MetricParameter::none)
    return parameter ? fmt::format(" {} has no parameter. Write it without the colon.", name) : "";
  return fmt::format(" {} needs {}.", metric_pattern(*metric), needed_parameter(metric->parameter));
}

std::vector<std::pair<std::string, std::string>> other_names_of_metrics() {
  return {{"auto", "loss"},
          {"val_loss", "loss"},
          {"valid_loss", "loss"},
          {"acc", "accuracy"},
          {"val_accuracy", "accuracy"},
          {"f1_score", "f1_macro"},
          {"mcc", "matthews"},
          {"matthews_corrcoef", "matthews"},
          {"neg_log_loss", "log_loss"},
          {"logloss", "log_loss"},
          {"neg_brier_score", "brier"},
          {"brier_score_loss", "brier"},
          {"auc", "roc_auc"},
          {"roc_auc_ovr", "roc_auc"},
          {"roc_auc_ovr_weighted", "roc_auc_weighted"},
          {"top_k_accuracy", "top_k:3"},
          {"top_k_accuracy_score", "top_k:3"},
          {"mean_pinball_loss", "pinball:0.9"},
          {"r2_score", "r2"},
          {"mean_absolute_error", "mae"},
          {"neg_mean_absolute_error", "mae"},
          {"mean_squared_error", "mse"},
          {"neg_mean_squared_error", "mse"},
          {"root_mean_squared_error", "rmse"},
          {"neg_root_mean_squared_error", "rmse"},
          {"mean_absolute_percentage_error", "mape"},
          {"median_absolute_error", "median_ae"}};
}

std::optional<MetricFunction> metric_function(const MetricChoice& choice, const std::vector<std::string>& class_names,
                                              std::int64_t outputs) {
  switch (choice.metric().parameter) {
    case MetricParameter::none:
      return MetricFunction(choice.kind);
    case MetricParameter::quantile:
      return MetricFunction(choice.kind, whole_number<double>(choice.parameter).value_or(0));
    case MetricParameter::count: {
      const auto count = whole_number<std::int64_t>(choice.parameter).value_or(0);
      if (count > outputs) return std::nullopt;
      return MetricFunction(choice.kind, static_cast<double>(count));
    }
    case MetricParameter::class_name: {
      const auto number = find_class(choice.parameter, class_names, outputs);
      if (!number) return std::nullopt;
      return MetricFunction(choice.kind, static_cast<double>(*number));
    }
  }
  return std::nullopt;
}

std::string metric_problem(const std::string& key, const MetricChoice& choice,
                           const std::vector<std::string>& class_names, std::int64_t outputs, const std::string& data) {
  if (metric_function(choice, class_names, outputs)) return "";
  if (choice.metric().parameter == MetricParameter::count)
    return fmt::format("{} = {} does not fit {} (it has {}). Use a number of at most {}.", key, choice.name(), data,
                       outputs == 1 ? "1 class" : fmt::format("{} classes", outputs), outputs);
  return class_problem(fmt::format("{} = {}", key, choice.name()), choice.parameter, class_names, outputs, data);
}

std::optional<std::size_t> quantile_output(const MetricFunction& metric, const std::vector<double>& quantiles) {
  constexpr double median = 0.5;
  const double wanted = metric.kind == MetricKind::pinball ? metric.parameter : median;
  const auto found = std::find(quantiles.begin(), quantiles.end(), wanted);
  return found == quantiles.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - quantiles.begin()));
}

std::string quantile_problem(const std::string& key, const MetricChoice& choice, const std::vector<double>& quantiles) {
  if (quantiles.size() <= 1 || choice.kind == MetricKind::mean_pinball) return "";
  const auto function = metric_function(choice, {}, static_cast<std::int64_t>(quantiles.size()));
  if (!function || quantile_output(*function, quantiles)) return "";
  return fmt::format(
      "{} = {} needs the quantile {} (train.quantiles = {}). Add it to train.quantiles, or use the metric "
      "mean_pinball.",
      key, choice.name(), choice.kind == MetricKind::pinball ? choice.parameter : "0.5", fmt::join(quantiles, " "));
}

const Metric& default_metric(Task task) {
  return *find_first([task](const Metric& metric) { return metric.applies_to(task); });
}

}  // namespace sheaf

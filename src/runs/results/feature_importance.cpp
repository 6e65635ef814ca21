// SPDX-License-Identifier: MIT
#include "runs/results/feature_importance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "core/text.hpp"
#include "files/regular_file.hpp"

namespace sheaf {
namespace {

using Json = nlohmann::ordered_json;  // keeps the order of the members

double number_of(const Json& json) {
  return json.is_null() ? std::numeric_limits<double>::quiet_NaN() : json.get<double>();
}

std::int64_t count_of(const Json& json) {
  require(json.is_number_unsigned() && json.get<std::uint64_t>() <= std::numeric_limits<std::int64_t>::max(),
          "a number of rows, repeats or features is not one");
  return json.get<std::int64_t>();
}

std::optional<std::string> text_of(const Json& json) {
  return json.is_null() ? std::nullopt : std::optional(json.get<std::string>());
}

Json json_of(const std::optional<std::string>& text) {
  return text ? Json(*text) : Json(nullptr);
}

std::optional<ModelsKind> kind_of(const Json& json) {
  if (json.is_null()) return std::nullopt;
  for (const ModelsKindRow& row : models_kinds)
    if (json == row.name) return row.kind;
  throw RunError("models_kind is not known");
}

FeatureImportances parse(const Json& json) {
  FeatureImportances importances;
  importances.program = json.at("program");
  importances.models = json.at("models").get<std::vector<std::string>>();
  importances.models_kind = kind_of(json.at("models_kind"));
  importances.data = json.at("data");
  importances.file_rows = count_of(json.at("file_rows"));
  importances.rows = count_of(json.at("rows"));
  importances.weights = text_of(json.at("weights"));
  importances.metric = json.at("metric");
  importances.metric_label = json.at("metric_label");
  importances.larger_is_better = json.at("larger_is_better");
  importances.baseline = number_of(json.at("baseline"));
  importances.repeats = count_of(json.at("repeats"));
  importances.seed = json.at("seed");
  for (const Json& feature : json.at("features")) {
    FeatureImportance& added = importances.features.emplace_back();
    added.feature = feature.at("feature");
    added.number = count_of(feature.at("number"));
    for (const Json& value : feature.at("values")) added.values.push_back(number_of(value));
    require(!added.values.empty(), "a feature has no values");
  }
  require(!importances.models.empty() && !importances.features.empty(), "it has no models or no features");
  rank_features(importances.features);
  return importances;
}

}  // namespace

void rank_features(std::vector<FeatureImportance>& features) {
  for (FeatureImportance& feature : features) {
    const auto count = static_cast<double>(feature.values.size());
    double sum = 0, squares = 0;
    for (const double value : feature.values) sum += value;
    feature.mean = sum / count;
    for (const double value : feature.values) squares += (value - feature.mean) * (value - feature.mean);
    feature.deviation = std::sqrt(squares / count);
  }
  const auto place = [](const FeatureImportance& feature) {
    return std::isnan(feature.mean) ? std::numeric_limits<double>::infinity() : -feature.mean;
  };
  std::sort(features.begin(), features.end(), [&](const FeatureImportance& a, const FeatureImportance& b) {
    return place(a) < place(b) || (place(a) == place(b) && a.number < b.number);
  });
}

std::string baseline_text(const FeatureImportances& importances) {
  return fmt::format("{} {:.6g}", printable(importances.metric_label), importances.baseline);
}

std::string rows_text(const FeatureImportances& importances) {
  if (importances.rows == importances.file_rows) return counted(importances.rows, "row");
  return fmt::format("{} of {}", importances.rows, counted(importances.file_rows, "row"));
}

std::string importance_json(const FeatureImportances& importances) {
  Json features = Json::array();
  for (const FeatureImportance& feature : importances.features)
    features.push_back({{"feature", feature.feature},
                        {"number", feature.number},
                        {"mean", feature.mean},
                        {"std", feature.deviation},
                        {"values", feature.values}});
  const Json json = {
      {"program", importances.program},
      {"models", importances.models},
      {"models_kind", importances.models_kind ? Json(row_of(*importances.models_kind).name) : Json(nullptr)},
      {"data", importances.data},
      {"file_rows", importances.file_rows},
      {"rows", importances.rows},
      {"weights", json_of(importances.weights)},
      {"metric", importances.metric},
      {"metric_label", importances.metric_label},
      {"larger_is_better", importances.larger_is_better},
      {"baseline", importances.baseline},
      {"repeats", importances.repeats},
      {"seed", importances.seed},
      {"features", features}};
  constexpr int one_line = -1;
  return json.dump(one_line, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::optional<FeatureImportances> read_importances(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return std::nullopt;
  const std::string text = RegularFile(path).read_all();
  try {
    return parse(Json::parse(text));
  } catch (const std::exception& error) {
    throw RunError(
        fmt::format("'{}' is damaged ({}). Compute it again with sheaf importance.", path, printable(error.what())));
  }
}

}  // namespace sheaf

// SPDX-License-Identifier: MIT
#include "training/class_weights.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "study/named_class.hpp"
#include "study/study.hpp"

namespace sheaf {

namespace {

std::vector<double> given_weights(const ClassWeights& weights, const DataSet& data) {
  std::vector<double> of_classes(static_cast<std::size_t>(data.output_count), 1);
  for (const auto& [name, weight] : weights.of_classes)
    if (const auto number = find_class(name, data.class_names, data.output_count))
      of_classes[static_cast<std::size_t>(*number)] = weight;
  return of_classes;
}

// `of_classes`: empty if all are 1.
float weight_of_row(const DataSet& data, const std::vector<double>& of_classes, std::int64_t row) {
  const double of_row = data.weights == nullptr ? 1 : double{data.weights[row]};
  const double of_class = of_classes.empty() ? 1 : of_classes[static_cast<std::size_t>(data.labels[row])];
  return static_cast<float>(of_row * of_class);
}

}  // namespace

std::vector<double> class_weights(const TrainOptions& train, const DataSet& data, const RowSet& rows) {
  if (!train.class_weights.any() || data.labels == nullptr) return {};
  if (!train.class_weights.balanced) return given_weights(train.class_weights, data);
  std::vector<std::int64_t> counts(static_cast<std::size_t>(data.output_count), 0);
  rows.for_each([&](std::int64_t row) { ++counts[static_cast<std::size_t>(data.labels[row])]; });
  const auto classes = static_cast<double>(counts.size()) -
                       static_cast<double>(std::count(counts.begin(), counts.end(), std::int64_t{0}));
  std::vector<double> weights;
  weights.reserve(counts.size());
  for (const std::int64_t count : counts)
    weights.push_back(count == 0 ? 0 : static_cast<double>(rows.count()) / (classes * static_cast<double>(count)));
  return weights;
}

std::vector<float> scoring_weights(const Study& study, const TrainOptions& train, const DataSet& data,
                                   const RowSet& training_rows, const RowSet& rows) {
  if (!study.search.weighted) return {};
  const std::vector<double> of_classes = class_weights(train, data, training_rows);
  std::vector<float> weights;
  weights.reserve(static_cast<std::size_t>(rows.count()));
  rows.for_each([&](std::int64_t row) { weights.push_back(weight_of_row(data, of_classes, row)); });
  return weights;
}

bool any_row_counts(const DataSet& data, const std::vector<double>& class_weights, const RowSet& rows) {
  constexpr std::int64_t rows_at_once = 4096;
  bool any = false;
  for (std::int64_t begin = 0; begin < rows.data_rows() && !any; begin += rows_at_once)
    rows.for_each({begin, std::min(begin + rows_at_once, rows.data_rows())},
                  [&](std::int64_t row) { any = any || weight_of_row(data, class_weights, row) > 0; });
  return any;
}

std::string class_weights_problem(const ClassWeights& weights, const std::vector<std::string>& class_names,
                                  std::int64_t classes, const std::string& data) {
  std::vector<double> of_classes(static_cast<std::size_t>(classes), 1);
  std::vector<bool> is_given(of_classes.size());
  for (const auto& [name, weight] : weights.of_classes) {
    const auto number = find_class(name, class_names, classes);
    if (!number)
      return class_problem(fmt::format("train.class_weights = {}:{}", name, weight), name, class_names, classes, data);
    const auto label = static_cast<std::size_t>(*number);
    if (is_given[label])
      return fmt::format(
          "train.class_weights has two weights of class {} (by its name and by its number). Leave out one.", *number);
    of_classes[label] = weight;
    is_given[label] = true;
  }
  if (std::all_of(of_classes.begin(), of_classes.end(), [](double weight) { return weight == 0; }))
    return "train.class_weights is 0 for all classes, so no row would be trained on. Set at least one of them above 0.";
  return "";
}

}  // namespace sheaf

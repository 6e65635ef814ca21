// SPDX-License-Identifier: MIT
#include "commands/evaluate/prediction_csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/error.hpp"
#include "core/quoted.hpp"
#include "core/text.hpp"

namespace sheaf {
namespace {

std::string class_name(const PredictionContents& contents, std::int64_t label) {
  return contents.class_names.empty() ? std::to_string(label) : contents.class_names[static_cast<std::size_t>(label)];
}

std::string value_name(const PredictionContents& contents, std::int64_t output) {
  if (contents.outputs == 1) return "prediction";
  const auto& names = contents.task == Task::multilabel ? contents.class_names : contents.target_names;
  return names.empty() ? fmt::format("prediction_{}", output) : names[static_cast<std::size_t>(output)];
}

// The names of the columns after that of the ids.
std::vector<std::string> value_names(const PredictionContents& contents) {
  std::vector<std::string> names;
  if (contents.task == Task::classification) names.emplace_back("prediction");
  for (std::int64_t output = 0; contents.task != Task::classification && output < contents.outputs; ++output)
    names.push_back(value_name(contents, output));
  for (std::int64_t output = 0; contents.task != Task::regression && output < contents.outputs; ++output)
    names.push_back("probability_" + class_name(contents, output));
  return names;
}

}  // namespace

void require_other_id_name(const PredictionContents& contents) {
  if (!contents.ids) return;
  const auto names = value_names(contents);
  require(std::find(names.begin(), names.end(), contents.ids->name) == names.end(), [&] {
    return fmt::format(
        "two columns of the predictions would be called {} (the column of --id, and one of the "
        "predictions). Rename the column in '{}'.",
        quoted(contents.ids->name), contents.data);
  });
}

std::string prediction_csv_header(const PredictionContents& contents) {
  std::string text;
  if (contents.ids) text += csv_field(contents.ids->name) + ",";
  for (const auto& name : value_names(contents)) text += csv_field(name) + ",";
  text.back() = '\n';
  return text;
}

template <class Value>
std::string prediction_csv_lines(const PredictionContents& contents, IndexRange rows, const Value* values,
                                 const std::int64_t* labels) {
  fmt::memory_buffer text;
  const auto out = std::back_inserter(text);
  for (std::int64_t row = rows.begin; row < rows.end; ++row) {
    if (contents.ids) fmt::format_to(out, "{},", csv_field(contents.ids->cells[static_cast<std::size_t>(row)]));
    if (contents.task == Task::classification) fmt::format_to(out, "{},", csv_field(class_name(contents, *labels++)));
    for (std::int64_t label = 0; contents.task == Task::multilabel && label < contents.outputs; ++label)
      fmt::format_to(out, "{},", *labels++);
    for (std::int64_t output = 0; output < contents.outputs; ++output)
      fmt::format_to(out, "{}{}", *values++, output + 1 < contents.outputs ? ',' : '\n');
  }
  return fmt::to_string(text);
}

template std::string prediction_csv_lines(const PredictionContents&, IndexRange, const float*, const std::int64_t*);
template std::string prediction_csv_lines(const PredictionContents&, IndexRange, const double*, const std::int64_t*);

}  // namespace sheaf

// SPDX-License-Identifier: MIT
#include "commands/evaluate/prediction_csv.hpp"

#include <fmt/format.h>

#include <iterator>

#include "core/text.hpp"

namespace sheaf {
namespace {

std::string class_name(const PredictionContents& contents, std::int64_t label) {
  return contents.class_names.empty() ? std::to_string(label) : contents.class_names[static_cast<std::size_t>(label)];
}

std::string value_name(const PredictionContents& contents, std::int64_t output) {
  if (contents.outputs == 1) return "prediction";
  return contents.target_names.empty() ? fmt::format("prediction_{}", output)
                                       : contents.target_names[static_cast<std::size_t>(output)];
}

}  // namespace

std::string prediction_csv_header(const PredictionContents& contents) {
  std::string text;
  if (contents.ids) text += csv_field(contents.ids->name) + ",";
  if (contents.is_classification) text += "prediction,";
  for (std::int64_t output = 0; output < contents.outputs; ++output)
    text += csv_field(contents.is_classification ? "probability_" + class_name(contents, output)
                                                 : value_name(contents, output)) +
            (output + 1 < contents.outputs ? "," : "\n");
  return text;
}

std::string prediction_csv_lines(const PredictionContents& contents, IndexRange rows, const float* values,
                                 const std::int64_t* labels) {
  fmt::memory_buffer text;
  const auto out = std::back_inserter(text);
  for (std::int64_t row = rows.begin; row < rows.end; ++row) {
    if (contents.ids) fmt::format_to(out, "{},", csv_field(contents.ids->cells[static_cast<std::size_t>(row)]));
    if (contents.is_classification) fmt::format_to(out, "{},", csv_field(class_name(contents, *labels++)));
    for (std::int64_t output = 0; output < contents.outputs; ++output)
      fmt::format_to(out, "{}{}", *values++, output + 1 < contents.outputs ? ',' : '\n');
  }
  return fmt::to_string(text);
}

}  // namespace sheaf

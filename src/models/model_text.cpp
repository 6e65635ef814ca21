// SPDX-License-Identifier: MIT
#include "models/model_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <sstream>
#include <utility>

#include "core/error.hpp"
#include "core/quoted.hpp"
#include "core/version.hpp"
#include "data/description_text.hpp"
#include "data/feature_kind.hpp"
#include "study/settings.hpp"
#include "study/settings_table.hpp"
#include "study/study.hpp"
#include "study/value_types.hpp"

namespace sheaf {
namespace {

// The keys of a study that are part of a model's description.
bool describes_model(const std::string& key) {
  return key.compare(0, 6, "model.") == 0 || key == "train.loss" || key == "train.huber_delta" ||
         key == "train.quantiles" || key == "data.task" || key == "data.image";
}

// Parses the number of features or outputs.
std::int64_t parse_count(const std::string& text) {
  const auto count = integer(1, std::int64_t{1} << 31).read(text);
  require(count.has_value(), sheaf::quoted(text) + " is not a valid number of features or outputs");
  return *count;
}

void require_fit(const ModelDescription& description) {
  const DataDescription& data = description.data;
  const auto columns = static_cast<std::int64_t>(data.columns.size());
  const auto is_text = [](const DataColumn& column) { return column.is_text(); };
  require(columns >= description.shape.features || std::none_of(data.columns.begin(), data.columns.end(), is_text),
          "versions before 0.20.0 had a feature for each category of a text");
  require(columns == 0 || columns == description.shape.features,
          "its column names do not match the number of features");
  const auto& names = names_of_classes(data, description.task);
  require(description.task == Task::regression || names.empty() ||
              static_cast<std::int64_t>(names.size()) == description.shape.outputs,
          "its class names do not match the number of outputs");
  const bool has_quantiles = !description.quantiles.empty();
  require(!has_quantiles || static_cast<std::int64_t>(description.quantiles.size()) == description.shape.outputs,
          "its quantiles do not match the number of outputs");
  const std::int64_t targets = has_quantiles ? 1 : description.shape.outputs;
  require(data.target_offsets.empty() || static_cast<std::int64_t>(data.target_offsets.size()) == targets,
          "its offsets of targets do not match the number of outputs");
}

}  // namespace

std::string model_text(const ModelDescription& description) {
  Study study;
  study.model = description.model;
  study.train.loss = description.loss.kind;
  study.train.huber_delta = description.loss.delta;
  if (!description.quantiles.empty()) study.train.quantiles = description.quantiles;
  study.data.task = description.task;
  study.data.image = description.shape.image;
  std::string text = fmt::format("# sheaf {}\nfeatures = {}\noutputs = {}\n", program_version(),
                                 description.shape.features, description.shape.outputs);
  text += "data = " + description_text(description.data) + "\n";
  if (description.plugin_content) text += "plugin = " + *description.plugin_content + "\n";
  for (const auto& setting : all_settings())
    if (describes_model(setting.key)) text += fmt::format("{} = {}\n", setting.key, setting_text(study, setting.key));
  return text;
}

ModelDescription parse_model_text(const std::string& text) {
  Study study;
  DataShape shape;
  DataDescription data;
  std::optional<std::string> plugin_content;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t equals = line.find(" = ");
    if (line.empty() || line[0] == '#') continue;
    require(equals != std::string::npos, [&] { return sheaf::quoted(line) + " is not of the form key = value"; });
    const std::string key = line.substr(0, equals), value = line.substr(equals + 3);
    if (key == "features")
      shape.features = parse_count(value);
    else if (key == "outputs")
      shape.outputs = parse_count(value);
    else if (key == "data")
      data = parse_description(value);
    else if (key == "plugin")
      plugin_content = value;
    else
      apply_setting(study, key, value);
  }
  require(shape.features > 0 && shape.outputs > 0, "the number of features or outputs is missing");
  shape.image = study.data.image;
  require(study.data.task != automatic && study.model.kind != automatic && study.train.loss != automatic,
          "its task, kind or loss is missing");
  require(plugin_content.has_value() == (study.model.kind == ModelKind::plugin), "its plugin does not fit its network");
  ModelDescription description{study.model,     study.data.task,           loss_function(study.train), shape,
                               std::move(data), quantiles_of(study.train), std::move(plugin_content)};
  require_fit(description);
  if (shape.image.channels == 0 && !description.data.columns.empty())
    description.shape.kinds = feature_kinds(description.data.columns, shape.features);
  return description;
}

}  // namespace sheaf

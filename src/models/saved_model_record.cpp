// SPDX-License-Identifier: MIT
#include "models/saved_model_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <new>
#include <string_view>
#include <utility>
#include <vector>

#include "core/bytes.hpp"
#include "core/error.hpp"
#include "files/file_content.hpp"
#include "files/zip.hpp"
#include "models/model_text.hpp"
#include "models/tree_model_file.hpp"

namespace sheaf {
namespace {

// The values that the model has for empty cells, as those of the columns, in the units of the table.
std::vector<DataColumn> columns_with_fills(const ModelDescription& description, const std::vector<float>& fills) {
  std::vector<DataColumn> columns = with_columns(description.data, description.shape.features).columns;
  for (std::size_t feature = 0; feature < columns.size(); ++feature) {
    DataColumn& column = columns[feature];
    if (!column.is_text() && !std::isnan(fills[feature])) column.fill = double{fills[feature]} + column.offset;
  }
  return columns;
}

bool fits(const std::vector<float>& of_features, const DataShape& shape) {
  return of_features.empty() || static_cast<std::int64_t>(of_features.size()) == shape.features;
}

SavedModel parse(const std::string& record) {
  ByteReader bytes(record);
  SavedModel trained;
  ModelDescription& description = trained.description = parse_model_text(bytes.get_list<std::string>());
  trained.scaling.shift = bytes.get_list<std::vector<float>>();
  trained.scaling.scale = bytes.get_list<std::vector<float>>();
  trained.network.parameters = bytes.get_list<std::vector<float>>();
  if (!bytes.is_at_end()) trained.scaling.clip = bytes.get_list<std::vector<float>>();  // since version 0.5.0
  if (!bytes.is_at_end()) trained.scaling.fill = bytes.get_list<std::vector<float>>();  // since version 0.8.0
  const auto count = static_cast<std::int64_t>(trained.network.parameters.size());
  require(fits(trained.scaling.fill, description.shape), "its values for empty cells do not match its description");
  if (!trained.scaling.fill.empty()) {
    description.data.columns = columns_with_fills(description, trained.scaling.fill);
    // Networks of older versions have no inputs for empty cells, but values.
    if (description.shape.image.channels == 0)
      description.shape.kinds = feature_kinds(description.data.columns, description.shape.features);
  }
  require(!encodes_features(description.model) || count >= description.shape.features,
          "its parameters do not match its description");
  const std::vector<Layer> layers = network_layout(description.model, description.shape);
  const bool works = works_on_rows(layers);
  if (works && buffer_count(layers) > 0) trained.network.buffers = bytes.get_list<std::vector<double>>();
  const std::int64_t edges = works ? layers.front().piecewise_count() * max_edges : 0;
  if (edges > 0) trained.scaling.edges = bytes.get_list<std::vector<float>>();
  const bool replaces = works && layers.front().empty_count() > 0;
  if (replaces) trained.scaling.replacements = bytes.get_list<std::vector<float>>();
  const std::int64_t wanted = works ? parameter_count(layers) : 0, buffers = works ? buffer_count(layers) : 0;
  require(count == wanted && static_cast<std::int64_t>(trained.network.buffers.size()) == buffers &&
              static_cast<std::int64_t>(trained.scaling.edges.size()) == edges &&
              fits(trained.scaling.shift, description.shape) && fits(trained.scaling.replacements, description.shape) &&
              trained.scaling.replacements.empty() != replaces &&
              trained.scaling.shift.size() == trained.scaling.scale.size() &&
              (trained.scaling.clip.empty() || trained.scaling.clip.size() == trained.scaling.shift.size()),
          "its parameters or scaling do not match its description");
  return trained;
}

// Returns an empty list if the file is not a valid archive: LibTorch opens the file next, and its message is clearer.
std::vector<ZipMember> members_or_none(std::string_view archive, const std::string& path) {
  try {
    return zip_directory(archive, path);
  } catch (const RunError&) {
    return {};
  }
}

}  // namespace

SavedModelRecord saved_model_record_parts(const SavedModel& trained) {
  const std::vector<Layer> layers = network_layout(trained.description.model, trained.description.shape);
  const bool works = works_on_rows(layers);
  const std::vector<float>& parameters = trained.network.parameters;
  const std::size_t count = works ? parameters.size() : 0;
  ByteWriter description, rest;
  description.put_list(model_text(trained.description));
  description.put_list(trained.scaling.shift);
  description.put_list(trained.scaling.scale);
  description.put(static_cast<std::int64_t>(count));
  rest.put_list(trained.scaling.clip);
  rest.put_list(trained.scaling.fill);
  if (works && buffer_count(layers) > 0) rest.put_list(trained.network.buffers);
  if (works && layers.front().piecewise_count() > 0) rest.put_list(trained.scaling.edges);
  if (works && layers.front().empty_count() > 0) rest.put_list(trained.scaling.replacements);
  return {description.bytes(), {reinterpret_cast<const char*>(parameters.data()), count * sizeof(float)}, rest.bytes()};
}

std::string saved_model_record(const SavedModel& trained) {
  const SavedModelRecord record = saved_model_record_parts(trained);
  return record.description + std::string(record.parameters) + record.rest;
}

SavedModel parse_saved_model_record(const std::string& record, const std::string& path) {
  try {
    return parse(record);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    throw RunError(fmt::format(
        "model file '{}' is damaged or from another version of sheaf ({}). Save the model again.", path, error.what()));
  }
}

std::optional<SavedModel> read_saved_model_record(const std::string& path) {
  const FileContent content(path);
  if (is_tree_model(content.bytes())) {
    SavedModel trees = parse_tree_model(std::string(content.bytes()), path);
    content.require_intact();
    return trees;
  }
  const auto members = members_or_none(content.bytes(), path);
  const std::string name = std::string("/extra/") + saved_model_record_name;
  const auto found = std::find_if(members.begin(), members.end(), [&name](const ZipMember& member) {
    return member.name.size() > name.size() &&
           member.name.compare(member.name.size() - name.size(), name.size(), name) == 0;
  });
  if (found == members.end()) return std::nullopt;
  const std::string record = read_all(*open_member(content.bytes(), path, *found));
  content.require_intact();
  return parse_saved_model_record(record, path);
}

}  // namespace sheaf

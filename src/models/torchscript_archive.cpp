// SPDX-License-Identifier: MIT
#include "models/torchscript_archive.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cstring>
#include <vector>

#include "core/error.hpp"
#include "files/file_content.hpp"
#include "files/zip.hpp"
#include "models/module_archive.hpp"
#include "models/saved_model_record.hpp"
#include "models/torchscript_module.hpp"

namespace sheaf {
namespace {

constexpr const char* class_name = "SheafModel";

// Sets the parameters and the running statistics of `network`, from the values of the tensors of its module. `read`:
// returns the bytes of the tensor with a number.
template <class Read>
void read_network(const std::vector<ModuleTensor>& tensors, NetworkState& network, const Read& read) {
  const auto layers = std::find_if(tensors.begin(), tensors.end(), [](const ModuleTensor& tensor) {
    return tensor.role == ModuleTensor::Role::parameter;  // those before it are of the scaling
  });
  network = {};
  for (auto tensor = layers; tensor != tensors.end(); ++tensor) {
    std::vector<float> values(static_cast<std::size_t>(tensor->count()));
    const std::string bytes = read(static_cast<std::size_t>(tensor - tensors.begin()));
    require(bytes.size() == values.size() * sizeof(float), "a tensor does not have the size of its layer");
    std::memcpy(values.data(), bytes.data(), bytes.size());
    if (tensor->role == ModuleTensor::Role::parameter)
      network.parameters.insert(network.parameters.end(), values.begin(), values.end());
    else
      network.buffers.insert(network.buffers.end(), values.begin(), values.end());
  }
}

}  // namespace

void write_torchscript_archive(const SavedModel& trained, const ByteSink& sink) {
  assert(has_layout(trained.description.model.kind));
  const TorchscriptModule module = torchscript_module(trained);
  const ArchiveTexts texts{pickle_of(pickled_module(class_name, module, 0)), class_source(class_name, module)};
  const SavedModelRecord record = saved_model_record_parts(trained);
  std::vector<NewZipMember> members = archive_members(texts, module.tensors);
  const NewZipMember of_record{fmt::format("archive/extra/{}", saved_model_record_name),
                               {record.description, record.parameters, record.rest}};
  members.insert(members.end() - static_cast<std::ptrdiff_t>(module.tensors.size()), of_record);
  write_zip_archive(members, sink);
}

std::string torchscript_archive(const SavedModel& trained) {
  std::string bytes;
  write_torchscript_archive(trained, [&bytes](std::string_view part) { bytes += part; });
  return bytes;
}

std::optional<SavedModel> read_torchscript_archive(const std::string& path) {
  auto trained = read_saved_model_record(path);
  if (!trained || !has_layout(trained->description.model.kind)) return std::nullopt;
  const std::vector<Layer> layers = network_layout(trained->description.model, trained->description.shape);
  if (works_on_rows(layers)) return trained;  // the record has the parameters
  trained->network.parameters.resize(static_cast<std::size_t>(parameter_count(layers)));
  trained->network.buffers.resize(static_cast<std::size_t>(buffer_count(layers)));
  const TorchscriptModule module = torchscript_module(*trained);
  const FileContent content(path);
  const auto members = zip_directory(content.bytes(), path);
  NetworkState network;
  read_network(module.tensors, network, [&](std::size_t number) {
    const std::string ending = fmt::format("/data/{}", number);
    const auto found = std::find_if(members.begin(), members.end(), [&](const ZipMember& member) {
      return member.name.size() > ending.size() &&
             member.name.compare(member.name.size() - ending.size(), ending.size(), ending) == 0;
    });
    require(found != members.end(),
            [&] { return fmt::format("model file '{}' is damaged. Save the model again.", path); });
    return read_all(*open_member(content.bytes(), path, *found));
  });
  content.require_intact();
  trained->network = std::move(network);
  return trained;
}

}  // namespace sheaf

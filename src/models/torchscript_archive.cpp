// SPDX-License-Identifier: MIT
#include "models/torchscript_archive.hpp"

#include <fmt/format.h>

#include <cassert>
#include <sstream>
#include <vector>

#include "files/zip_writer.hpp"
#include "models/pickle_values.hpp"
#include "models/saved_model_record.hpp"
#include "models/torchscript_module.hpp"

namespace sheaf {
namespace {

constexpr const char* class_name = "SheafModel";

// The version of the operators that the code means: the oldest in which `/` is a true division, so that old versions of
// LibTorch read it, too. New ones run operators that changed later, such as gelu, as they were.
// Source: caffe2/serialize/versions.h in PyTorch.
constexpr const char* format_version = "4\n";

std::string name_list(const std::vector<ModuleTensor>& tensors, ModuleTensor::Role role) {
  std::string list;
  for (const ModuleTensor& tensor : tensors)
    if (tensor.role == role) list += fmt::format("\"{}\", ", tensor.name);
  return list;
}

std::string indented(const std::string& source) {
  std::string text;
  std::istringstream lines(source);
  for (std::string line; std::getline(lines, line);) text += "  " + line + "\n";
  return text;
}

std::string class_source(const TorchscriptModule& module) {
  std::string source = fmt::format(
      "class {}(Module):\n  __parameters__ = [{}]\n  __buffers__ = [{}]\n  training : bool\n", class_name,
      name_list(module.tensors, ModuleTensor::Role::parameter), name_list(module.tensors, ModuleTensor::Role::buffer));
  for (const ModuleTensor& tensor : module.tensors) source += fmt::format("  {} : Tensor\n", tensor.name);
  for (const std::string& function : module.functions) source += indented(function);
  return source;
}

std::string pickled_sizes(const std::vector<std::int64_t>& sizes) {
  std::vector<std::string> items;
  for (const std::int64_t size : sizes) items.push_back(pickled_integer(size));
  return pickled_tuple(items);
}

std::vector<std::int64_t> row_major_strides(const std::vector<std::int64_t>& sizes) {
  std::vector<std::int64_t> strides(sizes.size(), 1);
  for (std::size_t axis = sizes.size(); axis-- > 1;) strides[axis - 1] = strides[axis] * sizes[axis];
  return strides;
}

// A tensor whose values are in the archive's member data/`number`.
std::string pickled_tensor(const ModuleTensor& tensor, std::size_t number) {
  const bool is_double = tensor.type == ModuleTensor::Type::float64;
  const std::string storage = pickled_persistent(
      pickled_tuple({pickled_text("storage"), pickled_global("torch", is_double ? "DoubleStorage" : "FloatStorage"),
                     pickled_text(std::to_string(number)), pickled_text("cpu"), pickled_integer(tensor.count())}));
  const std::string offset = pickled_integer(0),
                    hooks = pickled_call(pickled_global("collections", "OrderedDict"), pickled_tuple({}));
  return pickled_call(
      pickled_global("torch._utils", "_rebuild_tensor_v2"),
      pickled_tuple({storage, offset, pickled_sizes(tensor.sizes), pickled_sizes(row_major_strides(tensor.sizes)),
                     pickled_bool(tensor.role == ModuleTensor::Role::parameter), hooks}));
}

std::string pickled_module(const TorchscriptModule& module) {
  std::vector<PickledAttribute> attributes{{"training", pickled_bool(false)}};
  for (std::size_t number = 0; number < module.tensors.size(); ++number)
    attributes.push_back({module.tensors[number].name, pickled_tensor(module.tensors[number], number)});
  return pickle_of(pickled_object(pickled_global("__torch__", class_name), attributes));
}

}  // namespace

void write_torchscript_archive(const SavedModel& trained, const ByteSink& sink) {
  assert(has_layout(trained.description.model.kind));
  const TorchscriptModule module = torchscript_module(trained);
  const std::string state = pickled_module(module), constants = pickle_of(pickled_tuple({})),
                    source = class_source(module);
  const SavedModelRecord record = saved_model_record_parts(trained);
  std::vector<NewZipMember> members{
      {"archive/data.pkl", {state}},
      {"archive/constants.pkl", {constants}},
      {"archive/code/__torch__.py", {source}},
      {"archive/version", {format_version}},
      {fmt::format("archive/extra/{}", saved_model_record_name), {record.description, record.parameters, record.rest}}};
  for (std::size_t number = 0; number < module.tensors.size(); ++number)
    members.push_back({fmt::format("archive/data/{}", number), {module.tensors[number].bytes}});
  write_zip_archive(members, sink);
}

std::string torchscript_archive(const SavedModel& trained) {
  std::string bytes;
  write_torchscript_archive(trained, [&bytes](std::string_view part) { bytes += part; });
  return bytes;
}

}  // namespace sheaf

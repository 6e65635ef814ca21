// SPDX-License-Identifier: MIT
#include "models/module_archive.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <sstream>

namespace sheaf {
namespace {

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

const char* storage_name(ModuleTensor::Type type) {
  switch (type) {
    case ModuleTensor::Type::float32:
      return "FloatStorage";
    case ModuleTensor::Type::float64:
      return "DoubleStorage";
    case ModuleTensor::Type::int64:
      break;
  }
  return "LongStorage";
}

}  // namespace

std::string pickled_tensor(const ModuleTensor& tensor, std::size_t number) {
  const std::string storage = pickled_persistent(
      pickled_tuple({pickled_text("storage"), pickled_global("torch", storage_name(tensor.type)),
                     pickled_text(std::to_string(number)), pickled_text("cpu"), pickled_integer(tensor.count())}));
  const std::string offset = pickled_integer(0),
                    hooks = pickled_call(pickled_global("collections", "OrderedDict"), pickled_tuple({}));
  return pickled_call(
      pickled_global("torch._utils", "_rebuild_tensor_v2"),
      pickled_tuple({storage, offset, pickled_sizes(tensor.sizes), pickled_sizes(row_major_strides(tensor.sizes)),
                     pickled_bool(tensor.role == ModuleTensor::Role::parameter), hooks}));
}

std::vector<NewZipMember> tensor_members(const std::vector<ModuleTensor>& tensors) {
  std::vector<NewZipMember> members;
  for (std::size_t number = 0; number < tensors.size(); ++number)
    members.push_back({fmt::format("archive/data/{}", number), {tensors[number].bytes}});
  return members;
}

std::string class_source(const std::string& class_name, const TorchscriptModule& module,
                         const std::vector<Submodule>& submodules) {
  std::string source = fmt::format(
      "class {}(Module):\n  __parameters__ = [{}]\n  __buffers__ = [{}]\n  training : bool\n", class_name,
      name_list(module.tensors, ModuleTensor::Role::parameter), name_list(module.tensors, ModuleTensor::Role::buffer));
  for (const ModuleTensor& tensor : module.tensors) source += fmt::format("  {} : Tensor\n", tensor.name);
  for (const Submodule& submodule : submodules)
    source += fmt::format("  {} : __torch__.{}\n", submodule.name, submodule.type);
  for (const std::string& function : module.functions) source += indented(function);
  return source;
}

std::string pickled_module(const std::string& class_name, const TorchscriptModule& module, std::size_t first_tensor,
                           const std::vector<Submodule>& submodules) {
  std::vector<PickledAttribute> attributes{{"training", pickled_bool(false)}};
  for (std::size_t number = 0; number < module.tensors.size(); ++number)
    attributes.push_back({module.tensors[number].name, pickled_tensor(module.tensors[number], first_tensor + number)});
  for (const Submodule& submodule : submodules) attributes.push_back({submodule.name, submodule.pickled});
  return pickled_object(pickled_global("__torch__", class_name), attributes);
}

std::vector<NewZipMember> archive_members(const ArchiveTexts& texts, const std::vector<ModuleTensor>& tensors) {
  static const std::string constants = pickle_of(pickled_tuple({}));
  std::vector<NewZipMember> members{{"archive/data.pkl", {texts.state}},
                                    {"archive/constants.pkl", {constants}},
                                    {"archive/code/__torch__.py", {texts.source}},
                                    {"archive/version", {format_version}}};
  const auto of_tensors = tensor_members(tensors);
  members.insert(members.end(), of_tensors.begin(), of_tensors.end());
  return members;
}

}  // namespace sheaf

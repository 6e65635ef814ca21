// SPDX-License-Identifier: MIT
#include "engines/libtorch/torchscript_file.hpp"

#include <fmt/format.h>
#include <torch/script.h>

#include <cassert>
#include <sstream>

#include "core/error.hpp"
#include "engines/libtorch/script_model.hpp"
#include "engines/libtorch/torch_messages.hpp"
#include "files/regular_file.hpp"
#include "models/saved_model_record.hpp"
#include "models/torchscript_module.hpp"

namespace sheaf {
namespace {

torch::Tensor copy_of(const ModuleTensor& tensor) {
  const auto type = tensor.type == ModuleTensor::Type::float64 ? torch::kFloat64 : torch::kFloat32;
  return torch::from_blob(const_cast<char*>(tensor.bytes.data()), tensor.sizes, type).clone();
}

}  // namespace

std::string script_model_file_bytes(const SavedModel& trained) {
  assert(trained.description.model.kind == ModelKind::torchscript);
  const TorchscriptModule parts = torchscript_module(trained);
  try {
    torch::jit::Module module("SheafModel");
    module.register_attribute("training", c10::BoolType::get(), false);
    for (const ModuleTensor& tensor : parts.tensors) module.register_buffer(tensor.name, copy_of(tensor));
    module.register_module("module", ScriptModel(trained.description.model.file).trained(trained.network));
    for (const std::string& function : parts.functions) module.define(function);
    std::ostringstream bytes;
    module.save(bytes, {{saved_model_record_name, saved_model_record(trained)}});
    return bytes.str();
  } catch (const c10::Error& error) {
    throw RunError(fmt::format("cannot make a model file (LibTorch: {})", torch_messages(error)));
  }
}

std::shared_ptr<torch::jit::Module> load_module(const std::string& path) {
  require_regular_file(path);
  try {
    auto module = std::make_shared<torch::jit::Module>(torch::jit::load(path, torch::kCPU));
    module->eval();
    return module;
  } catch (const std::exception&) {  // of several types, with messages about LibTorch's internals
    throw RunError(
        fmt::format("'{}' is not a complete TorchScript file (LibTorch cannot load it). Use a model file of sheaf, or "
                    "save the module with torch.jit.script(module).save(path).",
                    path));
  }
}

}  // namespace sheaf

// SPDX-License-Identifier: MIT
#include "engines/libtorch/plugin_model.hpp"

#include <ATen/CPUGeneratorImpl.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "core/error.hpp"
#include "engines/libtorch/module_network.hpp"
#include "engines/libtorch/torch_messages.hpp"
#include "files/regular_file.hpp"
#include "files/shared_library.hpp"
#include "models/state_archive.hpp"

namespace sheaf {
namespace {

class PluginNetwork : public ModuleNetwork {
 public:
  PluginNetwork(torch::nn::AnyModule module, ImageShape image, torch::Device device, Precision precision)
      : ModuleNetwork(image, precision), module_(std::move(module)) {
    adopt(module_.ptr()->parameters(), module_.ptr()->buffers(), device);
  }

 private:
  void set_training(bool training) override { module_.ptr()->train(training); }
  torch::Tensor run(const torch::Tensor& rows, std::optional<TrainingStep> /*step*/) override {
    return module_.forward(rows);
  }

  torch::nn::AnyModule module_;
};

// Calls the factory. Meanwhile, LibTorch's generator is seeded and not used by other calls.
torch::nn::AnyModule make_seeded(PluginFactory factory, const PluginShape& shape, std::uint64_t seed) {
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  at::Generator generator = at::detail::getDefaultCPUGenerator();
  generator.set_current_seed(seed);
  return factory(shape, seed);
}

PluginFactory load_factory(const std::string& file) {
  const std::string& content = first_content(file);
  // A name without a slash would be searched among the system's libraries.
  const SharedLibrary library = load_shared_library(std::filesystem::absolute(file), RTLD_NOW | RTLD_LOCAL);
  require(library.handle != nullptr,
          fmt::format("the plugin '{}' cannot be loaded ({}). Use a shared library built as in jobs/plugin.", file,
                      library.problem));
  require(RegularFile(file).read_all() == content,
          fmt::format("the plugin '{}' changed while it was loaded. Start again when the file is complete.", file));
  void* symbol = dlsym(library.handle, "sheaf_plugin");
  require(symbol != nullptr,
          fmt::format("'{}' is not a plugin (it registers no model). Use SHEAF_REGISTER_MODEL of <sheaf/plugin.hpp>.",
                      file));
  const PluginEntry& entry = *reinterpret_cast<const PluginEntry* (*)()>(symbol)();
  require(entry.version == plugin_version,
          fmt::format(
              "the plugin '{}' was built for another version of Sheaf (plugin version {} instead of {}). Rebuild it.",
              file, entry.version, plugin_version));
  require(entry.torch_version == std::string(TORCH_VERSION),
          fmt::format("the plugin '{}' was built with another LibTorch ({} instead of {}). Rebuild it.", file,
                      entry.torch_version, TORCH_VERSION));
  return entry.make;
}

// Each file is loaded once. A file replaced during the run must not become a second library.
PluginFactory factory_of(const std::string& file) {
  static std::mutex one_at_a_time;
  static std::map<std::string, PluginFactory> factories;
  const std::lock_guard lock(one_at_a_time);
  const auto known = factories.find(file);
  return known != factories.end() ? known->second : factories[file] = load_factory(file);
}

using NamedTensor = std::pair<std::string, torch::Tensor>;

// All parameters, then all buffers, in the order of the module.
std::vector<NamedTensor> named_tensors(const torch::nn::AnyModule& module) {
  std::vector<NamedTensor> tensors;
  for (const auto& item : module.ptr()->named_parameters()) tensors.emplace_back(item.key(), item.value());
  for (const auto& item : module.ptr()->named_buffers()) tensors.emplace_back(item.key(), item.value());
  return tensors;
}

torch::ScalarType stored_type(const torch::Tensor& tensor) {
  return tensor.is_floating_point() ? torch::kFloat32 : torch::kInt64;
}

// Its bytes have their own memory.
ModuleTensor module_tensor(const std::string& name, const torch::Tensor& tensor) {
  const auto owner = std::make_shared<torch::Tensor>(tensor.detach().to(torch::kCPU, stored_type(tensor)).contiguous());
  const auto type = stored_type(tensor) == torch::kFloat32 ? ModuleTensor::Type::float32 : ModuleTensor::Type::int64;
  return {name,
          ModuleTensor::Role::buffer,
          type,
          tensor.sizes().vec(),
          {static_cast<const char*>(owner->data_ptr()), owner->nbytes()},
          owner};
}

}  // namespace

PluginModel::PluginModel(const std::string& file) : file_(file), factory_(factory_of(file)) {}

torch::nn::AnyModule PluginModel::module_for(const DataShape& shape, std::uint64_t seed) const {
  const ImageShape& image = shape.image;
  torch::nn::AnyModule module =
      make_seeded(factory_, {shape.features, shape.outputs, image.channels, image.height, image.width}, seed);
  for (const auto& part : module.ptr()->modules())
    require(part->name().rfind("torch::nn::", 0) != 0 || part->name().find("Dropout") == std::string::npos, [&] {
      return fmt::format(
          "the plugin '{}' draws random numbers in training ({}; lanes share LibTorch's generator, so "
          "results would not be reproducible). Build it without random numbers.",
          file_, part->name());
    });
  return module;
}

std::unique_ptr<Network> PluginModel::make(const DataShape& shape, std::uint64_t iteration_seed, torch::Device device,
                                           Precision precision) const {
  return std::make_unique<PluginNetwork>(module_for(shape, iteration_seed), shape.image, device, precision);
}

std::vector<ModuleTensor> PluginModel::trained(const DataShape& shape, std::uint64_t iteration_seed,
                                               const NetworkState& state) const {
  const torch::nn::AnyModule module = module_for(shape, iteration_seed);
  PluginNetwork(module, shape.image, torch::kCPU, Precision::float32).set(state);
  std::vector<ModuleTensor> tensors;
  for (const auto& [name, tensor] : named_tensors(module)) tensors.push_back(module_tensor(name, tensor));
  return tensors;
}

std::unique_ptr<Network> PluginModel::restored(const DataShape& shape, const std::vector<std::string>& tensors,
                                               torch::Device device) const {
  constexpr std::uint64_t any_seed = 0;
  torch::nn::AnyModule module = module_for(shape, any_seed);
  const auto named = named_tensors(module);
  const auto require_fit = [&](bool fits) {
    require(fits,
            fmt::format("the tensors of the model do not fit the module of the plugin '{}'. Train the study again.",
                        file_));
  };
  require_fit(named.size() == tensors.size());
  const torch::NoGradGuard no_grad;
  for (std::size_t number = 0; number < tensors.size(); ++number) {
    torch::Tensor tensor = named[number].second;
    const torch::ScalarType type = stored_type(tensor);
    require_fit(tensors[number].size() == static_cast<std::size_t>(tensor.numel()) * c10::elementSize(type));
    tensor.copy_(torch::from_blob(const_cast<char*>(tensors[number].data()), tensor.sizes(), type));
  }
  return std::make_unique<PluginNetwork>(std::move(module), shape.image, device, Precision::float32);
}

std::string plugin_model_file_bytes(const SavedModel& trained, std::uint64_t iteration_seed) {
  const ModelDescription& description = trained.description;
  std::string bytes;
  try {
    const auto tensors =
        PluginModel(description.model.file).trained(description.shape, iteration_seed, trained.network);
    write_state_archive(trained, tensors, [&bytes](std::string_view part) { bytes += part; });
  } catch (const c10::Error& error) {
    throw RunError(fmt::format("cannot make a model file (LibTorch: {})", torch_messages(error)));
  }
  return bytes;
}

}  // namespace sheaf

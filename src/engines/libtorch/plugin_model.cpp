// SPDX-License-Identifier: MIT
#include "engines/libtorch/plugin_model.hpp"

#include <ATen/CPUGeneratorImpl.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <mutex>
#include <string>

#include "core/error.hpp"
#include "engines/libtorch/module_network.hpp"
#include "files/regular_file.hpp"
#include "files/shared_library.hpp"

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

}  // namespace

PluginModel::PluginModel(const std::string& file) : file_(file), factory_(factory_of(file)) {}

std::unique_ptr<Network> PluginModel::make(const DataShape& shape, std::uint64_t iteration_seed, torch::Device device,
                                           Precision precision) const {
  const ImageShape& image = shape.image;
  torch::nn::AnyModule module =
      make_seeded(factory_, {shape.features, shape.outputs, image.channels, image.height, image.width}, iteration_seed);
  for (const auto& part : module.ptr()->modules())
    require(part->name().rfind("torch::nn::", 0) != 0 || part->name().find("Dropout") == std::string::npos, [&] {
      return fmt::format(
          "the plugin '{}' draws random numbers in training ({}; lanes share LibTorch's generator, so "
          "results would not be reproducible). Build it without random numbers.",
          file_, part->name());
    });
  return std::make_unique<PluginNetwork>(std::move(module), image, device, precision);
}

}  // namespace sheaf

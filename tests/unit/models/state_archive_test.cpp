// tests/app/plugin_models.py reads such files with torch.load.
// SPDX-License-Identifier: MIT
#include "models/state_archive.hpp"

#include <cstring>
#include <fstream>

#include "core/error.hpp"
#include "models/model_archive.hpp"
#include "models/saved_model_record.hpp"
#include "support/catch.hpp"

using namespace sheaf;

namespace {

SavedModel plugin_model() {
  SavedModel trained;
  trained.description.model.kind = ModelKind::plugin;
  trained.description.model.file = "/plugins/a b.so";
  trained.description.plugin_content = "0123456789abcdef";
  trained.description.task = Task::regression;
  trained.description.loss = {LossKind::mse, 1};
  trained.description.shape = {0, 3, 1, {}};
  trained.network.parameters = {1, 2};  // which the tensors have
  trained.scaling = {{1, 2, 3}, {0.5f, 0.25f, 4}, {}, {}};
  return trained;
}

template <class Value>
ModuleTensor tensor(const char* name, ModuleTensor::Type type, const std::vector<Value>& values) {
  return {name,
          ModuleTensor::Role::buffer,
          type,
          {static_cast<std::int64_t>(values.size())},
          {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Value)}};
}

void write(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

}  // namespace

TEST_CASE("a state archive has the tensors in their order and the record of the model") {
  const std::vector<float> weights = {1, -2, 3.5f};
  const std::vector<std::int64_t> count = {7};
  std::string bytes;
  write_state_archive(
      plugin_model(),
      {tensor("layer.weight", ModuleTensor::Type::float32, weights), tensor("count", ModuleTensor::Type::int64, count)},
      [&bytes](std::string_view part) { bytes += part; });
  const char* const path = "state_archive_test.pt";
  write(path, bytes);
  CHECK_NOTHROW(verify_model_file(path));
  const std::vector<std::string> tensors = read_state_archive(path);
  REQUIRE(tensors.size() == 2);
  REQUIRE(tensors[0].size() == 3 * sizeof(float));
  CHECK(std::memcmp(tensors[0].data(), weights.data(), tensors[0].size()) == 0);
  REQUIRE(tensors[1].size() == sizeof(std::int64_t));
  CHECK(std::memcmp(tensors[1].data(), count.data(), tensors[1].size()) == 0);
  const auto record = read_saved_model_record(path);
  REQUIRE(record.has_value());
  CHECK(record->description.model.kind == ModelKind::plugin);
  CHECK(record->description.model.file == "/plugins/a b.so");
  CHECK(record->description.plugin_content == "0123456789abcdef");
  CHECK(record->scaling.scale == plugin_model().scaling.scale);
  CHECK(record->network.parameters.empty());

  bytes[bytes.find("layer.weight")] ^= 1;
  write(path, bytes);
  CHECK_THROWS_AS(verify_model_file(path), RunError);
}

TEST_CASE("only the record of a plugin's model names its plugin") {
  SavedModel trained = plugin_model();
  trained.description.plugin_content.reset();
  CHECK_THROWS_WITH(parse_saved_model_record(saved_model_record(trained), "m"),
                    ContainsSubstring("its plugin does not fit its network"));
  trained.description.plugin_content = "0123456789abcdef";
  trained.description.model.kind = ModelKind::torchscript;
  CHECK_THROWS_WITH(parse_saved_model_record(saved_model_record(trained), "m"),
                    ContainsSubstring("its plugin does not fit its network"));
}

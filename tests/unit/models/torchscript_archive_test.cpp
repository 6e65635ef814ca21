// tests/unit/engines/libtorch/torchscript_file_test.cpp loads such archives.
// SPDX-License-Identifier: MIT
#include "models/torchscript_archive.hpp"

#include <cstring>
#include <map>

#include "files/zip.hpp"
#include "models/initial_weights.hpp"
#include "models/model_archive.hpp"
#include "models/saved_model_record.hpp"
#include "support/catch.hpp"

using namespace sheaf;
using namespace std::string_literals;

namespace {

SavedModel mlp() {
  SavedModel trained;
  trained.description.model.kind = ModelKind::mlp;
  trained.description.model.hidden = {2};
  trained.description.model.norm = Norm::batch;
  trained.description.model.dropout = 0.25;
  trained.description.shape = {0, 3, 1, {}};
  const auto layers = network_layout(trained.description.model, trained.description.shape);
  trained.network = {initial_weights(layers, Initialization::he, 3), {0.5, -1, 2, 4}};
  trained.scaling = {{1, 2, 3}, {4, 5, 6}, {}};
  return trained;
}

std::map<std::string, std::string> members_of(const std::string& archive) {
  std::map<std::string, std::string> contents;
  for (const ZipMember& member : zip_directory(archive, "m.pt"))
    contents[member.name] = read_all(*open_member(archive, "m.pt", member));
  return contents;
}

template <class T>
std::string bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

}  // namespace

TEST_CASE("a TorchScript archive has the members of the format, and the record") {
  const SavedModel trained = mlp();
  const std::string archive = torchscript_archive(trained);
  verify_model_archive(archive, "m.pt");
  const auto members = members_of(archive);
  CHECK(members.size() == 5 + 9);
  CHECK(members.at("archive/version") == "4\n");
  CHECK(members.at("archive/constants.pkl") == "\x80\2).");
  CHECK(members.at("archive/extra/sheaf") == saved_model_record(trained));
  CHECK(
      members.at("archive/code/__torch__.py") ==
      "class SheafModel(Module):\n"
      "  __parameters__ = [\"weight0\", \"weight1\", \"bias1\", \"weight2\", \"bias2\", ]\n"
      "  __buffers__ = [\"shift\", \"scale\", \"mean1\", \"variance1\", ]\n"
      "  training : bool\n"
      "  shift : Tensor\n"
      "  scale : Tensor\n"
      "  weight0 : Tensor\n"
      "  weight1 : Tensor\n"
      "  bias1 : Tensor\n"
      "  mean1 : Tensor\n"
      "  variance1 : Tensor\n"
      "  weight2 : Tensor\n"
      "  bias2 : Tensor\n"
      "  def forward(self, features: Tensor) -> Tensor:\n"
      "    values = (torch.flatten(features, 1).to(self.scale) - self.shift) * self.scale\n"
      "    values = torch.linear(torch.flatten(values, 1), self.weight0, None)\n"
      "    values = torch.batch_norm(values, self.weight1, self.bias1, self.mean1, self.variance1, self.training, 0.1, "
      "1e-05, False)\n"
      "    values = torch.relu(values)\n"
      "    values = torch.dropout(values, 0.25, self.training)\n"
      "    values = torch.linear(torch.flatten(values, 1), self.weight2, self.bias2)\n"
      "    return values\n");
  CHECK(members.at("archive/data/0") == bytes_of(trained.scaling.shift));
  CHECK(members.at("archive/data/2") == bytes_of(trained.network.parameters).substr(0, 2 * 3 * sizeof(float)));
  CHECK(members.at("archive/data/5") == bytes_of(std::vector<float>{0.5f, -1}));
  CHECK(members.at("archive/data/8") == bytes_of(std::vector<float>{trained.network.parameters.back()}));
  CHECK(torchscript_archive(trained) == archive);
}

TEST_CASE("offsets are float64 tensors, and a module with them has a function without") {
  SavedModel trained = mlp();
  trained.description.data.target_offsets = {1e9};
  DataColumn column;
  column.name = "a";
  column.offset = 1e12;
  trained.description.data.columns = {column, column, column};
  const auto members = members_of(torchscript_archive(trained));
  const std::string& source = members.at("archive/code/__torch__.py");
  CHECK_THAT(source, ContainsSubstring("  def forward_relative(self, features: Tensor) -> Tensor:\n"));
  CHECK_THAT(source, ContainsSubstring("    values = self.forward_relative(features)\n"));
  CHECK(members.at("archive/data/2") == bytes_of(std::vector<double>(3, 1e12)));
  CHECK(members.at("archive/data/3") == bytes_of(std::vector<double>{1e9}));
  CHECK_THAT(members.at("archive/data.pkl"), ContainsSubstring("ctorch\nDoubleStorage\n"));
}

TEST_CASE("parameters are written without a copy of them") {
  const SavedModel trained = mlp();
  const auto* begin = reinterpret_cast<const char*>(trained.network.parameters.data());
  const char* end = begin + trained.network.parameters.size() * sizeof(float);
  std::size_t direct = 0;
  write_torchscript_archive(trained, [&](std::string_view part) {
    if (part.data() >= begin && part.data() < end) direct += part.size();
  });
  CHECK(direct == 2 * static_cast<std::size_t>(end - begin));  // as tensors and in the record
}

// SPDX-License-Identifier: MIT
#include "models/saved_model_record.hpp"

#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>

#include "core/error.hpp"
#include "data/description_text.hpp"
#include "support/catch.hpp"

using namespace sheaf;

namespace {

SavedModel mlp() {
  SavedModel trained;
  trained.description.model.kind = ModelKind::mlp;
  trained.description.model.hidden = {2};
  trained.description.model.activation = Activation::gelu;
  trained.description.task = Task::classification;
  trained.description.loss = {LossKind::bce, 2.5};
  trained.description.shape = {0, 3, 2, {}};
  for (int number = 0; number < 3 * 2 + 2 + 2 * 2 + 2; ++number)
    trained.network.parameters.push_back(static_cast<float>(number) / 7);
  trained.scaling = {{1, 2, 3}, {0.5f, 0.25f, 4}, {0, 0.5f, 0}};
  return trained;
}

void write(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

}  // namespace

TEST_CASE("a saved model's description restores everything that evaluation needs") {
  const SavedModel trained = mlp();
  const SavedModel found = parse_saved_model_record(saved_model_record(trained), "model.pt");
  CHECK(found.network.parameters == trained.network.parameters);
  CHECK(found.scaling.shift == trained.scaling.shift);
  CHECK(found.scaling.scale == trained.scaling.scale);
  CHECK(found.scaling.clip == trained.scaling.clip);
  CHECK(found.description.model.kind == ModelKind::mlp);
  CHECK(found.description.model.hidden == std::vector<std::int64_t>{2});
  CHECK(found.description.model.activation == Activation::gelu);
  CHECK(found.description.task == Task::classification);
  CHECK(found.description.loss.kind == LossKind::bce);
  CHECK(found.description.loss.delta == 2.5);
  CHECK(found.description.shape.features == 3);
  CHECK(found.description.shape.outputs == 2);
}

TEST_CASE("a model of quantiles knows them, and has the offset of its only target") {
  SavedModel trained = mlp();
  trained.description.task = Task::regression;
  trained.description.loss = LossKind::quantile;
  trained.description.quantiles = {0.1, 0.9};
  trained.description.data.target_offsets = {1e9};
  const ModelDescription found = parse_saved_model_record(saved_model_record(trained), "m").description;
  CHECK(found.loss.kind == LossKind::quantile);
  CHECK(found.quantiles == trained.description.quantiles);
  trained.description.quantiles = {0.1, 0.5, 0.9};
  CHECK_THROWS_WITH(parse_saved_model_record(saved_model_record(trained), "m"),
                    ContainsSubstring("its quantiles do not match the number of outputs"));
}

TEST_CASE("running statistics of batch norms are part of the record") {
  SavedModel trained = mlp();
  trained.description.model.norm = Norm::batch;
  const auto count =
      static_cast<std::size_t>(parameter_count(network_layout(trained.description.model, trained.description.shape)));
  trained.network.parameters.resize(count);
  trained.network.buffers = {0.5, -1, 2, 4};
  CHECK(parse_saved_model_record(saved_model_record(trained), "m").network.buffers == trained.network.buffers);
  trained.network.buffers.pop_back();
  CHECK_THROWS_WITH(parse_saved_model_record(saved_model_record(trained), "m"), ContainsSubstring("do not match"));
}

TEST_CASE("a saved model knows the data that it was trained for") {
  SavedModel trained = mlp();
  DataDescription& data = trained.description.data;
  data.columns = {{"a = b\nc", {}, true, 1.7e9, FillRule::mean, 0.1},
                  text_column("city", {"R\xc3\xb6m"}, true),
                  number_column("height")};
  trained.description.shape.kinds = feature_kinds(data.columns, 3);
  const auto layers = network_layout(trained.description.model, trained.description.shape);
  trained.network.parameters.assign(static_cast<std::size_t>(parameter_count(layers)), 0.25f);
  data.class_names = {"no", "# yes"};
  data.target_names = {"y"};
  data.source = "a.csv";
  data.content_hash = "12ab";
  const DataDescription found = parse_saved_model_record(saved_model_record(trained), "model.pt").description.data;
  CHECK(description_text(found) == description_text(data));
  CHECK(found.columns == data.columns);
  data.columns.pop_back();
  CHECK_THROWS_WITH(parse_saved_model_record(saved_model_record(trained), "model.pt"),
                    ContainsSubstring("versions before 0.20.0 had a feature for each category of a text"));
}

TEST_CASE("a record of an older version, without the description of the data, is read") {
  std::string record = saved_model_record(mlp());
  const std::string line = "data = {}\n";
  const std::size_t begin = record.find(line);
  REQUIRE(begin != std::string::npos);
  record.erase(begin, line.size());
  std::int64_t length = 0;  // of the text, at the beginning of the record
  std::memcpy(&length, record.data(), sizeof length);
  length -= static_cast<std::int64_t>(line.size());
  std::memcpy(record.data(), &length, sizeof length);
  const SavedModel found = parse_saved_model_record(record, "model.pt");
  CHECK(found.network.parameters == mlp().network.parameters);
  CHECK(description_text(found.description.data) == "{}");
}

TEST_CASE("a record whose description of the data does not fit the network is refused") {
  const auto parse = [](const DataDescription& data, Task task) {
    SavedModel trained = mlp();
    trained.description.data = data;
    trained.description.task = task;
    if (task == Task::regression) trained.description.loss = LossKind::mse;
    return parse_saved_model_record(saved_model_record(trained), "model.pt");
  };
  DataDescription columns, classes;
  columns.columns = number_columns({"a", "b"});
  classes.class_names = {"a", "b", "c"};
  CHECK_THROWS_WITH(parse(columns, Task::classification),
                    ContainsSubstring("its column names do not match the number of features"));
  CHECK_THROWS_WITH(parse(classes, Task::classification),
                    ContainsSubstring("its class names do not match the number of outputs"));
  CHECK(parse(classes, Task::regression).description.data.class_names.size() == 3);
}

TEST_CASE("values of empty cells are part of the record, and of the columns in the units of the table") {
  SavedModel trained = mlp();
  const auto features = static_cast<std::size_t>(trained.description.shape.features);
  std::vector<std::string> names;
  for (std::size_t feature = 0; feature < features; ++feature) names.push_back("f" + std::to_string(feature));
  trained.description.data.columns = number_columns(names);
  trained.description.data.columns[0].offset = 1e9;
  trained.scaling.fill.assign(features, std::numeric_limits<float>::quiet_NaN());
  trained.scaling.fill[0] = 0.5f;
  const SavedModel found = parse_saved_model_record(saved_model_record(trained), "model.pt");
  CHECK(found.scaling.fill[0] == 0.5f);
  CHECK(std::isnan(found.scaling.fill[1]));
  CHECK(found.description.data.columns[0].fill == 1e9 + 0.5);
  CHECK_FALSE(found.description.data.columns[1].fill);
  trained.description.data.columns.clear();
  CHECK(parse_saved_model_record(saved_model_record(trained), "m").description.data.columns[0].fill == 0.5);
  trained.scaling.fill.resize(features + 1);
  CHECK_THROWS_WITH(parse_saved_model_record(saved_model_record(trained), "m"), ContainsSubstring("do not match"));
}

TEST_CASE("offsets of targets that do not fit the outputs are refused") {
  SavedModel trained = mlp();
  trained.description.data.target_offsets.assign(static_cast<std::size_t>(trained.description.shape.outputs) + 1, 1e9);
  CHECK_THROWS_WITH(parse_saved_model_record(saved_model_record(trained), "m"),
                    ContainsSubstring("its offsets of targets do not match the number of outputs"));
  trained.description.data.target_offsets.pop_back();
  CHECK(parse_saved_model_record(saved_model_record(trained), "m").description.data.target_offsets ==
        trained.description.data.target_offsets);
}

TEST_CASE("the description of convolutions has their settings but no parameters") {
  SavedModel trained;
  trained.description.model.kind = ModelKind::cnn;
  trained.description.model.channels = {3, 4};
  trained.description.shape = {0, 2 * 6 * 5, 4, {2, 6, 5}};
  trained.network.parameters = {1, 2, 3};
  const SavedModel found = parse_saved_model_record(saved_model_record(trained), "model.pt");
  CHECK(found.description.model.channels == trained.description.model.channels);
  CHECK(found.description.shape.image.width == 5);
  CHECK(found.network.parameters.empty());
}

TEST_CASE("a damaged description or one of another version is refused with the file's name") {
  const std::string whole = saved_model_record(mlp());
  const auto refused = [](const std::string& record) {
    CHECK_THROWS_WITH(parse_saved_model_record(record, "model.pt"),
                      ContainsSubstring("model file 'model.pt' is damaged or from another version of sheaf"));
  };
  refused("");
  refused(whole.substr(0, whole.size() - 1));
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string record = whole;
    return record.replace(record.find(from), from.size(), to);
  };
  refused(changed("model.kind = mlp", "model.mind = mlp"));
  refused(changed("model.kind = mlp", "model.kind = mpl"));
  refused(changed("features = 3", "features = 4"));
  CHECK_THROWS_WITH(parse_saved_model_record(changed("features = 3", "features = x"), "model.pt"),
                    ContainsSubstring("('x' is not a valid number of features or outputs)"));
  refused(changed("outputs = 2", "outputs = 0"));
  refused(changed("outputs = 2", "#utputs = 2"));
  SavedModel trained = mlp();
  trained.scaling.scale.pop_back();
  refused(saved_model_record(trained));
}

TEST_CASE("a file without a description gives none, and a missing file is an error") {
  write("text.pt", "no module");
  CHECK_FALSE(read_saved_model_record("text.pt"));
  write("nothing.pt", "");
  CHECK_FALSE(read_saved_model_record("nothing.pt"));
  CHECK_THROWS_WITH(read_saved_model_record("absent.pt"),
                    "File 'absent.pt' cannot be read (No such file or directory). Check its name and permissions.");
  CHECK_THROWS_WITH(read_saved_model_record("."), ContainsSubstring("is a directory"));
}

TEST_CASE("the record of a model with an embedding has its edges") {
  SavedModel trained = mlp();
  trained.description.model.embedding = Embedding::piecewise;
  trained.description.data.columns = {number_column("a"), text_column("b", {"x", "y"})};
  trained.description.shape.features = 2;
  trained.description.shape.kinds = feature_kinds(trained.description.data.columns, 2);
  trained.scaling = {};
  const auto layers = network_layout(trained.description.model, trained.description.shape);
  trained.network.parameters.assign(static_cast<std::size_t>(parameter_count(layers)), 0.5f);
  trained.scaling.edges.assign(max_edges, std::numeric_limits<float>::infinity());
  trained.scaling.edges[0] = 1;
  const SavedModel found = parse_saved_model_record(saved_model_record(trained), "m");
  CHECK(found.description.model.embedding == Embedding::piecewise);
  CHECK(category_features(found.description.shape.kinds) == std::vector<std::int64_t>{1});
  CHECK(found.scaling.edges == trained.scaling.edges);
  CHECK(found.network.parameters == trained.network.parameters);
  trained.scaling.edges.pop_back();
  CHECK_THROWS_WITH(parse_saved_model_record(saved_model_record(trained), "m"),
                    ContainsSubstring("its parameters or scaling do not match its description"));
}

TEST_CASE("a model of an older version fills empty cells, and one of this version also has an input for them") {
  SavedModel old = mlp();
  old.description.data.columns = number_columns({"a", "b", "c"});
  old.description.data.columns[1].has_empty_cells = true;
  old.scaling.fill = {1, 2, 3};
  const SavedModel found = parse_saved_model_record(saved_model_record(old), "old.pt");
  CHECK(found.scaling.fill == old.scaling.fill);
  CHECK(features_that_may_be_empty(network_layout(found.description.model, found.description.shape)).empty());

  SavedModel marked = old;
  marked.description.shape.kinds = feature_kinds(marked.description.data.columns, 3);
  const auto layers = network_layout(marked.description.model, marked.description.shape);
  marked.network.parameters.assign(static_cast<std::size_t>(parameter_count(layers)), 0.5f);
  marked.scaling = scaling_for(layers, marked.scaling);
  const SavedModel again = parse_saved_model_record(saved_model_record(marked), "new.pt");
  CHECK(again.scaling.replacements[1] == marked.scaling.replacements[1]);
  CHECK(again.network.parameters == marked.network.parameters);
  marked.scaling.replacements.pop_back();
  CHECK_THROWS_WITH(parse_saved_model_record(saved_model_record(marked), "new.pt"), ContainsSubstring("do not match"));
}

// SPDX-License-Identifier: MIT
#include "commands/train/prepare/data_defaults.hpp"

#include "study/key_defaults.hpp"
#include "study/settings.hpp"
#include "support/catch.hpp"

using namespace sheaf;

namespace {

FileSchema file_with(NumberClass number_class, std::int64_t columns, std::int64_t rows = 1000) {
  FileSchema file;
  file.targets.number_class = number_class;
  file.target_columns = columns;
  file.rows = rows;
  file.feature_count = 5;
  return file;
}

FileSchema table_of(std::int64_t rows) {
  return file_with(NumberClass::real, 1, rows);
}

FileSchema images_of(std::int64_t channels, std::int64_t height, std::int64_t width) {
  FileSchema file = file_with(NumberClass::integer, 1);
  file.layout.image = {channels, height, width};
  file.feature_count = channels * height * width;
  return file;
}

Study with(const std::vector<std::pair<std::string, std::string>>& settings) {
  Study study;
  for (const auto& [key, text] : settings) apply_setting(study, key, text);
  return study;
}

Study searching(const std::string& key, const std::vector<std::string>& candidates, Study study = {}) {
  study.search.method = SearchMethod::grid;
  study.search.keys = {{key, candidates}};
  return study;
}

using Widths = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("one integer per row means classification; other targets mean regression") {
  const Study classes = with_data_defaults({}, file_with(NumberClass::integer, 1));
  CHECK(classes.data.task == Task::classification);
  CHECK(classes.train.loss == LossKind::cross_entropy);
  const Study numbers = with_data_defaults({}, file_with(NumberClass::real, 1));
  CHECK(numbers.data.task == Task::regression);
  CHECK(numbers.train.loss == LossKind::mse);
  CHECK(with_data_defaults({}, file_with(NumberClass::integer, 2)).data.task == Task::regression);
}

TEST_CASE("several labels per row are trained with a probability for each") {
  FileSchema file = file_with(NumberClass::real, 3);
  file.coding = TargetCoding::multilabel;
  const Study labels = with_data_defaults({}, file);
  CHECK(labels.data.task == Task::multilabel);
  CHECK(labels.train.loss == LossKind::bce);
  CHECK(labels.data.normalize_targets == automatic);  // has no effect
  CHECK(score_metric(labels).kind == MetricKind::accuracy);
}

TEST_CASE("data.classes means classification, also for synthetic data") {
  Study study;
  CHECK(with_data_defaults(study, std::nullopt).data.task == Task::regression);
  study.data.classes = 3;
  CHECK(with_data_defaults(study, std::nullopt).data.task == Task::classification);
  CHECK(with_data_defaults(study, file_with(NumberClass::real, 1)).data.task == Task::classification);
}

TEST_CASE("values that are set stay, and the loss follows from the task") {
  Study study;
  study.data.task = Task::regression;
  const Study settled = with_data_defaults(study, file_with(NumberClass::integer, 1));
  CHECK(settled.data.task == Task::regression);
  CHECK(settled.train.loss == LossKind::mse);
  study.train.loss = LossKind::bce;
  study.data.task = automatic;
  CHECK(with_data_defaults(study, file_with(NumberClass::integer, 1)).train.loss == LossKind::bce);

  const Study set = with({{"model.kind", "linear"},
                          {"data.normalize", "none"},
                          {"data.normalize_targets", "none"},
                          {"data.validation", "0"},
                          {"train.epochs", "3"},
                          {"train.learning_rate", "0.5"},
                          {"run.models", "none"}});
  const Study same = with_data_defaults(set, table_of(100));
  CHECK(data_defaults_text(set, same) == "data.task = regression, train.loss = mse");
  CHECK(data_defaults_text(same, same).empty());
}

TEST_CASE("vectors get an mlp, and images a cnn with at least one convolution and more while the side allows") {
  const Study table = with_data_defaults({}, table_of(100));
  CHECK(table.model.kind == ModelKind::mlp);
  CHECK(table.model.hidden == hidden_widths(table.model));
  CHECK_FALSE(table.model.channels);
  const auto channels = [](const FileSchema& file) {
    const Study study = with_data_defaults({}, file);
    CHECK(study.model.kind == ModelKind::cnn);
    return study.model.channels.value();
  };
  CHECK(channels(images_of(1, 2, 9)) == Widths{16});
  CHECK(channels(images_of(1, 8, 8)) == Widths{16});
  CHECK(channels(images_of(1, 15, 40)) == Widths{16});
  CHECK(channels(images_of(1, 28, 28)) == Widths{16, 32});
  CHECK(channels(images_of(3, 32, 32)) == Widths{16, 32, 64});
  CHECK(channels(images_of(3, 224, 224)) == Widths{16, 32, 64, 128, 128});
  CHECK(with_data_defaults({}, images_of(1, 1, 64)).model.kind == ModelKind::mlp);
  CHECK(with_data_defaults(with({{"model.channels", "8"}}), images_of(1, 8, 8)).model.kind == ModelKind::cnn);
  CHECK(with_data_defaults(with({{"model.kind", "resnet18"}}), images_of(3, 32, 32)).model.kind == ModelKind::resnet18);
}

TEST_CASE(
    "tables are scaled robustly, bytes of images to 0..1, other images to mean 0; scaled files and modules of the user "
    "are left as they are") {
  const auto normalize = [](const Study& study, const std::optional<FileSchema>& file) {
    return with_data_defaults(study, file).data.normalize;
  };
  CHECK(normalize({}, table_of(100)) == Normalize::robust);
  FileSchema bytes = images_of(1, 8, 8);
  bytes.features.is_bytes = true;
  CHECK(normalize({}, bytes) == Normalize::minmax);
  CHECK(normalize({}, images_of(1, 8, 8)) == Normalize::standard);
  CHECK(normalize({}, std::nullopt) == Normalize::none);
  FileSchema scaled = table_of(100);
  scaled.description.preprocessing = "standard";
  CHECK(normalize({}, scaled) == Normalize::none);
  CHECK(normalize(with({{"model.kind", "torchscript:net.pt"}}), table_of(100)) == Normalize::none);
  CHECK(normalize(with({{"model.kind", "plugin:net.so"}}), table_of(100)) == Normalize::none);
  CHECK(normalize(searching("model.kind", {"mlp", "torchscript:net.pt"}), table_of(100)) == Normalize::none);
  CHECK(normalize(searching("model.kind", {"mlp", "linear"}), table_of(100)) == Normalize::robust);
}

TEST_CASE("targets of a regression are scaled if the last layer is known to have a bias") {
  const auto normalized = [](const Study& study, const std::optional<FileSchema>& file) {
    return with_data_defaults(study, file).data.normalize_targets == NormalizeTargets::standard;
  };
  CHECK(normalized({}, table_of(100)));
  CHECK_FALSE(normalized({}, std::nullopt));
  CHECK_FALSE(normalized({}, file_with(NumberClass::integer, 1)));
  CHECK_FALSE(normalized(with({{"model.bias", "no"}}), table_of(100)));
  CHECK_FALSE(normalized(searching("model.bias", {"true", "false"}), table_of(100)));
  CHECK_FALSE(normalized(with({{"model.kind", "torchscript:net.pt"}}), table_of(100)));
}

TEST_CASE("a tenth of a file is held out unless it is tiny or there are folds") {
  CHECK(with_data_defaults({}, table_of(20)).data.validation == 0.1);
  CHECK(with_data_defaults({}, table_of(19)).data.validation == 0.0);
  CHECK(with_data_defaults({}, std::nullopt).data.validation == 0.0);
  CHECK(with_data_defaults(with({{"study.iterations", "1000"}}), table_of(100)).data.validation == 0.1);
  CHECK(with_data_defaults(with({{"study.iterations", "1001"}}), table_of(100)).data.validation == 0.0);
  Study folds = searching("train.learning_rate", {"0.1", "0.01"});
  folds.search.folds = 3;
  CHECK_FALSE(with_data_defaults(folds, table_of(100)).data.validation);
}

TEST_CASE("a file of groups, folds or times settles its key, and given folds those of the search") {
  FileSchema file = table_of(1000);
  Study settled = with_data_defaults({}, file);
  CHECK(setting_text(settled, "data.groups") == "none");
  CHECK(setting_text(settled, "data.folds") == "none");
  CHECK(setting_text(settled, "data.time") == "none");
  CHECK(settled.search.folds == 1);
  CHECK(settled.search.method == SearchMethod::none);
  CHECK(setting_text(with_data_defaults({}, std::nullopt), "data.groups") == "auto");
  file.marks = {MarkKind::groups, "/groups", {}};
  CHECK(with_data_defaults({}, file).data.groups == "/groups");
  file.marks = {MarkKind::times, file_order, {}};
  CHECK(with_data_defaults({}, file).data.time == "file_order");
  file.marks = {MarkKind::folds, "/folds", {}, 7};
  settled = with_data_defaults({}, file);
  CHECK(settled.data.folds == "/folds");
  CHECK(settled.search.folds == 7);
  CHECK(settled.search.method == SearchMethod::grid);
  CHECK_FALSE(settled.data.validation.has_value());
  Study halving;
  halving.search.method = SearchMethod::halving;
  CHECK(with_data_defaults(halving, file).search.method == SearchMethod::halving);
  Study racing;
  racing.search.racing = Racing::certain;
  CHECK(with_data_defaults(racing, file).search.batch == 8);
  CHECK(with_data_defaults(racing, table_of(100)).search.batch == 0);
  CHECK(with_data_defaults(with({{"search.method", "tpe"}, {"search.trials", "200"}}), file).search.batch == 20);
}

TEST_CASE("with a validation file, no other rows are held out, and its rows decide about early stopping") {
  const auto settled = [](std::int64_t rows) {
    FileSchema file = table_of(1000);
    file.held_out.push_back(table_of(rows));
    file.held_out.back().use = RowUse::validation;
    return with_data_defaults(with({{"data.validation_file", "valid.h5"}}), file);
  };
  CHECK_FALSE(settled(149).data.validation.has_value());
  CHECK(settled(149).train.patience == 0);
  CHECK(settled(150).train.patience == 20);
  CHECK(settled(150).train.best_weights == true);
  CHECK(settled(400).train.epochs == 2 * settled(399).train.epochs);  // all rows of the data file are trained on
}

TEST_CASE("a test saves the best model of any number of iterations") {
  Study study;
  study.study.iterations = 1000000;
  CHECK(with_data_defaults(study, table_of(1000)).run.models == ModelsSaved::none);
  study.data.test = 0.1;
  CHECK(with_data_defaults(study, table_of(1000)).run.models == ModelsSaved::best);
  study.data.test = 0;
  study.data.test_file = "test.h5";
  CHECK(with_data_defaults(study, table_of(1000)).run.models == ModelsSaved::best);
}

TEST_CASE("the learning rate follows from the optimizer of each trial") {
  CHECK(with_data_defaults({}, table_of(100)).train.learning_rate == 0.001);
  CHECK(with_data_defaults(with({{"train.optimizer", "sgd"}}), table_of(100)).train.learning_rate == 0.01);
  const Study settled = with_data_defaults(searching("train.optimizer", {"sgd", "adam"}), table_of(100));
  CHECK_FALSE(settled.train.learning_rate);
  TrainOptions train = settled.train;
  CHECK(initial_learning_rate(train) == 0.001);
  train.optimizer = OptimizerKind::sgd;
  CHECK(initial_learning_rate(train) == 0.01);
}

TEST_CASE("keys that depend on a searched kind of model fit each of its candidates") {
  const Study settled = with_data_defaults(searching("model.kind", {"linear", "mlp", "cnn"}), images_of(1, 8, 8));
  CHECK(settled.model.channels == Widths{16});
  ModelOptions model = settled.model;
  model.kind = ModelKind::mlp;
  CHECK(hidden_widths(model).size() > 0);
  model.kind = ModelKind::cnn;
  CHECK(hidden_widths(model).empty());
}

TEST_CASE("the base value of a searched key stays auto") {
  for (const char* key : {"train.learning_rate", "train.epochs", "model.hidden", "model.channels"}) {
    const Study asked = searching(key, {"1", "2"}, with({{"model.kind", "cnn"}}));
    CHECK(setting_text(with_data_defaults(asked, images_of(1, 8, 8)), key) == "auto");
  }
  CHECK(with_data_defaults(searching("train.loss", {"mse"}), table_of(100)).train.loss == automatic);
  CHECK(with_data_defaults(searching("model.kind", {"mlp", "linear"}), table_of(100)).model.kind == automatic);
}

TEST_CASE("early stopping is chosen if many rows are held out and the number of epochs is not given") {
  const auto chosen = [](const FileSchema& file, const Study& study = {}) {
    const Study settled = with_data_defaults(study, file);
    CHECK(settled.train.best_weights == (settled.train.patience != 0));
    return *settled.train.patience;
  };
  CHECK(chosen(table_of(1500)) == 20);
  CHECK(chosen(table_of(1490)) == 0);
  CHECK(chosen(table_of(1490), with({{"data.validation", "0.2"}})) == 20);
  CHECK(chosen(table_of(1490), with({{"train.patience", "3"}})) == 3);
  CHECK(chosen(table_of(1500), with({{"data.validation", "0"}})) == 0);
  CHECK(chosen(table_of(1500), with({{"train.epochs", "50"}})) == 0);
  CHECK(chosen(table_of(1500), with({{"search.folds", "5"}})) == 0);
  CHECK(chosen(table_of(1500), with({{"data.mode", "streamed"}})) == 0);
  CHECK(
      with_data_defaults(with({{"train.best_weights", "true"}, {"train.epochs", "9"}}), table_of(99)).train.patience ==
      0);
  CHECK(with_data_defaults({}, std::nullopt).train.patience == 0);
}

TEST_CASE("with a schedule that ends near 0, the best weights are kept without early stopping") {
  for (const auto& [schedule, patience] :
       {std::pair("cosine", 0), {"linear", 0}, {"one_cycle", 0}, {"coslog", 0}, {"step", 20}, {"plateau", 20}}) {
    const Study settled = with_data_defaults(with({{"train.schedule", schedule}}), table_of(1500));
    CHECK(settled.train.patience == patience);
    CHECK(settled.train.best_weights == true);
    CHECK(with_data_defaults(with({{"train.schedule", schedule}}), table_of(1000)).train.best_weights == false);
  }
  CHECK(with_data_defaults(searching("train.schedule", {"constant", "cosine"}), table_of(1500)).train.patience == 0);
}

TEST_CASE("MLPs on few rows have weight decay, unless the epochs are given or the training stops early") {
  const auto decay = [](const FileSchema& file, const Study& study = {}) {
    return with_data_defaults(study, file).train.weight_decay;
  };
  CHECK(decay(table_of(1000)) == 0.002);
  CHECK(decay(table_of(1110)) == 0.002);  // 999 of them are trained on
  CHECK(decay(table_of(1112)) == 0);
  CHECK(decay(table_of(1240), with({{"search.folds", "5"}})) == 0.002);
  CHECK(decay(table_of(1260), with({{"search.folds", "5"}})) == 0);
  CHECK(decay(table_of(1000), with({{"train.epochs", "50"}})) == 0);
  CHECK(decay(table_of(1000), with({{"train.patience", "5"}})) == 0);
  CHECK(decay(table_of(1000), with({{"model.kind", "linear"}})) == 0);
  CHECK(decay(table_of(1000), with({{"train.weight_decay", "0.1"}})) == 0.1);
  CHECK(with_data_defaults({}, std::nullopt).train.weight_decay == 0);
  CHECK_FALSE(decay(table_of(1000), searching("train.weight_decay", {"0", "1"})));
}

TEST_CASE("fewer rows are trained for more epochs, within limits") {
  const auto epochs = [](const FileSchema& file, const Study& study = {}) {
    return with_data_defaults(study, file).train.epochs;
  };
  CHECK(epochs(table_of(20)) == 200);
  CHECK(epochs(table_of(1)) == 200);
  CHECK(epochs(table_of(10'000'000)) == 20);
  CHECK(epochs(table_of(10'000'000), with({{"train.patience", "none"}})) == 10);
  CHECK(epochs(table_of(3990)) == 35);  // 230 / 113^0.4; 399 rows are held out
  CHECK(epochs(table_of(4000)) == 70);
  CHECK(epochs(table_of(1000)) == 60);  // 230 / 29^0.4
  CHECK(epochs(table_of(1000), with({{"train.batch_size", "full"}})) == 200);
}

TEST_CASE("the best model of a file is saved, unless there are too many iterations") {
  const auto models = [](const Study& study, const std::optional<FileSchema>& file) {
    return with_data_defaults(study, file).run.models;
  };
  CHECK(models({}, table_of(100)) == ModelsSaved::best);
  CHECK(models({}, std::nullopt) == ModelsSaved::none);
  CHECK(models(with({{"study.iterations", "1000"}}), table_of(100)) == ModelsSaved::best);
  CHECK(models(with({{"study.iterations", "1001"}}), table_of(100)) == ModelsSaved::none);
  CHECK(models(with({{"study.iterations", "600"}, {"ensemble.members", "2"}}), table_of(100)) == ModelsSaved::none);
  for (const char* count : {"100", "101"})  // of unknown size, perhaps 100 MB each
    CHECK(models(with({{"model.kind", "plugin:net.so"}, {"study.iterations", count}}), table_of(100)) ==
          (count == std::string("100") ? ModelsSaved::best : ModelsSaved::none));
  CHECK(models(with({{"run.models", "all"}}), table_of(100)) == ModelsSaved::all);
  // 44 MB each
  const Study large = with({{"model.kind", "resnet18"}, {"study.iterations", "200"}});
  CHECK(models(large, images_of(3, 32, 32)) == ModelsSaved::best);
  CHECK(models(with({{"model.kind", "resnet18"}, {"study.iterations", "400"}}), images_of(3, 32, 32)) ==
        ModelsSaved::none);
}

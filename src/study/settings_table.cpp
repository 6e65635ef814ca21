// SPDX-License-Identifier: MIT
#include "study/settings_table.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "study/value_types.hpp"

namespace sheaf {
namespace {

// Limits whose product, in bytes, fits into 64 bits.
constexpr std::int64_t most_rows = 1000000000000;
constexpr std::int64_t most_columns = 1000000;

bool positive(double value) {
  return value > 0;
}

bool not_negative(double value) {
  return value >= 0;
}

bool below_one(double value) {
  return value >= 0 && value < 1;
}

const char* const below_one_in_words = "number >= 0 and < 1";

// Whether results may depend on a key. Results do not depend on where and how a run executes, on the study's name, or
// on the path of a file (its content has a fingerprint). run.threads and run.device only affect the last digits, and
// only with LibTorch, so a resumed run may change these keys.
enum class Decides { results, no_results };

template <class Value>
constexpr ValueKind kind_of() {
  if (std::is_same_v<Value, bool>) return ValueKind::flag;
  if (std::is_integral_v<Value>) return ValueKind::integer;
  return std::is_floating_point_v<Value> ? ValueKind::number : ValueKind::text;
}

// Adds the settings of one section to the table. By default a key decides results. Keys of [run] must pass `decides`,
// because most of them do not.
template <class Options>
class Section {
 public:
  Section(std::vector<Setting>& table, std::string name, Options Study::*options)
      : table_(table), name_(std::move(name)), options_(options) {}

  template <class Value>
  void add(const std::string& name, Value Options::*value, const ValueType<Value>& type, const std::string& help) {
    static_assert(!std::is_same_v<Options, RunOptions>, "Pass whether the key decides results.");
    add(name, value, type, help, Decides::results);
  }

  template <class Value>
  void add(const std::string& name, Value Options::*value, const ValueType<Value>& type, const std::string& help,
           Decides decides, PathKind path = PathKind::none) {
    add(
        name, type, [=](const Options& options) { return options.*value; },
        [=](Options& options, const Value& read) { options.*value = read; }, help, decides, path);
  }

  /// For a value that is stored in several members: get(options) returns it, set(options, value) stores it.
  template <class Value, class Get, class Set>
  void add(const std::string& name, const ValueType<Value>& type, Get get, Set set, const std::string& help,
           Decides decides, PathKind path) {
    const auto options = options_;
    Setting setting;
    setting.decides_results = decides == Decides::results;
    setting.path = path;
    setting.kind = kind_of<Value>();
    setting.allowed = type.allowed;
    setting.names = type.names;
    setting.setter = [=](const std::string& text) -> SetValue {
      const auto read = type.read(text);
      if (!read) return {};
      return [=, value = *read](Study& study) { set(study.*options, value); };
    };
    setting.text = [=](const Study& study) { return type.write(get(study.*options)); };
    setting.info = {name_ + "." + name, type.values, setting.text(Study{}), help};
    table_.push_back(std::move(setting));
  }

 private:
  std::vector<Setting>& table_;
  std::string name_;
  Options Study::*options_;
};

void add_study(std::vector<Setting>& table) {
  Section<StudyOptions> study(table, "study", &Study::study);
  study.add("name", &StudyOptions::name, directory_name(), "Name of the results and of the run directory, runs/<name>.",
            Decides::no_results);
  study.add("seed", &StudyOptions::seed, any_unsigned_integer(), "Seed of all random numbers.");
  study.add("iterations", &StudyOptions::iterations, integer(1, most_iterations),
            "Independent repeats of the whole study, each with its own random numbers.");
}

void add_data(std::vector<Setting>& table) {
  Section<DataOptions> data(table, "data", &Study::data);
  data.add("source", &DataOptions::source,
           choice<DataSource>({{"file", DataSource::file}, {"synthetic", DataSource::synthetic}}),
           "Source of the rows: an HDF5 file, or random numbers.");
  data.add("file", &DataOptions::file, text(), "HDF5 file, relative to the folder of the study file.",
           Decides::no_results, PathKind::input);
  data.add("features", &DataOptions::features, non_empty_text(), "Data set of the features in the file, [rows, ...].");
  data.add("targets", &DataOptions::targets, non_empty_text(),
           "Data set of the targets in the file, [rows] or [rows, outputs].");
  data.add("weights", &DataOptions::weights, text(),
           "Data set of sample weights in the file, [rows]; empty: all weights are 1. A weight multiplies the training "
           "loss of its row; the mean over a batch is the weighted sum divided by the number of rows.");
  data.add("task", &DataOptions::task,
           choice<Task>(
               {{"auto", Task::automatic}, {"classification", Task::classification}, {"regression", Task::regression}}),
           "Classification (labels 0, 1, 2, ...) or regression (numbers); auto: classification if the targets are "
           "integers, one per row; synthetic data: if data.classes is set.");
  data.add("classes", &DataOptions::classes, integer_or("auto", 2, most_columns),
           "Number of classes; auto: the number of class names in the file, otherwise its highest label + 1.");
  data.add(
      "normalize", &DataOptions::normalize,
      choice<Normalize>({{"none", Normalize::none},
                         {"standard", Normalize::standard},
                         {"minmax", Normalize::minmax},
                         {"robust", Normalize::robust}}),
      "Scaling of each feature, computed from the training rows; standard: mean 0 and standard deviation 1; minmax: "
      "range 0 to 1; robust: columns with two values become 0 and 1, others are centered on their median, divided by "
      "their "
      "interquartile range, and outliers are clipped smoothly to (-3, 3).");
  data.add("validation", &DataOptions::validation, number(below_one_in_words, below_one),
           "Fraction of the rows held out for validation. Not allowed with search.folds.");
  data.add("image", &DataOptions::image, image_shape(),
           "Image shape of a row, channels x height x width; auto: the shape in the file.");
  data.add("channels", &DataOptions::channels,
           choice<std::optional<ChannelOrder>>(
               {{"auto", std::nullopt}, {"first", ChannelOrder::first}, {"last", ChannelOrder::last}}),
           "Image layout in the file: channels first, [N, C, H, W], or last, [N, H, W, C]; auto: by the attribute "
           "`channels` of the features, otherwise by the dimension of size 1 to 4.");
  data.add(
      "mode", &DataOptions::mode,
      choice<DataMode>({{"auto", DataMode::automatic}, {"memory", DataMode::memory}, {"streamed", DataMode::streamed}}),
      "memory: load all rows once per node; streamed: read them in every epoch; auto: stream files that do not fit "
      "into data.memory.");
  data.add("memory", &DataOptions::memory_mib, integer_or("auto", 1, most_rows),
           "Memory for the rows per node, in MiB; auto: files larger than half of the node's memory are streamed, "
           "using up to 384 MiB.");
  data.add("window", &DataOptions::window, integer_or("auto", 1, most_rows),
           "Streamed: number of rows that are shuffled together; auto: 64 MiB of rows, more for large chunks. Memory "
           "not needed for windows may be used to keep part of the file between epochs.");
  data.add("read_ahead", &DataOptions::read_ahead, integer(1, 64), "Streamed: number of windows to read ahead.");
}

void add_synthetic_data(std::vector<Setting>& table) {
  Section<DataOptions> data(table, "data", &Study::data);
  data.add("rows", &DataOptions::rows, integer(1, most_rows), "Synthetic: number of rows.");
  data.add("columns", &DataOptions::columns, integer(1, most_columns), "Synthetic: number of features.");
  data.add("outputs", &DataOptions::outputs, integer(1, most_columns), "Synthetic regression: number of targets.");
  data.add("distribution", &DataOptions::distribution,
           choice<Distribution>({{"normal", Distribution::normal}, {"uniform", Distribution::uniform}}),
           "Synthetic: distribution of the features; normal: mean 0 and standard deviation 1; uniform: 0 to 1.");
  data.add("relation", &DataOptions::relation,
           choice<Relation>({{"independent", Relation::independent}, {"linear", Relation::linear}}),
           "Synthetic. independent: targets are random, unrelated to the features; linear: targets are computed from "
           "the features.");
  data.add("noise", &DataOptions::noise, number("number >= 0", not_negative),
           "Synthetic: standard deviation of the noise on a linear relation.");
  data.add("draw", &DataOptions::draw, choice<Draw>({{"iteration", Draw::iteration}, {"study", Draw::study}}),
           "Synthetic. iteration: new rows for each iteration; study: one data set for all iterations.");
}

void add_model(std::vector<Setting>& table) {
  Section<ModelOptions> model(table, "model", &Study::model);
  model.add(
      "kind", model_source(),
      [](const ModelOptions& options) {
        return ModelSource{options.kind, options.file};
      },
      [](ModelOptions& options, const ModelSource& source) {
        options.kind = source.kind;
        options.file = source.file;
      },
      "Network. linear: one dense layer; mlp: dense layers; cnn: convolutions, then dense layers; resnet18, resnet50: "
      "residual networks (He et al. 2016); torchscript: a module saved with torch.jit; plugin: a C++ module "
      "(jobs/plugin). The file is relative to the folder of the study file.",
      Decides::results, PathKind::input);
  model.add("hidden", &ModelOptions::hidden, layer_widths(), "mlp, cnn: widths of the hidden dense layers.");
  model.add("channels", &ModelOptions::channels, layer_widths(), "cnn: output channels of each convolution.");
  model.add("kernel", &ModelOptions::kernel, odd_integer(1, 99), "cnn: side length of the kernels, in pixels.");
  model.add("stem", &ModelOptions::stem,
            choice<Stem>({{"auto", Stem::automatic}, {"small", Stem::small}, {"imagenet", Stem::imagenet}}),
            "resnet: first layers. imagenet: 7x7 convolution with stride 2 and max pooling, as in torchvision; small: "
            "3x3 convolution with stride 1, without pooling, as for CIFAR; auto: small if the shorter image side is "
            "less than 64 pixels.");
  model.add("activation", &ModelOptions::activation,
            choice<Activation>({{"relu", Activation::relu},
                                {"tanh", Activation::tanh},
                                {"sigmoid", Activation::sigmoid},
                                {"gelu", Activation::gelu}}),
            "Activation after each layer except the last; resnet: wherever the original network has ReLU.");
  model.add("dropout", &ModelOptions::dropout, number(below_one_in_words, below_one),
            "Dropout probability after each hidden dense layer.");
  model.add("bias", &ModelOptions::bias, flag(), "Layers have a bias; resnet: the dense layer only.");
  model.add("initialization", &ModelOptions::initialization,
            choice<Initialization>({{"pytorch", Initialization::pytorch},
                                    {"glorot", Initialization::glorot},
                                    {"he", Initialization::he},
                                    {"zeros", Initialization::zeros}}),
            "Initial weights: the defaults of PyTorch, Glorot uniform (as in Keras), He, or zeros. Batch norms start "
            "with weight 1 and bias 0.");
  model.add("keep_weights", &ModelOptions::keep_weights, flag(),
            "torchscript: each iteration starts from the weights in the file instead of new random ones.");
}

void add_train(std::vector<Setting>& table) {
  Section<TrainOptions> train(table, "train", &Study::train);
  train.add("epochs", &TrainOptions::epochs, integer(1), "Number of passes over the training rows.");
  train.add("batch_size", &TrainOptions::batch_size, integer_or("full", 1),
            "Rows per optimizer step; full: all training rows.");
  train.add("shuffle", &TrainOptions::shuffle, flag(), "Shuffle the rows in each epoch.");
  train.add("loss", &TrainOptions::loss,
            choice<LossKind>({{"auto", LossKind::automatic},
                              {"mse", LossKind::mse},
                              {"cross_entropy", LossKind::cross_entropy},
                              {"bce", LossKind::bce}}),
            "Training loss: mean squared error, softmax cross entropy, or one-versus-rest binary cross entropy; auto: "
            "cross_entropy for classification, mse for regression.");
  train.add("reduction", &TrainOptions::reduction,
            choice<Reduction>({{"mean", Reduction::mean}, {"sum", Reduction::sum}}),
            "Loss of a batch that is minimized: the mean of the losses of its rows, or their sum (mse, bce: the sum "
            "over rows "
            "and outputs). Reported losses are always means over rows.");
  train.add("precision", &TrainOptions::precision,
            choice<Precision>({{"float32", Precision::float32},
                               {"float64", Precision::float64},
                               {"bfloat16", Precision::bfloat16},
                               {"tf32", Precision::tf32}}),
            "Type of weights and arithmetic. float64: features and targets are still rounded to float32 when they are "
            "read. bfloat16: mixed precision as in PyTorch's autocast, with weights and optimizer in float32. tf32: "
            "float32 with TF32 products, only on GPUs. bfloat16 and tf32 need LibTorch.");
}

void add_optimizer(std::vector<Setting>& table) {
  Section<TrainOptions> train(table, "train", &Study::train);
  train.add("optimizer", &TrainOptions::optimizer,
            choice<OptimizerKind>({{"sgd", OptimizerKind::sgd},
                                   {"adam", OptimizerKind::adam},
                                   {"adamw", OptimizerKind::adamw},
                                   {"rmsprop", OptimizerKind::rmsprop}}),
            "Optimizer; its options have the same meaning as in PyTorch.");
  train.add("learning_rate", &TrainOptions::learning_rate, number("number > 0", positive), "Learning rate.");
  train.add("momentum", &TrainOptions::momentum, number(below_one_in_words, below_one), "sgd, rmsprop: momentum.");
  train.add("nesterov", &TrainOptions::nesterov, flag(), "sgd: Nesterov momentum.");
  train.add("weight_decay", &TrainOptions::weight_decay, number("number >= 0", not_negative),
            "Weight decay: an L2 penalty for sgd, adam and rmsprop, decoupled for adamw.");
  train.add("beta1", &TrainOptions::beta1, number(below_one_in_words, below_one),
            "adam, adamw: decay rate of the running mean of the gradients.");
  train.add("beta2", &TrainOptions::beta2, number(below_one_in_words, below_one),
            "adam, adamw: decay rate of the running mean of the squared gradients.");
  train.add("alpha", &TrainOptions::alpha, number(below_one_in_words, below_one),
            "rmsprop: decay rate of the running mean of the squared gradients.");
  train.add("epsilon", &TrainOptions::epsilon, number("number > 0", positive),
            "adam, adamw, rmsprop: constant added to the denominator.");
}

void add_ensemble(std::vector<Setting>& table) {
  Section<EnsembleOptions> ensemble(table, "ensemble", &Study::ensemble);
  ensemble.add("members", &EnsembleOptions::members, integer(1, most_iterations),
               "Members of each ensemble. They differ in their random numbers; their predictions are averaged.");
  ensemble.add("bootstrap", &EnsembleOptions::bootstrap, flag(),
               "Train each member on a bootstrap sample of the training rows (bagging).");
}

void add_search(std::vector<Setting>& table) {
  Section<SearchOptions> search(table, "search", &Study::search);
  search.add("method", &SearchOptions::method,
             choice<SearchMethod>({{"none", SearchMethod::none}, {"grid", SearchMethod::grid}}),
             "grid: train every combination of the candidates in [search].");
  search.add("folds", &SearchOptions::folds, integer(1, most_iterations),
             "Folds of the cross-validation of each combination; 1: no cross-validation.");
  search.add("repeats", &SearchOptions::repeats, integer(1, most_iterations),
             "Repeats of the cross-validation, each with new folds.");
  std::vector<std::pair<std::string, std::string>> metrics = {{"auto", "auto"}, {"loss", "loss"}};
  for (const auto& metric : metric_names) metrics.emplace_back(metric.name, metric.name);
  search.add("metric", &SearchOptions::metric, choice<std::string>(metrics),
             "Metric that selects the best trial and the best model; loss: the validation loss; auto: accuracy for "
             "classification, r2 for regression. Without validation rows the final loss decides.");
}

void add_run(std::vector<Setting>& table) {
  Section<RunOptions> run(table, "run", &Study::run);
  run.add("output", &RunOptions::output, text(),
          "Run directory, relative to the current directory; empty: runs/<study.name>.", Decides::no_results,
          PathKind::output);
  run.add("partition", &RunOptions::partition,
          choice<PartitionKind>({{"auto", PartitionKind::automatic},
                                 {"block", PartitionKind::block},
                                 {"cyclic", PartitionKind::cyclic},
                                 {"self", PartitionKind::self},
                                 {"guided", PartitionKind::guided},
                                 {"factoring", PartitionKind::factoring},
                                 {"weighted_factoring", PartitionKind::weighted_factoring},
                                 {"static", PartitionKind::block},
                                 {"dynamic", PartitionKind::factoring}}),
          "Assignment of iterations to lanes. block (or static) and cyclic are fixed in advance; with the others, a "
          "lane takes more iterations whenever it is free (dynamic is another name for factoring). auto: factoring, or "
          "block if one node trains one combination on streamed data.",
          Decides::no_results);
  run.add("device", &RunOptions::device,
          choice<DeviceRequest>(
              {{"auto", DeviceRequest::automatic}, {"cpu", DeviceRequest::cpu}, {"cuda", DeviceRequest::cuda}}),
          "Device of a rank; auto: a GPU if the rank has one.", Decides::no_results);
  run.add("engine", &RunOptions::engine,
          choice<EngineKind>({{"auto", EngineKind::automatic},
                              {"torch", EngineKind::torch},
                              {"native", EngineKind::native},
                              {"by_model", EngineKind::by_model}}),
          "Engine. native: linear models and MLPs on CPU cores, one thread per lane; torch: LibTorch, all models; "
          "by_model: native where possible, otherwise torch. auto decides when the run begins: torch if run.threads > "
          "1 or if the GPUs of the ranks are expected to be faster than their cores, otherwise as by_model.",
          Decides::results);
  run.add("lanes", &RunOptions::lanes, integer_or("auto", 1, 65536),
          "Lanes per rank: worker threads that train one model at a time (several on streamed data). auto: one on a "
          "GPU, otherwise one per core that is bound to the rank, or its share of those cores if other ranks are bound "
          "to them too.",
          Decides::no_results);
  run.add("threads", &RunOptions::threads, integer(1, 65536), "Threads per lane; more than 1 needs lanes = 1.",
          Decides::no_results);
  run.add("ranks_per_gpu", &RunOptions::ranks_per_gpu, integer(1, 65536),
          "Ranks that share one GPU (useful with MPS only).", Decides::no_results);
  run.add("core_lanes", &RunOptions::core_lanes, integer(0, 65536),
          "Lanes on the cores of a rank with a GPU, in addition to those on the GPU. Any lane may get any iteration, "
          "so this pays off only if a core trains nearly as fast as the GPU.",
          Decides::no_results);
  run.add("curves", &RunOptions::curves, flag(),
          "Record the training loss of each epoch and, with validation rows, the validation loss and score.",
          Decides::results);
  run.add("time_limit", &RunOptions::time_limit, time_limit(),
          "Time after which the run stops and can be resumed; auto: shortly before the end of a Slurm job. Times have "
          "units, as in 90s, 45m or 1h30m, or Slurm's format, as in 1:30:00 or 2-12:00 (days-hours:minutes). A number "
          "alone is in seconds, not in minutes as in Slurm.",
          Decides::no_results);
  run.add("checkpoint_interval", &RunOptions::checkpoint_interval, or_time(number_or("none", 0.01, 1e6)),
          "Seconds between checkpoints of a model in training.", Decides::no_results);
  run.add("network_timeout", &RunOptions::network_timeout, or_time(integer_or("none", 1, 1000000)),
          "Seconds without an answer from another host after which the run stops and can be resumed.",
          Decides::no_results);
  run.add(
      "array", &RunOptions::array, array_task(),
      "This job is task K (0 to N-1) of a job array and trains its slice of the study; auto: from Slurm's variables.",
      Decides::no_results);
  run.add("on_failure", &RunOptions::on_failure,
          choice<OnFailure>({{"continue", OnFailure::go_on}, {"stop", OnFailure::stop}}),
          "Reaction to an iteration that cannot be trained: the others continue, or the run stops.",
          Decides::no_results);
  run.add("retries", &RunOptions::retries, integer(0, 1000), "Further attempts to train an iteration that failed.",
          Decides::no_results);
  run.add("models", &RunOptions::models,
          choice<ModelsSaved>({{"none", ModelsSaved::none}, {"best", ModelsSaved::best}, {"all", ModelsSaved::all}}),
          "Trained models to save as TorchScript files: of the best trial, or of all iterations. Plugin models cannot "
          "be saved.",
          Decides::no_results);
  run.add("progress", &RunOptions::progress,
          choice<ProgressKind>({{"auto", ProgressKind::automatic},
                                {"bar", ProgressKind::bar},
                                {"lines", ProgressKind::lines},
                                {"none", ProgressKind::none}}),
          "Progress on stderr; auto: a bar on a terminal, lines elsewhere.", Decides::no_results);
  run.add(
      "log_every", &RunOptions::log_every, integer_or("auto", 1),
      "Write the loss of the running epoch to stderr after every N batches of each iteration: \"iteration 3, epoch "
      "2, batch 40: loss 0.1234\", the mean since the last line. Iterations and epochs count from 0. auto: once per "
      "minute for one training of the first rank, so not for short trainings, and not with progress = none.",
      Decides::no_results);
}

std::vector<Setting> make_table() {
  std::vector<Setting> table;
  for (const auto add : {add_study, add_data, add_synthetic_data, add_model, add_train, add_optimizer, add_ensemble,
                         add_search, add_run})
    add(table);
  return table;
}

}  // namespace

const std::vector<Setting>& settings_table() {
  static const std::vector<Setting> table = make_table();
  return table;
}

const std::vector<SettingInfo>& all_settings() {
  static const std::vector<SettingInfo> infos = [] {
    std::vector<SettingInfo> collected;
    for (const auto& setting : settings_table()) collected.push_back(setting.info);
    return collected;
  }();
  return infos;
}

const std::vector<std::string>& searchable_keys() {
  static const std::vector<std::string> keys = [] {
    std::vector<std::string> found;
    for (const auto& setting : all_settings())
      if (setting.key.rfind("model.", 0) == 0 || setting.key.rfind("train.", 0) == 0) found.push_back(setting.key);
    return found;
  }();
  return keys;
}

bool is_searchable(const std::string& key) {
  return std::find(searchable_keys().begin(), searchable_keys().end(), key) != searchable_keys().end();
}

}  // namespace sheaf

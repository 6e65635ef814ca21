// SPDX-License-Identifier: MIT
#include "study/settings_table.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "study/value_types.hpp"

namespace sheaf {
namespace {

// Rows and columns whose product, in bytes, stays well inside 64 bits.
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

// Whether iterations may depend on a key. They do not depend on where and how a run takes place, on the study's name,
// or on the path of a file, since the file's content has a fingerprint. They depend on run.threads and run.device only
// in their last digits, and only with LibTorch: these keys may change.
enum class Decides { results, no_results };

// Adds the settings of one section to the table. A key decides results unless it says otherwise; those of [run], most
// of which do not, must say.
template <class Options>
class Section {
 public:
  Section(std::vector<Setting>& table, std::string name, Options Study::*options)
      : table_(table), name_(std::move(name)), options_(options) {}

  template <class Value>
  void add(const std::string& name, Value Options::*value, const ValueType<Value>& form, const std::string& help) {
    static_assert(!std::is_same_v<Options, RunOptions>, "Say whether the key decides results.");
    add(name, value, form, help, Decides::results);
  }

  template <class Value>
  void add(const std::string& name, Value Options::*value, const ValueType<Value>& form, const std::string& help,
           Decides decides) {
    add(
        name, form, [=](const Options& options) { return options.*value; },
        [=](Options& options, const Value& read) { options.*value = read; }, help, decides);
  }

  /// For a value that several members hold: get(options) is the value, set(options, value) keeps it.
  template <class Value, class Get, class Set>
  void add(const std::string& name, const ValueType<Value>& form, Get get, Set set, const std::string& help,
           Decides decides) {
    const auto options = options_;
    Setting setting;
    setting.decides_results = decides == Decides::results;
    setting.allowed = form.allowed;
    setting.names = form.names;
    setting.setter = [=](const std::string& text) -> SetValue {
      const auto read = form.read(text);
      if (!read) return {};
      return [=, value = *read](Study& study) { set(study.*options, value); };
    };
    setting.text = [=](const Study& study) { return form.write(get(study.*options)); };
    setting.info = {name_ + "." + name, form.values, setting.text(Study{}), help};
    table_.push_back(std::move(setting));
  }

 private:
  std::vector<Setting>& table_;
  std::string name_;
  Options Study::*options_;
};

void add_study(std::vector<Setting>& table) {
  Section<StudyOptions> study(table, "study", &Study::study);
  study.add("name", &StudyOptions::name, directory_name(), "Names the results and the run directory, runs/<name>.",
            Decides::no_results);
  study.add("seed", &StudyOptions::seed, any_unsigned_integer(), "All randomness follows from it.");
  study.add("iterations", &StudyOptions::iterations, integer(1, most_iterations),
            "Independent repeats of the whole study, each with its own random numbers.");
}

void add_data(std::vector<Setting>& table) {
  Section<DataOptions> data(table, "data", &Study::data);
  data.add("source", &DataOptions::source,
           choice<DataSource>({{"file", DataSource::file}, {"synthetic", DataSource::synthetic}}),
           "Where the rows come from: read from an HDF5 file, or drawn at random.");
  data.add("file", &DataOptions::file, text(), "HDF5 file, relative to the working directory.", Decides::no_results);
  data.add("features", &DataOptions::features, non_empty_text(), "The file's data set of features, [rows, ...].");
  data.add("targets", &DataOptions::targets, non_empty_text(),
           "The file's data set of targets, [rows] or [rows, outputs].");
  data.add("weights", &DataOptions::weights, text(),
           "The file's data set of sample weights, [rows], which multiply the rows' training losses; empty: all are 1. "
           "A mean divides by the number of rows, not by the sum of their weights.");
  data.add("task", &DataOptions::task,
           choice<Task>({{"classification", Task::classification}, {"regression", Task::regression}}),
           "Whether targets are labels 0, 1, 2, ... or numbers.");
  data.add("classes", &DataOptions::classes, integer_or("auto", 2, most_columns),
           "Number of classes; auto takes the file's highest label + 1.");
  data.add(
      "normalize", &DataOptions::normalize,
      choice<Normalize>({{"none", Normalize::none}, {"standard", Normalize::standard}, {"minmax", Normalize::minmax}}),
      "Scales each feature by its training rows: standard to mean 0 and deviation 1, minmax to 0..1.");
  data.add("validation", &DataOptions::validation, number(below_one_in_words, below_one),
           "Fraction of the rows held out for validation; not together with search.folds.");
  data.add("image", &DataOptions::image, image_shape(),
           "How a network of images sees a row: channels x height x width; auto takes the file's own shape.");
  data.add("channels", &DataOptions::channels,
           choice<ChannelOrder>({{"first", ChannelOrder::first}, {"last", ChannelOrder::last}}),
           "Where the file's images have their channels: [N, C, H, W] or [N, H, W, C].");
  data.add(
      "mode", &DataOptions::mode,
      choice<DataMode>({{"auto", DataMode::automatic}, {"memory", DataMode::memory}, {"streamed", DataMode::streamed}}),
      "Whether the rows lie in memory, once a node, or are read in every epoch; auto streams files that do not fit "
      "into data.memory.");
  data.add("memory", &DataOptions::memory_mib, integer_or("auto", 1, most_rows),
           "Memory of a node for the rows, in MiB; auto takes half of what it has, streaming up to 384.");
  data.add(
      "window", &DataOptions::window, integer_or("auto", 1, most_rows),
      "Streamed: rows that are shuffled together; auto takes what mixes well, 64 MiB and more of large chunks. What "
      "windows leave of data.memory keeps part of the file, which is then read once.");
  data.add("read_ahead", &DataOptions::read_ahead, integer(1, 64),
           "Streamed: windows that are read while one is trained on.");
}

void add_synthetic_data(std::vector<Setting>& table) {
  Section<DataOptions> data(table, "data", &Study::data);
  data.add("rows", &DataOptions::rows, integer(1, most_rows), "Synthetic: number of rows.");
  data.add("columns", &DataOptions::columns, integer(1, most_columns), "Synthetic: number of features.");
  data.add("outputs", &DataOptions::outputs, integer(1, most_columns), "Synthetic regression: number of targets.");
  data.add("distribution", &DataOptions::distribution,
           choice<Distribution>({{"normal", Distribution::normal}, {"uniform", Distribution::uniform}}),
           "Synthetic: of the features; normal has mean 0 and deviation 1, uniform is on 0..1.");
  data.add("relation", &DataOptions::relation,
           choice<Relation>({{"independent", Relation::independent}, {"linear", Relation::linear}}),
           "Synthetic: whether targets are drawn like features or follow from them linearly.");
  data.add("noise", &DataOptions::noise, number("number >= 0", not_negative),
           "Synthetic: standard deviation of the noise on a linear relation.");
  data.add("draw", &DataOptions::draw, choice<Draw>({{"iteration", Draw::iteration}, {"study", Draw::study}}),
           "Synthetic: whether each iteration draws its own rows or the study draws once for all.");
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
      "The network: one dense layer; dense layers; convolutions, then dense layers; a residual network (images of less "
      "than 64 pixels on a side enter by a 3x3 convolution of stride 1, larger ones by 7x7 and max pooling); a module "
      "that Python saved with torch.jit; a C++ module of your own (jobs/plugin).",
      Decides::results);
  model.add("hidden", &ModelOptions::hidden, layer_widths(), "mlp, cnn: widths of the hidden dense layers.");
  model.add("channels", &ModelOptions::channels, layer_widths(), "cnn: output channels of each convolution.");
  model.add("kernel", &ModelOptions::kernel, odd_integer(1, 99), "cnn: side of the kernels, in pixels.");
  model.add("activation", &ModelOptions::activation,
            choice<Activation>({{"relu", Activation::relu},
                                {"tanh", Activation::tanh},
                                {"sigmoid", Activation::sigmoid},
                                {"gelu", Activation::gelu}}),
            "After each layer but the last, or each batch norm.");
  model.add("dropout", &ModelOptions::dropout, number(below_one_in_words, below_one),
            "Probability of zeroing a value after each hidden dense layer.");
  model.add("bias", &ModelOptions::bias, flag(), "Whether layers have a bias; resnet: the dense one.");
  model.add("initialization", &ModelOptions::initialization,
            choice<Initialization>({{"pytorch", Initialization::pytorch},
                                    {"glorot", Initialization::glorot},
                                    {"he", Initialization::he},
                                    {"zeros", Initialization::zeros}}),
            "Initial weights: PyTorch's default, Glorot uniform (Keras), He, or zero; batch norms start at 1 and 0.");
  model.add("keep_weights", &ModelOptions::keep_weights, flag(),
            "torchscript: whether each iteration starts from the file's weights instead of drawing its own.");
}

void add_train(std::vector<Setting>& table) {
  Section<TrainOptions> train(table, "train", &Study::train);
  train.add("epochs", &TrainOptions::epochs, integer(1), "Passes over the training rows.");
  train.add("batch_size", &TrainOptions::batch_size, integer_or("full", 1),
            "Rows of one step; full takes all of them at once.");
  train.add("shuffle", &TrainOptions::shuffle, flag(), "Whether each epoch takes the rows in a new order.");
  train.add(
      "loss", &TrainOptions::loss,
      choice<LossKind>({{"mse", LossKind::mse}, {"cross_entropy", LossKind::cross_entropy}, {"bce", LossKind::bce}}),
      "What is minimised: squared error, cross entropy of softmax, or one-versus-rest cross entropy.");
  train.add("reduction", &TrainOptions::reduction,
            choice<Reduction>({{"mean", Reduction::mean}, {"sum", Reduction::sum}}),
            "How a batch's losses, and with them its gradients, become one.");
  train.add(
      "precision", &TrainOptions::precision,
      choice<Precision>({{"float32", Precision::float32},
                         {"float64", Precision::float64},
                         {"bfloat16", Precision::bfloat16},
                         {"tf32", Precision::tf32}}),
      "Type of the weights and of the arithmetic. bfloat16: mixed precision, products and convolutions in "
      "bfloat16, weights and optimizer in float32, as PyTorch's autocast. tf32: float32 with TF32 products, where "
      "every rank has a GPU. LibTorch trains these two.");
}

void add_optimizer(std::vector<Setting>& table) {
  Section<TrainOptions> train(table, "train", &Study::train);
  train.add("optimizer", &TrainOptions::optimizer,
            choice<OptimizerKind>({{"sgd", OptimizerKind::sgd},
                                   {"adam", OptimizerKind::adam},
                                   {"adamw", OptimizerKind::adamw},
                                   {"rmsprop", OptimizerKind::rmsprop}}),
            "The update rule, with the meaning that its options have in PyTorch.");
  train.add("learning_rate", &TrainOptions::learning_rate, number("number > 0", positive), "Size of a step.");
  train.add("momentum", &TrainOptions::momentum, number(below_one_in_words, below_one), "sgd, rmsprop: momentum.");
  train.add("nesterov", &TrainOptions::nesterov, flag(), "sgd: Nesterov's form of the momentum.");
  train.add("weight_decay", &TrainOptions::weight_decay, number("number >= 0", not_negative),
            "Pull towards zero: an L2 term in sgd, adam and rmsprop, decoupled in adamw.");
  train.add("beta1", &TrainOptions::beta1, number(below_one_in_words, below_one), "adam, adamw: decay of the mean.");
  train.add("beta2", &TrainOptions::beta2, number(below_one_in_words, below_one),
            "adam, adamw: decay of the mean square.");
  train.add("alpha", &TrainOptions::alpha, number(below_one_in_words, below_one), "rmsprop: decay of the mean square.");
  train.add("epsilon", &TrainOptions::epsilon, number("number > 0", positive),
            "adam, adamw, rmsprop: added to the denominator.");
}

void add_ensemble(std::vector<Setting>& table) {
  Section<EnsembleOptions> ensemble(table, "ensemble", &Study::ensemble);
  ensemble.add("members", &EnsembleOptions::members, integer(1, most_iterations),
               "Models that differ in their random numbers alone and vote together.");
  ensemble.add("bootstrap", &EnsembleOptions::bootstrap, flag(),
               "Whether each member trains on its own bootstrap of the training rows (bagging).");
}

void add_search(std::vector<Setting>& table) {
  Section<SearchOptions> search(table, "search", &Study::search);
  search.add("method", &SearchOptions::method,
             choice<SearchMethod>({{"none", SearchMethod::none}, {"grid", SearchMethod::grid}}),
             "grid trains every combination of the candidates below.");
  search.add("folds", &SearchOptions::folds, integer(1, most_iterations),
             "Folds of the cross-validation of each combination; 1 for none.");
  search.add("repeats", &SearchOptions::repeats, integer(1, most_iterations),
             "Repeats of the cross-validation, each with folds drawn anew.");
  std::vector<std::pair<std::string, std::string>> metrics = {{"auto", "auto"}, {"loss", "loss"}};
  for (const auto& metric : metric_names) metrics.emplace_back(metric.name, metric.name);
  search.add("metric", &SearchOptions::metric, choice<std::string>(metrics),
             "What selects the best trial and model: loss is the validation loss; auto is accuracy for classification "
             "and r2 for regression. Without validation rows the final loss does.");
}

void add_run(std::vector<Setting>& table) {
  Section<RunOptions> run(table, "run", &Study::run);
  run.add("output", &RunOptions::output, text(), "Run directory; empty for runs/<study.name>.", Decides::no_results);
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
          "How iterations reach the ranks: block (also static) and cyclic in advance, the others from a common pool "
          "as ranks become free (dynamic is factoring). auto is factoring, but block where one node trains one "
          "combination on streamed data, which is then read for as many models at once as memory takes.",
          Decides::no_results);
  run.add("device", &RunOptions::device,
          choice<DeviceRequest>(
              {{"auto", DeviceRequest::automatic}, {"cpu", DeviceRequest::cpu}, {"cuda", DeviceRequest::cuda}}),
          "What a rank trains on; auto takes a GPU where there is one for the rank.", Decides::no_results);
  run.add("engine", &RunOptions::engine,
          choice<EngineKind>({{"auto", EngineKind::automatic},
                              {"torch", EngineKind::torch},
                              {"native", EngineKind::native},
                              {"by_model", EngineKind::by_model}}),
          "What trains: LibTorch; the native engine, for linear models and mlps on CPUs with one thread; or, by_model, "
          "the native engine for those and LibTorch for the others. auto is settled once, when the run is opened: "
          "torch if run.threads > 1, or on ranks with a GPU if it is expected to be faster than their cores, else "
          "native or by_model.",
          Decides::results);
  run.add("lanes", &RunOptions::lanes, integer_or("auto", 1, 65536),
          "Lanes (worker threads that train one model each) per rank. auto: one on a GPU, otherwise one per core that is "
          "bound to the rank, or its part of these cores where other ranks are bound to them.",
          Decides::no_results);
  run.add("threads", &RunOptions::threads, integer(1, 65536), "Threads inside a lane; more than 1 needs lanes = 1.",
          Decides::no_results);
  run.add("ranks_per_gpu", &RunOptions::ranks_per_gpu, integer(1, 65536),
          "Ranks that share one GPU (of use with MPS only).", Decides::no_results);
  run.add("core_lanes", &RunOptions::core_lanes, integer(0, 65536),
          "Lanes on the cores of a rank with a GPU, besides those on the GPU. Any lane may get any iteration, so they "
          "pay where a core trains nearly as fast.",
          Decides::no_results);
  run.add("curves", &RunOptions::curves, flag(),
          "Whether to keep the training loss of every epoch and, with held-out rows, the validation loss and score "
          "after it.",
          Decides::results);
  run.add(
      "time_limit", &RunOptions::time_limit, time_limit(),
      "After this time no iteration is begun, and the run stops so that it can be resumed; auto stops shortly before "
      "the end of a Slurm job.",
      Decides::no_results);
  run.add("checkpoint_interval", &RunOptions::checkpoint_interval, number_or("none", 0.01, 1e6),
          "Seconds after which a model in training is kept on the disk, between two batches.", Decides::no_results);
  run.add("network_timeout", &RunOptions::network_timeout, integer_or("none", 1, 1000000),
          "Seconds without an answer from another host after which the run stops so that it can be resumed.",
          Decides::no_results);
  run.add("array", &RunOptions::array, array_task(),
          "Which part of the study this job takes into the run directory that it shares with the others: task K of "
          "0..N-1; auto does as the variables of a Slurm job array say.",
          Decides::no_results);
  run.add("on_failure", &RunOptions::on_failure,
          choice<OnFailure>({{"continue", OnFailure::go_on}, {"stop", OnFailure::stop}}),
          "What happens to the others when an iteration cannot be trained.", Decides::no_results);
  run.add("retries", &RunOptions::retries, integer(0, 1000),
          "How often an iteration that cannot be trained is tried again.", Decides::no_results);
  run.add(
      "models", &RunOptions::models,
      choice<ModelsSaved>({{"none", ModelsSaved::none}, {"best", ModelsSaved::best}, {"all", ModelsSaved::all}}),
      "Trained models to write, as TorchScript files: those of the best trial, or of all iterations; not of plugins.",
      Decides::no_results);
  run.add("progress", &RunOptions::progress,
          choice<ProgressKind>({{"auto", ProgressKind::automatic},
                                {"bar", ProgressKind::bar},
                                {"lines", ProgressKind::lines},
                                {"none", ProgressKind::none}}),
          "Progress on stderr; auto draws a bar on a terminal and lines elsewhere.", Decides::no_results);
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

// The study: all settings of a job, as plain values with their defaults. settings.hpp has their names and ranges, and
// parses them.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sheaf {

/// The maximum number of iterations of a study: a claim packs two iteration numbers into one 64-bit word.
constexpr std::int64_t max_iterations = (std::int64_t{1} << 32) - 1;

enum class DataSource { file, synthetic };
/// In [data], [model] and [train], `automatic` and nullopt are replaced before a plan is made
/// (commands/train/data_defaults), unless a comment states otherwise.
enum class Task { classification, regression, automatic };
enum class Normalize { automatic, none, standard, minmax, robust };
enum class NormalizeTargets { automatic, none, standard };
enum class Distribution { normal, uniform };
enum class Relation { independent, linear };
enum class DataMode { automatic, memory, streamed };  ///< automatic: see settle_study
enum class ChannelOrder { first, last };
enum class Draw { iteration, study };
enum class ModelKind { automatic, linear, mlp, cnn, resnet18, resnet50, torchscript, plugin };
/// Whether the network has dense layers only, so that the native engine can train it.
constexpr bool is_dense(ModelKind kind) {
  return kind == ModelKind::linear || kind == ModelKind::mlp;
}
/// Whether the network is a module of the user, with layers that are not known.
constexpr bool is_user_module(ModelKind kind) {
  return kind == ModelKind::torchscript || kind == ModelKind::plugin;
}
constexpr bool is_residual(ModelKind kind) {
  return kind == ModelKind::resnet18 || kind == ModelKind::resnet50;
}
/// First layers of a residual network. automatic: by the image size (models/resnet_layout).
enum class Stem { automatic, small, imagenet };
enum class Activation { relu, tanh, sigmoid, gelu };
enum class Initialization { pytorch, glorot, he, zeros };
enum class OptimizerKind { sgd, adam, adamw, rmsprop };
enum class LossKind { mse, cross_entropy, bce, automatic };
enum class Reduction { mean, sum };  ///< of the loss that is minimized (training/losses/reduction.hpp)
/// Precision of weights and arithmetic. bfloat16: mixed precision, with matrix products and convolutions in bfloat16,
/// everything else in float32. tf32: float32, except that matrix products on GPUs round their inputs to 10 mantissa
/// bits.
enum class Precision { float32, float64, bfloat16, tf32 };
enum class SearchMethod { none, grid };
enum class PartitionKind { automatic, block, cyclic, self, guided, factoring, weighted_factoring };
enum class DeviceRequest { automatic, cpu, cuda };
/// by_model: the native engine for dense models, LibTorch for the others. `automatic` is replaced when a run is opened.
enum class EngineKind { automatic, torch, native, by_model };
enum class ModelsSaved { automatic, none, best, all };
enum class ProgressKind { automatic, bar, lines, none };
enum class OnFailure { go_on, stop };

/// The time limit of a job. automatic: until shortly before the time limit of the Slurm job, if there is one.
struct TimeLimit {
  enum class Kind { automatic, none, seconds };
  Kind kind = Kind::automatic;
  std::int64_t seconds = 0;
};

/// The slice of a study's iterations that a job trains. automatic: according to Slurm's array variables; without them,
/// all iterations.
struct ArrayTask {
  enum class Kind { none, automatic, fixed };
  Kind kind = Kind::none;
  std::int64_t task = 0;  ///< from 0
  std::int64_t tasks = 1;
};

/// The shape of a row as an image; all zero: not an image.
struct ImageShape {
  std::int64_t channels = 0;
  std::int64_t height = 0;
  std::int64_t width = 0;
};

struct StudyOptions {
  std::string name = "study";
  std::uint64_t seed = 0;
  std::int64_t iterations = 1;  ///< independent repeats of the whole study
};

struct DataOptions {
  DataSource source = DataSource::file;
  std::string file;                    ///< HDF5 file
  std::string features = "/features";  ///< data set [rows, ...]
  std::string targets = "/targets";    ///< data set [rows] or [rows, outputs]
  std::string weights;                 ///< data set [rows] of sample weights; empty: all weights are 1
  Task task = Task::automatic;
  std::int64_t classes = 0;  ///< number of classes; 0: that of the class names, or largest label + 1
  Normalize normalize = Normalize::automatic;
  NormalizeTargets normalize_targets = NormalizeTargets::automatic;  ///< regression
  std::optional<double> validation;  ///< fraction of the rows held out for validation; not with folds
  ImageShape image;  ///< shape of a row for convolutional networks; unset: the shape of the file's features
  /// Images in the file: N x C x H x W (first) or N x H x W x C (last). nullopt, auto: see data/row_layout; replaced
  /// when a run is opened.
  std::optional<ChannelOrder> channels;

  DataMode mode = DataMode::automatic;
  std::int64_t memory_mib = 0;  ///< memory per node for rows of a file; 0: half of the node's memory, streamed: 384
  std::int64_t window = 0;      ///< streamed: rows that are shuffled together; 0: chosen by plan_stream()
  std::int64_t read_ahead = 1;  ///< streamed: windows that are read while the models train on another one

  // synthetic source
  std::int64_t rows = 1000;
  std::int64_t columns = 10;
  std::int64_t outputs = 1;  ///< target columns of a synthetic regression
  Distribution distribution = Distribution::normal;
  Relation relation = Relation::independent;
  double noise = 0.1;  ///< standard deviation of the noise added to a linear relation
  Draw draw = Draw::iteration;
};

struct ModelOptions {
  ModelKind kind = ModelKind::automatic;
  std::string file;  ///< torchscript, plugin: file
  /// mlp, cnn: widths of the hidden dense layers. nullopt: hidden_widths() in study/key_defaults.
  std::optional<std::vector<std::int64_t>> hidden;
  std::optional<std::vector<std::int64_t>> channels;  ///< cnn: output channels of each convolution
  std::int64_t kernel = 3;                            ///< cnn: kernel size, odd
  Stem stem = Stem::automatic;                        ///< resnet18, resnet50
  Activation activation = Activation::relu;
  double dropout = 0;  ///< dropout rate after each hidden layer
  bool bias = true;
  Initialization initialization = Initialization::pytorch;
  bool keep_weights = false;  ///< torchscript: every iteration starts from the weights in the file
};

struct TrainOptions {
  std::int64_t epochs = 0;       ///< 0: auto
  std::int64_t batch_size = 32;  ///< 0: all rows in one batch
  bool shuffle = true;
  LossKind loss = LossKind::automatic;
  Reduction reduction = Reduction::mean;
  OptimizerKind optimizer = OptimizerKind::adam;
  std::optional<double> learning_rate;  ///< nullopt: initial_learning_rate() in study/key_defaults
  double momentum = 0;                  ///< sgd, rmsprop
  bool nesterov = false;                ///< sgd
  double weight_decay = 0;              ///< L2 in sgd, adam, rmsprop; decoupled in adamw
  double beta1 = 0.9;                   ///< adam, adamw
  double beta2 = 0.999;                 ///< adam, adamw
  double alpha = 0.99;                  ///< rmsprop: smoothing constant
  double epsilon = 1e-8;                ///< adam, adamw, rmsprop
  Precision precision = Precision::float32;
};

struct EnsembleOptions {
  std::int64_t members = 1;
  bool bootstrap = false;  ///< each member trains on its own bootstrap of the training rows
};

/// A searched key and its candidate values, as text that apply_setting() accepts.
struct SearchedKey {
  std::string key;  ///< e.g. "train.learning_rate"
  std::vector<std::string> candidates;
};

/// A name of the metric table (training/metrics), for the setting search.metric.
struct MetricName {
  const char* name;
  Task task;
};
inline constexpr MetricName metric_names[] = {{"accuracy", Task::classification}, {"r2", Task::regression}};

struct SearchOptions {
  SearchMethod method = SearchMethod::none;
  std::int64_t folds = 1;         ///< 1: no cross-validation
  std::int64_t repeats = 1;       ///< each repeat draws new folds
  std::string metric = "loss";    ///< ranks the trials: "loss", or a name of the metric table
  std::vector<SearchedKey> keys;  ///< in the order of the study file, then of the command line
};

struct RunOptions {
  std::string output;  ///< run directory; empty: runs/<study.name>
  PartitionKind partition = PartitionKind::automatic;
  DeviceRequest device = DeviceRequest::automatic;
  EngineKind engine = EngineKind::automatic;
  std::int64_t lanes = 0;                       ///< worker threads per rank; 0: chosen by place_rank()
  std::int64_t threads = 1;                     ///< threads per lane; more than 1 requires lanes = 1
  std::int64_t ranks_per_gpu = 1;               ///< ranks that share a GPU; more than 1 is useful with MPS only
  std::int64_t core_lanes = 0;                  ///< additional lanes on the CPU cores of a rank with a GPU
  std::optional<bool> curves;                   ///< store the losses and metrics of every epoch
  TimeLimit time_limit;                         ///< the job stops after this time
  ArrayTask array;                              ///< the job's slice of the iterations
  OnFailure on_failure = OnFailure::go_on;      ///< whether to train the other iterations when one fails
  double checkpoint_interval = 60;              ///< seconds between checkpoints of an iteration; 0: no checkpoints
  std::int64_t network_timeout = 60;            ///< seconds without a sign of life from another host; 0: no limit
  std::int64_t retries = 0;                     ///< immediate retries of a failed iteration
  ModelsSaved models = ModelsSaved::automatic;  ///< the trained models to save
  ProgressKind progress = ProgressKind::automatic;
  std::int64_t log_every = 0;  ///< batches of an iteration between lines with its loss; 0: a line per minute
};

/// All settings of one job.
struct Study {
  StudyOptions study;
  DataOptions data;
  ModelOptions model;
  TrainOptions train;
  EnsembleOptions ensemble;
  SearchOptions search;
  RunOptions run;
};

}  // namespace sheaf

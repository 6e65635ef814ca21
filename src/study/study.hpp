// The study: one job as its file and command line declare it. Plain values with their defaults; `settings.hpp` names
// each one, parses it and checks its range. Nothing else in the program reads argv or the environment for a choice.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sheaf {

/// A study has at most so many, numbered from 0: a claim packs two numbers into one 64-bit word.
constexpr std::int64_t most_iterations = (std::int64_t{1} << 32) - 1;

enum class DataSource { file, synthetic };
enum class Task { classification, regression };
enum class Normalize { none, standard, minmax };
enum class Distribution { normal, uniform };
enum class Relation { independent, linear };
enum class DataMode { automatic, memory, streamed };
enum class ChannelOrder { first, last };
enum class Draw { iteration, study };
enum class ModelKind { linear, mlp, cnn, resnet18, resnet50, torchscript, plugin };
/// Networks of dense layers alone, which the native engine takes.
constexpr bool is_dense(ModelKind kind) {
  return kind == ModelKind::linear || kind == ModelKind::mlp;
}
enum class Activation { relu, tanh, sigmoid, gelu };
enum class Initialization { pytorch, glorot, he, zeros };
enum class OptimizerKind { sgd, adam, adamw, rmsprop };
enum class LossKind { mse, cross_entropy, bce };
enum class Reduction { mean, sum };
/// Of weights and arithmetic. bfloat16: weights, losses and optimizer in float32, products and convolutions in bfloat16
/// (mixed precision). tf32: float32, whose products on GPUs round their factors to 10 bits of mantissa.
enum class Precision { float32, float64, bfloat16, tf32 };
enum class SearchMethod { none, grid };
enum class PartitionKind { automatic, block, cyclic, self, guided, factoring, weighted_factoring };
enum class DeviceRequest { automatic, cpu, cuda };
/// By model: the native engine for dense models, LibTorch for the others. Automatic is settled when a run is opened.
enum class EngineKind { automatic, torch, native, by_model };
enum class ModelsSaved { none, best, all };
enum class ProgressKind { automatic, bar, lines, none };
enum class OnFailure { go_on, stop };

/// How long a run may last. Automatic: until shortly before Slurm ends the job, if it does.
struct TimeLimit {
  enum class Kind { automatic, none, seconds };
  Kind kind = Kind::automatic;
  std::int64_t seconds = 0;
};

/// Which part of a study's iterations a job takes. Automatic: what Slurm's array variables say, the whole without them.
struct ArrayTask {
  enum class Kind { none, automatic, fixed };
  Kind kind = Kind::none;
  std::int64_t task = 0;  ///< from 0
  std::int64_t tasks = 1;
};

/// Height, width and channels of one sample seen as an image; all zero: not an image.
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
  std::string file;                    ///< HDF5 file, relative to the working directory
  std::string features = "/features";  ///< data set [rows, ...]
  std::string targets = "/targets";    ///< data set [rows] or [rows, outputs]
  std::string weights;                 ///< data set [rows] of sample weights; empty: all rows weigh 1
  Task task = Task::regression;
  std::int64_t classes = 0;  ///< number of classes; 0: highest label + 1
  Normalize normalize = Normalize::none;
  double validation = 0;  ///< fraction of the rows held out; not with folds
  ImageShape image;       ///< how a network of images sees a row; unset: the shape of the file's features
  ChannelOrder channels = ChannelOrder::first;  ///< of the file's images: N x C x H x W, or N x H x W x C

  DataMode mode = DataMode::automatic;
  std::int64_t memory_mib = 0;  ///< of a node, for a file's rows; 0: half of what it has, 384 for streaming
  std::int64_t window = 0;      ///< streamed: rows that are shuffled together; 0: as many as the memory takes
  std::int64_t read_ahead = 1;  ///< streamed: windows read while one is trained on

  // synthetic source
  std::int64_t rows = 1000;
  std::int64_t columns = 10;
  std::int64_t outputs = 1;  ///< target columns of a synthetic regression
  Distribution distribution = Distribution::normal;
  Relation relation = Relation::independent;
  double noise = 0.1;  ///< standard deviation added to a linear relation
  Draw draw = Draw::iteration;
};

struct ModelOptions {
  ModelKind kind = ModelKind::linear;
  std::string file;                    ///< torchscript, plugin: relative to the working directory
  std::vector<std::int64_t> hidden;    ///< widths of the hidden layers; a cnn's classifier may have some, too
  std::vector<std::int64_t> channels;  ///< cnn: output channels of each convolution
  std::int64_t kernel = 3;             ///< cnn: side of the (odd) kernel
  Activation activation = Activation::relu;
  double dropout = 0;  ///< after each hidden layer
  bool bias = true;
  Initialization initialization = Initialization::pytorch;
  bool keep_weights = false;  ///< torchscript: every iteration starts from the file's own weights
};

struct TrainOptions {
  std::int64_t epochs = 10;
  std::int64_t batch_size = 32;  ///< 0: all rows in one batch
  bool shuffle = true;
  LossKind loss = LossKind::mse;
  Reduction reduction = Reduction::mean;
  OptimizerKind optimizer = OptimizerKind::sgd;
  double learning_rate = 1e-2;
  double momentum = 0;      ///< sgd, rmsprop
  bool nesterov = false;    ///< sgd
  double weight_decay = 0;  ///< L2 in sgd, adam, rmsprop; decoupled in adamw
  double beta1 = 0.9;       ///< adam, adamw
  double beta2 = 0.999;     ///< adam, adamw
  double alpha = 0.99;      ///< rmsprop: smoothing
  double epsilon = 1e-8;    ///< adam, adamw, rmsprop
  Precision precision = Precision::float32;
};

struct EnsembleOptions {
  std::int64_t members = 1;
  bool bootstrap = false;  ///< each member trains on its own bootstrap of the training rows
};

/// One searched key and its candidate values, as text that `apply_setting` takes.
struct SearchedKey {
  std::string key;  ///< e.g. "train.learning_rate"
  std::vector<std::string> candidates;
};

/// A name of the metric table (training/metrics), for settings.
struct MetricName {
  const char* name;
  Task task;
};
inline constexpr MetricName metric_names[] = {{"accuracy", Task::classification}, {"r2", Task::regression}};

struct SearchOptions {
  SearchMethod method = SearchMethod::none;
  std::int64_t folds = 1;         ///< 1: no cross-validation
  std::int64_t repeats = 1;       ///< each repeat draws its folds anew
  std::string metric = "auto";    ///< that trials are ranked by: "auto", "loss", or a name of the metric table
  std::vector<SearchedKey> keys;  ///< in the order of the study file, then of the command line
};

struct RunOptions {
  std::string output;  ///< run directory; empty: runs/<study.name>
  PartitionKind partition = PartitionKind::automatic;
  DeviceRequest device = DeviceRequest::automatic;
  EngineKind engine = EngineKind::automatic;
  std::int64_t lanes = 0;                   ///< worker threads of a rank; 0: as place_rank chooses
  std::int64_t threads = 1;                 ///< threads inside a lane; more than 1 needs lanes = 1
  std::int64_t ranks_per_gpu = 1;           ///< more share one GPU (needs MPS to be of use)
  std::int64_t core_lanes = 0;              ///< lanes on the cores of a rank with a GPU, besides those on the GPU
  bool curves = false;                      ///< keep the losses and scores of every epoch
  TimeLimit time_limit;                     ///< after it no iteration is begun
  ArrayTask array;                          ///< the job's part of the study
  OnFailure on_failure = OnFailure::go_on;  ///< what an iteration that cannot be trained means for the others
  double checkpoint_interval = 60;          ///< seconds between the checkpoints of an iteration; 0: none are made
  std::int64_t network_timeout = 60;        ///< seconds that another host may be silent; 0: without limit
  std::int64_t retries = 0;                 ///< more attempts at such an iteration, at once
  ModelsSaved models = ModelsSaved::none;   ///< the trained models that are written
  ProgressKind progress = ProgressKind::automatic;
};

/// Everything that one job is told.
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

// The section [run] of a study: devices, lanes, limits and output.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "study/auto_or.hpp"
#include "study/metrics.hpp"

namespace sheaf {

enum class PartitionKind { block, cyclic, self, guided, factoring, weighted_factoring };
enum class DeviceRequest { cpu, cuda };
/// by_model: the native engine for dense models, LibTorch for the others. by_device: LibTorch on GPUs, and as by_model
/// on cores.
enum class EngineKind { torch, native, xgboost, by_model, by_device };
enum class ModelsSaved { none, best, all };
/// Predictions for the validation rows of each iteration.
enum class PredictionsKept { none, held_out };
enum class ProgressKind { bar, lines, none };
enum class OnFailure { go_on, stop };

/// The time limit of a job. by_slurm: until shortly before the time limit of the Slurm job, if there is one.
struct TimeLimit {
  enum class Kind { by_slurm, none, seconds };
  Kind kind = Kind::by_slurm;
  std::int64_t seconds = 0;
};

/// The slice of a study's iterations that a job trains. by_slurm: according to Slurm's array variables; without them,
/// all iterations.
struct ArrayTask {
  enum class Kind { none, by_slurm, fixed };
  Kind kind = Kind::none;
  std::int64_t task = 0;  ///< from 0
  std::int64_t tasks = 1;
};

/// The most models that a lane trains together. More are not faster, and some GPU kernels have a limit of 65,535.
inline constexpr std::int64_t max_stack = 1024;

/// The number of models that a lane trains together.
struct StackSize {
  std::int64_t most = 1;
  /// 0: each stack has `most` slots. Otherwise the slots follow from the shape of the models and this memory, in MiB
  /// (training/stack_width.hpp).
  std::int64_t memory_mib = 0;

  bool is_stack() const { return most > 1; }
};

inline bool operator==(const StackSize& one, const StackSize& other) {
  return one.most == other.most && one.memory_mib == other.memory_mib;
}

struct RunOptions {
  std::string output;  ///< run directory; empty: runs/<study.name>
  AutoOr<PartitionKind> partition;
  AutoOr<DeviceRequest> device;
  AutoOr<EngineKind> engine;                ///< auto: see settle_study
  std::int64_t lanes = 0;                   ///< worker threads per rank; 0: chosen by place_rank()
  std::int64_t threads = 1;                 ///< threads per lane; more than 1 requires lanes = 1
  std::optional<StackSize> stack;           ///< models that a lane trains together; nullopt: auto
  std::int64_t ranks_per_gpu = 1;           ///< ranks that share a GPU; more than 1 is useful with MPS only
  std::int64_t core_lanes = 0;              ///< additional lanes on the CPU cores of a rank with a GPU
  std::optional<bool> curves;               ///< store the losses and metrics of every epoch
  std::vector<MetricChoice> metrics;        ///< computed on validation rows, besides the score; distinct
  TimeLimit time_limit;                     ///< the job stops after this time
  ArrayTask array;                          ///< the job's slice of the iterations
  OnFailure on_failure = OnFailure::go_on;  ///< whether to train the other iterations when one fails
  double checkpoint_interval = 60;          ///< seconds between checkpoints of an iteration; 0: no checkpoints
  std::int64_t network_timeout = 60;        ///< seconds without a sign of life from another host; 0: no limit
  std::int64_t retries = 0;                 ///< immediate retries of a failed iteration
  AutoOr<ModelsSaved> models;               ///< the trained models to save
  bool refit = false;                       ///< the best trial is trained again on all rows
  AutoOr<PredictionsKept> predictions;      ///< in the results
  AutoOr<ProgressKind> progress;
  std::int64_t log_every = 0;  ///< batches of an iteration between lines with its loss; 0: a line per minute
};

}  // namespace sheaf

// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "commands/evaluate/evaluated_rows.hpp"
#include "data/import/csv_options.hpp"
#include "runs/run_reader.hpp"
#include "study/data_options.hpp"
#include "study/metrics.hpp"
#include "study/run_options.hpp"
#include "study/train_options.hpp"

namespace sheaf {

/// The kind of outputs of a classifier. auto: logits for a model that Sheaf saved, otherwise found out.
enum class OutputKind { logits, probabilities };

/// The options of an evaluation.
struct EvaluationRequest {
  std::string model;                      ///< a model file, or a run directory
  std::optional<std::int64_t> iteration;  ///< in a run directory; none: the models of `kind`
  std::optional<ModelsKind> kind;         ///< in a run directory; none: as RunReader::models()
  DataOptions data;                       ///< file (HDF5, CSV or NumPy), features, targets, classes, image, channels
  CsvOptions csv;                         ///< how a CSV file is read, without `task` and `like`
  RunOptions run;                         ///< device, engine, lanes, threads, ranks_per_gpu
  TargetsMode targets = TargetsMode::if_present;
  std::optional<Task> task;      ///< none: from the model file, otherwise from the type of the targets
  std::optional<LossKind> loss;  ///< none: from the model file, otherwise from the task
  AutoOr<OutputKind> outputs;
  std::optional<double> threshold;    ///< two classes: the positive one is predicted from this probability on
  std::string positive;               ///< of two classes: name or number; empty: the second one
  std::vector<MetricChoice> metrics;  ///< further metrics, with a parameter
  std::string predictions;            ///< CSV or HDF5 file to write; may be empty
  bool overwrite = false;             ///< replace that file
};

/// An evaluation and the format of its report.
struct EvaluateArguments {
  EvaluationRequest request;
  bool json = false;
};

}  // namespace sheaf

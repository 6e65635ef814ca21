// The report of an evaluation, as text and as JSON. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runs/results/models_kind.hpp"
#include "study/data_options.hpp"
#include "study/metrics.hpp"
#include "study/train_options.hpp"
#include "training/metrics/counts.hpp"

namespace sheaf {

/// How well predictions fit their targets.
struct Fit {
  double loss = 0;
  std::vector<MetricValue> metrics{};    ///< those of the evaluation, except those left out
  std::vector<ClassScores> classes{};    ///< [outputs] of classes or labels
  std::vector<std::int64_t> confusion;   ///< rows, not weighted, [classes, classes]: label by prediction; may be empty
  std::vector<MetricChoice> left_out{};  ///< metrics that need all rows, which do not fit into data.memory
};

struct EvaluationReport {
  std::vector<std::string> models;  ///< files; more than one: an ensemble
  std::optional<ModelsKind> kind;   ///< EvaluatedModel::kind
  std::string data;
  LossKind loss = LossKind::mse;
  std::string engine;  ///< "native", "torch (the network has convolutions)"
  std::int64_t rows = 0;
  std::int64_t outputs = 0;
  Task task = Task::regression;
  std::vector<std::string> class_names;  ///< [outputs] of classes or labels, or empty: they are numbers
  std::optional<std::int64_t> positive;  ///< class, if the request names it or a threshold
  std::optional<double> threshold;       ///< of the probability of this class, or of all labels
  std::optional<std::string> weights;    ///< data set or column of the weights of the rows
  std::optional<Fit> fit;                ///< none without targets
  std::string predictions;               ///< path of the written file; may be empty
  double seconds = 0;                    ///< of reading and predicting
  double bytes = 0;                      ///< of features, as 32-bit numbers
};

/// A readable report; it includes the confusion matrix of up to 20 classes, or a note that it was left out.
std::string evaluation_text(const EvaluationReport& report);

/// One JSON object and a line end. Numbers that are not finite become null, bytes of texts that are not UTF-8 U+FFFD.
std::string evaluation_json(const EvaluationReport& report);

}  // namespace sheaf

// The models and data of an evaluation.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "commands/evaluate/evaluated_rows.hpp"
#include "commands/evaluate/evaluation_request.hpp"
#include "data/data_description.hpp"
#include "data/import/imported_data.hpp"
#include "models/saved_model.hpp"
#include "parallel/devices/lane_device.hpp"
#include "parallel/mpi/communicator.hpp"
#include "runs/run_reader.hpp"
#include "training/metrics/evaluation_sums.hpp"

namespace sheaf {

struct EvaluatedModel {
  std::vector<OpenedModel> models;    ///< more than one: an ensemble
  std::vector<double> model_weights;  ///< [models]; empty: all are equal
  std::vector<EmptyCellFills> fills;  ///< [models]
  std::optional<ModelsKind> kind;     ///< of a run that was asked for its models; none: the request names one file
  std::unique_ptr<EvaluatedRows> rows;
  std::optional<std::string> weights;  ///< data set or column of the weights of the rows; none: all are 1
  std::optional<IdColumn> ids;         ///< on rank 0, with --id
  Scoring scoring;
  std::optional<double> threshold;        ///< the probability from which on scoring.positive, or a label, is predicted
  std::vector<MetricChoice> metrics;      ///< all that apply, and the further ones of the request
  std::vector<MetricFunction> functions;  ///< the same with the values of their parameters
  std::vector<double> target_offsets;     ///< targets and outputs are without them; empty: none
  bool gives_probabilities = false;       ///< the outputs of each model are probabilities, not logits

  /// Whether predictions are probabilities of classes or labels, not values.
  bool predicts_probabilities() const { return scoring.task != Task::regression; }
  /// Whether the rows have weights, which count in all results but the confusion matrix.
  bool has_weights() const { return weights.has_value(); }
  /// Describes the data of the training; empty for models that were not written by sheaf.
  const DataDescription& description() const;
  /// Of classes or labels, [outputs]; empty if they are not known, for example for a model that was not written by
  /// sheaf.
  std::vector<std::string> class_names() const;
  /// Of the targets of a row: one for all quantiles, otherwise one for each output.
  std::int64_t target_columns() const { return scoring.quantiles.empty() ? scoring.output_count : 1; }
  /// The columns of the features: those of the training data, otherwise those of the file; columns of numbers without
  /// names if neither is known.
  std::vector<DataColumn> columns() const;
  ReaderOptions reader_options() const { return {scoring.task, target_columns(), target_offsets}; }
};

/// Throws RunError unless all outputs for some rows are finite. Outputs of models that were not saved by Sheaf may be
/// anything. Pure.
void require_finite_outputs(bool all_finite, const EvaluatedModel& evaluated);

/// Throws RunError unless some row has a positive weight. Pure.
void require_any_weight(bool has_any, const EvaluatedModel& evaluated);

/// Targets [rows, outputs] of targets [rows, target_columns()]. For several quantiles, `repeated` gets the target of
/// each row once for each output. Pure.
const float* targets_of_outputs(const EvaluatedModel& evaluated, const float* targets, std::int64_t rows,
                                std::vector<float>& repeated);

/// Whether --outputs = auto has to find out if a model gives probabilities. Pure.
bool may_give_probabilities(const EvaluationRequest& request, const EvaluatedModel& evaluated);

/// Whether the outputs of the first rows look like probabilities. Depends on the file and the model only. Throws as a
/// predictor. Local.
bool finds_probabilities(const EvaluatedModel& evaluated, const RunOptions& run, LaneDevice device);

/// The model files that a request selects.
struct SelectedModels {
  std::vector<std::string> files;
  std::optional<ModelsKind> kind;  ///< EvaluatedModel::kind
  std::vector<double> weights{};   ///< EvaluatedModel::model_weights
};

/// Throws UsageError and RunError. Local.
SelectedModels select_models(const EvaluationRequest& request);

/// Loads the models for lanes on `device` and opens the rows; choose_scoring() sets the rest. Throws AgreedError for
/// the first problem. The ranks of `node` must destroy the result together. Collective over world.
EvaluatedModel open_evaluated_model(const EvaluationRequest& request, LaneDevice device, const Communicator& world,
                                    const Communicator& node);

}  // namespace sheaf

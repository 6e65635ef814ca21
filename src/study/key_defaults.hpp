// Defaults of keys that follow from other keys. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "study/losses.hpp"
#include "study/metrics.hpp"
#include "study/model_options.hpp"
#include "study/search_options.hpp"
#include "study/train_options.hpp"

namespace sheaf {

struct Study;

/// train.learning_rate; auto: the default of the optimizer.
double initial_learning_rate(const TrainOptions& train);

/// model.hidden; auto: one layer of 128 for an mlp, none for a cnn.
std::vector<std::int64_t> hidden_widths(const ModelOptions& model);

/// The losses of all trials; without those that are not settled.
std::vector<const Loss*> losses_of(const Study& study);

/// The metric that scores the iterations of a study: `search.metric` if set, otherwise the default metric of the task
/// and the loss. If the loss is searched: that of all its candidates if they have the same, otherwise that of the task.
MetricChoice score_metric(const Study& study);

/// search.method; auto: that which the other keys of the study need. It stays auto if the data file decides it, as long
/// as data.folds is not settled.
AutoOr<SearchMethod> settled_method(const Study& study);

/// search.batch; auto: a tenth of the trials, from 8 to 10,000; 32 if their number is not known.
std::int64_t batch_of(const Study& study);

/// Whether data.folds names a data set, which decides search.folds.
bool has_given_folds(const Study& study);

/// Whether no rows are held out for validation, as far as the study tells.
bool has_no_validation(const Study& study);

/// Whether data.folds is auto, and the file may have folds.
bool may_have_given_folds(const Study& study);

}  // namespace sheaf

// The options of all commands that apply a model to the rows of a data file: which models, how the file is read, how
// outputs become predictions, and the devices. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "commands/evaluate/evaluation_request.hpp"
#include "commands/line/arguments.hpp"

namespace sheaf {

/// Keys of a study that select the data, and those that select the devices.
const std::vector<std::string>& data_keys();
const std::vector<std::string>& device_keys();

/// The elements of all lists.
std::vector<std::string> joined_lists(std::initializer_list<std::vector<std::string>> lists);

/// Reads keys of a study, those of `keys`, and options that belong to an EvaluationRequest. The caller sets its model,
/// and the data file unless data.file is a key. Throws UsageError.
EvaluationRequest read_request(const std::vector<std::string>& keys, const std::vector<Assignment>& assignments);

/// Parts of help texts: the names of models up to that of a file, data_keys(), --loss, --threshold and --positive, CSV
/// files without the target columns, and device_keys().
std::string models_help();
std::string data_help();
std::string loss_help();
std::string threshold_help();
std::string csv_help();
std::string device_help();

}  // namespace sheaf

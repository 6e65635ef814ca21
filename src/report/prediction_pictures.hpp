// The predictions of the best model for held-out rows. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/plot/picture.hpp"
#include "report/run_report.hpp"

namespace sheaf {

/// Classes: the confusion matrix, reliability, ROC and precision-recall curves. Values: predicted over true ones.
std::vector<Picture> prediction_pictures(const RunReport& report);

/// The name of a class, label, target or quantile: that of the data, or its number.
std::string output_name(const RunReport& report, std::size_t number);

}  // namespace sheaf

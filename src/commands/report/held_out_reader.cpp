// SPDX-License-Identifier: MIT
#include "commands/report/held_out_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "commands/report/optional_file.hpp"
#include "files/hdf5/file.hpp"
#include "study/losses.hpp"

namespace sheaf {
namespace {

// The rows of a table whose column `iteration`, in ascending order, has a value in a range.
IndexRange rows_of(const TableReader& table, IndexRange iterations) {
  const auto first_from = [&](std::int64_t iteration) {
    std::int64_t low = 0, high = table.rows();
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      if (table.read<std::int64_t>("iteration", {middle, middle + 1}).front() < iteration)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  };
  return {first_from(iterations.begin), first_from(iterations.end)};
}

// Numbers of predictions that are read: for pictures, and perhaps on a login node.
constexpr double max_numbers = 1 << 24;

// Adds the rows of one model: of the iterations `members`, which have the same rows.
void add_model(HeldOutRows& held_out, const TableReader& table, IndexRange members) {
  const IndexRange rows = rows_of(table, members);
  const auto count = static_cast<std::size_t>(members.count());
  if (rows.empty() || rows.count() % members.count() != 0) return;
  held_out.is_part = static_cast<double>(rows.count()) * static_cast<double>(held_out.outputs) > max_numbers;
  if (held_out.is_part) return;
  const bool are_classes = held_out.kind == HeldOutRows::Kind::classes;
  const char* outputs = table.has_column("values") ? "values" : "probabilities";
  std::vector<double> predictions = table.read<double>(outputs, rows);
  average_members(predictions, count);
  const IndexRange first{rows.begin, rows.begin + rows.count() / members.count()};
  const auto classes = are_classes ? table.read<std::int64_t>("target", first) : std::vector<std::int64_t>{};
  const auto targets = are_classes ? std::vector<double>{} : table.read<double>("targets", first);
  const std::size_t width = held_out.outputs;
  for (std::size_t row = 0; row < static_cast<std::size_t>(first.count()); ++row) {
    const auto begin = predictions.begin() + static_cast<std::ptrdiff_t>(row * width);
    const auto end = begin + static_cast<std::ptrdiff_t>(width);
    if (!std::all_of(begin, end, [](double value) { return std::isfinite(value); })) continue;
    held_out.predictions.insert(held_out.predictions.end(), begin, end);
    if (are_classes)
      held_out.classes.push_back(classes[row]);
    else
      for (std::size_t output = 0; output < width; ++output) held_out.targets.push_back(targets[row * width + output]);
  }
}

// The iterations of the best trial; without a search, those of the best model.
std::vector<IndexRange> best_iterations(const RunReport& report) {
  const TrialSummary& best = report.results->trials.front();
  if (!report.is_search()) return {report.results->best_model};
  return report.run.plan.fits_of_trial(best.stage, best.trial);
}

HeldOutRows held_out_of(const RunReport& report, const TableReader& table) {
  HeldOutRows held_out;
  held_out.kind = table.has_column("target")          ? HeldOutRows::Kind::classes
                  : table.has_column("probabilities") ? HeldOutRows::Kind::labels
                                                      : HeldOutRows::Kind::values;
  held_out.outputs = table.width(table.has_column("values") ? "values" : "probabilities");
  if (held_out.kind != HeldOutRows::Kind::classes && table.width("targets") != held_out.outputs) return held_out;
  const RunState& run = report.run;
  const std::vector<IndexRange> fits = best_iterations(report);
  const Iteration first = run.plan.iteration(fits.front().begin);
  held_out.has_probabilities =
      held_out.kind != HeldOutRows::Kind::values && loss_of(run.plan.trial(first.trial).train.loss).needs_classes();
  const std::int64_t members = run.plan.stage(first.stage).members;
  for (const IndexRange& iterations : fits)
    for (std::int64_t model = iterations.begin; model < iterations.end && !held_out.is_part; model += members) {
      held_out.is_part = static_cast<double>(held_out.predictions.size()) > max_numbers;
      if (!held_out.is_part) add_model(held_out, table, {model, model + members});
    }
  return held_out;
}

}  // namespace

void average_members(std::vector<double>& predictions, std::size_t members) {
  const std::size_t size = predictions.size() / members;
  for (std::size_t at = 0; at < size; ++at) {
    for (std::size_t member = 1; member < members; ++member) predictions[at] += predictions[member * size + at];
    predictions[at] /= static_cast<double>(members);
  }
  predictions.resize(size);
}

void read_held_out(RunReport& report) {
  const RunState& run = report.run;
  if (!report.results || report.results->best_model.empty()) {
    report.no_held_out = fmt::format("No {} is complete yet.", report.object_name());
  } else if (!run.has_results) {
    report.no_held_out = "Predictions for held-out rows are in the results when the run is complete.";
  } else {
    report.no_held_out =
        "The run has no predictions for held-out rows: --run.predictions=held_out keeps them, if rows are held out.";
    read_if_possible([&] {
      const InputFile file(results_path(run));
      if (!file.has_data_set("/predictions")) return;
      HeldOutRows rows = held_out_of(report, file.table("/predictions"));
      if (rows.rows() > 0) report.held_out = std::move(rows);
    });
  }
}

}  // namespace sheaf

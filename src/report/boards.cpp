// SPDX-License-Identifier: MIT
#include "report/boards.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/text.hpp"
#include "report/plot/markup.hpp"
#include "report/plot/picture.hpp"
#include "report/plot/scale.hpp"
#include "study/key_defaults.hpp"
#include "study/metrics.hpp"
#include "study/validation_epochs.hpp"

namespace sheaf {
namespace {

constexpr std::size_t max_board_rows = 1000;  // more make a page slow
constexpr std::size_t max_fold_pictures = 200;

// The points of the folds on a scale that all rows share.
std::string fold_picture(const std::vector<double>& values, const AxisRange& range) {
  const bool is_log = range.low > 0 && range.high > 20 * range.low;
  const Scale scale{is_log ? ScaleKind::logarithmic : ScaleKind::linear, range.low, range.high, 5, 105};
  std::vector<std::string> texts;
  std::string body;
  for (const double value : values) {
    texts.push_back(short_number(value));
    if (value >= range.low && value <= range.high)
      body += fmt::format("<circle class=\"dot s0\" cx=\"{}\" cy=\"8\" r=\"3\"/>", svg_number(scale.at(value)));
  }
  return fmt::format(
      "<svg class=\"folds\" viewBox=\"0 0 110 16\" role=\"img\"><title>{}</title><desc>The values of the "
      "folds on a scale that all trials share.</desc><path class=\"grid\" d=\"M5 8H105\"/>{}</svg>",
      escaped_markup(listed(texts, texts.size())), body);
}

// Without the worst values, which would push the others together.
AxisRange fold_range(const std::vector<std::vector<double>>& folds) {
  std::vector<double> all;
  for (const auto& values : folds) all.insert(all.end(), values.begin(), values.end());
  std::sort(all.begin(), all.end());
  if (all.size() >= 10) {
    const std::size_t cut = all.size() / 10;
    all = std::vector<double>(all.begin() + static_cast<std::ptrdiff_t>(cut),
                              all.end() - static_cast<std::ptrdiff_t>(cut));
  }
  return range_of(all, ScaleKind::linear);
}

}  // namespace

HtmlTable trial_board(const RunReport& report) {
  const RunState& run = report.run;
  const std::vector<TrialSummary>& trials = report.results->trials;
  const std::size_t shown = std::min(trials.size(), max_board_rows);
  const bool has_validation = validation_epochs(run.study).any();
  const bool has_folds = run.plan.folds() * run.plan.repeats() > 1;
  const std::string score = score_metric(run.study).label();
  HtmlTable table{fmt::format("The trials, best first{}.",
                              shown < trials.size() ? fmt::format(": {} of {}", shown, trials.size()) : ""),
                  {{"rank"}, {"trial"}},
                  {},
                  "board"};
  for (const auto& key : run.plan.searched_keys()) table.head.push_back({key});
  if (run.plan.stage_count() > 1) table.head.push_back({"epochs"});
  if (has_validation) {
    table.head.push_back({"mean validation loss"});
    table.head.push_back({"mean " + score});
    table.head.push_back({"std"});
  }
  table.head.push_back({"mean final loss"});
  if (has_folds) table.head.push_back({"folds: " + report.value.name, true});
  table.head.push_back({"iterations"});
  table.head.push_back({"seconds"});
  std::vector<std::vector<double>> folds;
  if (has_folds)
    for (std::size_t at = 0; at < std::min(shown, max_fold_pictures); ++at)
      folds.push_back(report.fold_values(trials[at]));
  const AxisRange range = fold_range(folds);
  const auto score_text = [](double value) { return std::isfinite(value) ? fmt::format("{:.4f}", value) : ""; };
  const auto loss_text = [](double value) { return std::isfinite(value) ? fmt::format("{:.5g}", value) : ""; };
  for (std::size_t at = 0; at < shown; ++at) {
    const TrialSummary& trial = trials[at];
    std::vector<Cell> row = {integer_cell(trial.rank), integer_cell(trial.trial)};
    std::vector<std::string> values;
    for (std::size_t key = 0; key < run.plan.searched_keys().size(); ++key)
      values.push_back(run.plan.value(trial.trial, key));
    const std::vector<bool> effects = run.plan.effects(values);
    for (std::size_t key = 0; key < values.size(); ++key) row.push_back({effects[key] ? printable(values[key]) : ""});
    if (run.plan.stage_count() > 1)
      row.push_back(integer_cell(
          run.plan.stage(trial.stage).epochs_of(trial.trial, run.plan.trial(trial.trial).train.epochs).end));
    if (has_validation) {
      row.push_back(number_cell(trial.mean_validation_loss, loss_text(trial.mean_validation_loss)));
      row.push_back(number_cell(trial.mean_score, score_text(trial.mean_score)));
      row.push_back(number_cell(trial.score_deviation, score_text(trial.score_deviation)));
    }
    row.push_back(number_cell(trial.mean_final_loss, loss_text(trial.mean_final_loss)));
    if (has_folds)
      row.push_back(
          {"", true, "", at < folds.size() && !folds[at].empty() ? fold_picture(folds[at], range) : "&#8211;"});
    row.push_back(integer_cell(trial.iterations));
    row.push_back(number_cell(trial.seconds, fmt::format("{:.2f}", trial.seconds)));
    table.rows.push_back(std::move(row));
  }
  return table;
}

HtmlTable iteration_board(const RunReport& report) {
  const RunState& run = report.run;
  const ResultStore& store = run.progress.journals.iterations;
  const std::size_t shown = std::min(report.best_order.size(), max_board_rows);
  const bool has_validation = validation_epochs(run.study).any();
  HtmlTable table{
      fmt::format("The iterations, best first{}.",
                  shown < report.best_order.size() ? fmt::format(": {} of {}", shown, report.best_order.size()) : ""),
      {{"rank"}, {"iteration"}, {"member"}},
      {},
      "board"};
  if (has_validation) {
    table.head.push_back({"validation loss"});
    table.head.push_back({score_metric(run.study).label()});
  }
  for (const char* name : {"final loss", "epochs", "steps", "seconds", "MPI rank", "lane"})
    table.head.push_back({name});
  for (std::size_t at = 0; at < shown; ++at) {
    const std::int64_t number = report.objects[static_cast<std::size_t>(report.best_order[at])].number;
    const IndexRange position = store.positions_of({number, number + 1});
    const IterationResult result = store[static_cast<std::size_t>(position.begin)].trained.result;
    std::vector<Cell> row = {integer_cell(static_cast<std::int64_t>(at) + 1), integer_cell(number),
                             integer_cell(run.plan.iteration(number).member)};
    if (has_validation) {
      row.push_back(number_cell(result.validation_loss, short_number(result.validation_loss, 5)));
      row.push_back(number_cell(result.validation_score, std::isfinite(result.validation_score)
                                                             ? fmt::format("{:.4f}", result.validation_score)
                                                             : ""));
    }
    row.push_back(number_cell(result.final_loss, short_number(result.final_loss, 5)));
    row.push_back(integer_cell(result.epochs));
    row.push_back(integer_cell(result.steps));
    row.push_back(number_cell(result.seconds, fmt::format("{:.3f}", result.seconds)));
    row.push_back(integer_cell(result.rank));
    row.push_back(integer_cell(result.lane));
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace sheaf

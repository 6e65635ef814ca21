// SPDX-License-Identifier: MIT
#include "report/boards.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/text.hpp"
#include "report/plot/markup.hpp"
#include "report/plot/picture.hpp"
#include "report/plot/scale.hpp"
#include "study/effective_values.hpp"
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

// Adds a cell with the folds to each row.
void add_folds(const RunReport& report, HtmlTable& table) {
  std::vector<std::vector<double>> folds(std::min(table.rows.size(), max_fold_pictures));
  for (std::size_t row = 0; row < folds.size(); ++row) folds[row] = report.fold_values(report.results->trials[row]);
  const AxisRange range = fold_range(folds);
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    const bool has_picture = row < folds.size() && !folds[row].empty();
    table.rows[row].push_back({"", true, "", has_picture ? fold_picture(folds[row], range) : "&#8211;"});
  }
}

// Adds the values of the searched keys; those without effect are empty.
void add_values(const Plan& plan, std::int64_t trial, std::vector<Cell>& row) {
  for (const auto& value : effective_values(plan, trial)) row.push_back({printable(value.value_or(""))});
}

std::string score_text(double value) {
  return std::isfinite(value) ? fmt::format("{:.4f}", value) : "";
}

std::string loss_text(double value) {
  return std::isfinite(value) ? fmt::format("{:.5g}", value) : "";
}

}  // namespace

HtmlTable trial_board(const RunReport& report) {
  const RunState& run = report.run;
  const Plan& plan = run.plan;
  const std::vector<TrialSummary>& trials = report.results->trials;
  const std::size_t shown = std::min(trials.size(), max_board_rows);
  HtmlTable table{fmt::format("The trials, best first{}.",
                              shown < trials.size() ? fmt::format(": {} of {}", shown, trials.size()) : ""),
                  {},
                  std::vector<std::vector<Cell>>(shown),
                  "board"};
  const auto add = [&](const Cell& head, const auto& cell_of) {
    table.head.push_back(head);
    for (std::size_t at = 0; at < shown; ++at) table.rows[at].push_back(cell_of(trials[at]));
  };
  const auto score_cell = [](double value) { return number_cell(value, score_text(value)); };
  const auto loss_cell = [](double value) { return number_cell(value, loss_text(value)); };
  add({"rank"}, [](const TrialSummary& t) { return integer_cell(t.rank); });
  add({"trial"}, [](const TrialSummary& t) { return integer_cell(t.trial); });
  if (validates(run.study)) {
    add({"mean validation loss"}, [&](const TrialSummary& t) { return loss_cell(t.mean_validation_loss); });
    add({"mean " + score_metric(run.study).label()}, [&](const TrialSummary& t) { return score_cell(t.mean_score); });
    add({"std"}, [&](const TrialSummary& t) { return score_cell(t.score_deviation); });
  }
  if (plan.folds() * plan.repeats() > 1) {
    table.head.push_back({"folds: " + report.value.name, true});
    add_folds(report, table);
  }
  if (plan.stage(0).pauses())
    add({"epochs"}, [&](const TrialSummary& t) {
      return integer_cell(plan.stage(t.stage).epochs_of(t.trial, plan.trial(t.trial).train.epochs).end);
    });
  for (const auto& key : plan.searched_keys()) table.head.push_back({key});
  for (std::size_t at = 0; at < shown; ++at) add_values(plan, trials[at].trial, table.rows[at]);
  add({"mean final loss"}, [&](const TrialSummary& t) { return loss_cell(t.mean_final_loss); });
  add({"iterations"}, [](const TrialSummary& t) { return integer_cell(t.iterations); });
  add({"seconds"}, [](const TrialSummary& t) { return number_cell(t.seconds, fmt::format("{:.2f}", t.seconds)); });
  return table;
}

HtmlTable iteration_board(const RunReport& report) {
  const RunState& run = report.run;
  const ResultStore& store = run.progress.journals.iterations;
  const std::size_t shown = std::min(report.best_order.size(), max_board_rows);
  const bool has_validation = validates(run.study);
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
      row.push_back(number_cell(result.validation_loss, loss_text(result.validation_loss)));
      row.push_back(number_cell(result.validation_score, score_text(result.validation_score)));
    }
    row.push_back(number_cell(result.final_loss, loss_text(result.final_loss)));
    row.push_back(integer_cell(result.epochs));
    row.push_back(integer_cell(result.steps));
    row.push_back(number_cell(result.seconds, fmt::format("{:.3f}", result.seconds)));
    row.push_back(integer_cell(result.rank));
    row.push_back(integer_cell(result.lane));
    table.rows.push_back(std::move(row));
  }
  return table;
}

HtmlTable ensemble_board(const TrialEnsemble& ensemble) {
  HtmlTable table{"For the held-out rows.", {{"models", true}, {"loss"}, {ensemble.metric}}, {}};
  const auto add = [&](const std::string& name, double loss, double score) {
    table.rows.push_back({text_cell(name), number_cell(loss, loss_text(loss)), number_cell(score, score_text(score))});
  };
  const EnsembleMember& best = ensemble.best_member();
  add(fmt::format("ensemble of {}", counted(static_cast<std::int64_t>(ensemble.members.size()), "trial")),
      ensemble.loss, ensemble.score);
  add(fmt::format("best member (trial {})", best.trial), best.loss, best.score);
  return table;
}

HtmlTable member_board(const RunReport& report) {
  const TrialEnsemble& ensemble = *report.run.ensemble;
  HtmlTable table{"The members of the ensemble, by weight.",
                  {{"trial"}, {"weight"}, {"loss"}, {ensemble.metric}, {"models", true}},
                  {},
                  "members"};
  for (const auto& key : report.run.plan.searched_keys()) table.head.push_back({key});
  const std::size_t shown = std::min(ensemble.members.size(), max_board_rows);
  for (std::size_t at = 0; at < shown; ++at) {
    const EnsembleMember& member = ensemble.members[at];
    std::vector<Cell> row = {
        integer_cell(member.trial), number_cell(member.weight, fmt::format("{:.4f}", member.weight)),
        number_cell(member.loss, loss_text(member.loss)), number_cell(member.score, score_text(member.score)),
        text_cell(fmt::format("{}{}", counted(static_cast<std::int64_t>(member.files.size()), "file"),
                              member.is_refit ? " (refit)" : ""))};
    for (const auto& key : report.run.plan.searched_keys()) {
      const auto found = std::find_if(member.values.begin(), member.values.end(),
                                      [&](const auto& value) { return value.first == key; });
      row.push_back({found == member.values.end() ? "" : printable(found->second)});
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace sheaf

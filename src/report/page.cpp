// SPDX-License-Identifier: MIT
#include "report/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/text.hpp"
#include "core/version.hpp"
#include "report/advice.hpp"
#include "report/compared_runs.hpp"
#include "report/pictures.hpp"
#include "report/plot/markup.hpp"
#include "report/plot/scale.hpp"
#include "report/plot/style.hpp"
#include "report/status_report.hpp"
#include "report/text_report.hpp"
#include "search/ranking.hpp"
#include "study/key_defaults.hpp"
#include "study/metrics.hpp"
#include "study/settings.hpp"
#include "study/validation_epochs.hpp"

namespace sheaf {
namespace {

// The longest tables: more rows make a page slow.
constexpr std::size_t max_board_rows = 1000, max_fold_pictures = 200, max_class_rows = 500, max_rank_rows = 100;

// A cell of a table. `key`: by which it is sorted; empty: its text.
struct Cell {
  std::string text;
  bool is_text = false;
  std::string key{};
  std::string markup{};  ///< instead of the text
};

Cell number_cell(double value, const std::string& text) {
  return {text, false, std::isfinite(value) ? fmt::format("{}", value) : "", ""};
}

Cell integer_cell(std::int64_t value) {
  return {fmt::format("{}", value), false, "", ""};
}

Cell text_cell(const std::string& text) {
  return {text, true, "", ""};
}

struct HtmlTable {
  std::string caption;
  std::vector<Cell> head;
  std::vector<std::vector<Cell>> rows;
  std::string id{};  ///< of a table that can be sorted; empty: it cannot
};

std::string table_element(const HtmlTable& table) {
  std::string text = table.id.empty() ? "<table>" : fmt::format("<table class=\"sortable\" id=\"{}\">", table.id);
  text += fmt::format("<caption>{}</caption><thead><tr>", escaped_markup(table.caption));
  for (const Cell& cell : table.head)
    text +=
        fmt::format("<th scope=\"col\"{}>{}</th>", cell.is_text ? " class=\"text\"" : "", escaped_markup(cell.text));
  text += "</tr></thead><tbody>\n";
  for (const auto& row : table.rows) {
    text += "<tr>";
    for (const Cell& cell : row) {
      text += "<td";
      if (cell.is_text) text += cell.text.size() > 40 ? " class=\"text long\"" : " class=\"text\"";
      if (!cell.key.empty() && cell.key != cell.text)
        text += fmt::format(" data-value=\"{}\"", escaped_markup(cell.key));
      text += ">" + (cell.markup.empty() ? escaped_markup(cell.text) : cell.markup) + "</td>";
    }
    text += "</tr>\n";
  }
  return text + "</tbody></table>\n";
}

std::string scrolling(const std::string& content, const char* classes = "scroll") {
  return fmt::format("<div class=\"{}\" tabindex=\"0\">{}</div>\n", classes, content);
}

std::string filter_box(const std::string& table, const std::string& text) {
  return fmt::format("<p class=\"filter\"><label>{} <input type=\"search\" data-table=\"{}\"></label></p>\n",
                     escaped_markup(text), table);
}

std::string note_element(const std::string& note) {
  return note.empty() ? "" : fmt::format("<p class=\"note\">{}</p>", escaped_markup(note));
}

// `heading`: of the section, which a title need not repeat.
std::string figure_element(const Picture& picture, const std::string& heading) {
  const bool is_wide = picture.width > 500;
  std::string text = is_wide ? "<figure class=\"wide\">" : "<figure>";
  if (picture.title != heading) text += fmt::format("<h3>{}</h3>", escaped_markup(picture.title));
  if (!picture.body.empty()) {
    const std::string svg = svg_element(picture);
    text += is_wide ? scrolling(svg) : svg;
  }
  return text + note_element(picture.note) + "</figure>\n";
}

std::string figures(const std::vector<Picture>& pictures, const std::string& heading) {
  std::string text = "<div class=\"pictures\">\n";
  for (const Picture& picture : pictures) text += figure_element(picture, heading);
  return text + "</div>\n";
}

std::string tile(const std::string& value, const std::string& name) {
  return fmt::format("<div><b>{}</b><span>{}</span></div>", escaped_markup(value), escaped_markup(name));
}

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

std::string board_section(const RunReport& report) {
  std::string text = "<h2 id=\"leaderboard\">Leaderboard</h2>\n";
  const bool has_rows = report.is_search() ? report.results.has_value() : !report.objects.empty();
  if (!has_rows) return text + fmt::format("<p class=\"note\">No {} is complete yet.</p>\n", report.object_name());
  const HtmlTable table = report.is_search() ? trial_board(report) : iteration_board(report);
  return text + filter_box(table.id, "Show only rows with") + scrolling(table_element(table), "board scroll");
}

std::string class_table(const RunReport& report) {
  if (!report.held_out || report.held_out->kind != HeldOutRows::Kind::classes) return "";
  const HeldOutRows& rows = *report.held_out;
  const std::vector<ClassScores> scores = class_scores(confusion_counts(rows), rows.outputs);
  HtmlTable table{fmt::format("Scores of each class, of {} held-out predictions{}.", rows.rows(),
                              rows.is_part ? " (a part of all)" : ""),
                  {{"class", true}, {"rows"}, {"precision"}, {"recall"}, {"F1"}},
                  {},
                  "classes"};
  for (std::size_t number = 0; number < std::min(scores.size(), max_class_rows); ++number) {
    const ClassScores& score = scores[number];
    const auto text = [](double value) { return number_cell(value, fmt::format("{:.4f}", value)); };
    table.rows.push_back({text_cell(class_name(report, number)), integer_cell(score.rows), text(score.precision),
                          text(score.recall), text(score.f1)});
  }
  return scrolling(table_element(table), "board scroll");
}

std::string provenance_section(const RunReport& report) {
  std::string text = "<h2 id=\"provenance\">How it was run</h2>\n";
  HtmlTable origin{"Where the results come from.", {{"what", true}, {"value", true}}, {}};
  origin.rows.push_back({text_cell("directory"), text_cell(report.run.directory)});
  for (const auto& [name, value] : report.stored.origin) origin.rows.push_back({text_cell(name), text_cell(value)});
  text += scrolling(table_element(origin));
  if (!report.stored.ranks.empty()) {
    HtmlTable ranks{
        "The ranks of the last job.", {{"rank"}, {"host", true}, {"device", true}, {"cores"}, {"lanes"}}, {}};
    for (std::size_t rank = 0; rank < std::min(report.stored.ranks.size(), max_rank_rows); ++rank) {
      const StoredRank& found = report.stored.ranks[rank];
      ranks.rows.push_back({integer_cell(static_cast<std::int64_t>(rank)), text_cell(found.host),
                            text_cell(found.device), integer_cell(found.cores), integer_cell(found.lanes)});
    }
    text += scrolling(table_element(ranks));
  }
  HtmlTable keys{"Keys whose values differ from the defaults (those with the default auto have the chosen values).",
                 {{"key", true}, {"value", true}},
                 {}};
  for (const auto& [key, value] : changed_settings(report.run.study))
    keys.rows.push_back({text_cell(key), text_cell(value)});
  return text + scrolling(table_element(keys));
}

std::string next_section(const RunReport& report) {
  std::string text = "<h2 id=\"next\">What to do next</h2>\n<ul>\n";
  for (const std::string& sentence : advice_for(advice_facts(report)))
    text += fmt::format("<li>{}</li>\n", escaped_markup(sentence));
  return text + "</ul>\n";
}

std::string time_table(const RunReport& report) {
  const auto rows = time_rows(report);
  if (rows.empty()) return "";
  HtmlTable table{cost_text(report), {{"part", true}, {"seconds"}, {"percent"}}, {}};
  for (const auto& row : rows) table.rows.push_back({text_cell(row[0]), {row[1]}, {row[2]}});
  return scrolling(table_element(table));
}

std::string tiles(const RunReport& report) {
  const IterationCounts& counts = report.status.iterations;
  std::string text = "<div class=\"tiles\">";
  text += tile(activity_name(report.status.activity), "state");
  if (!report.objects.empty())
    text += tile(value_text_of(report.value, report.best().value), "best " + report.value.name);
  if (report.is_search()) text += tile(fmt::format("{}", report.objects.size()), "trials with a value");
  text += tile(fmt::format("{}", counts.total - counts.left()), "iterations with a result");
  if (counts.failed > 0) text += tile(fmt::format("{}", counts.failed), "failed");
  if (counts.diverged > 0) text += tile(fmt::format("{}", counts.diverged), "diverged");
  text += tile(human_seconds(report.timeline.seconds), "of training, all jobs");
  text += tile(human_seconds(report.timeline.lane_seconds * static_cast<double>(report.run.study.run.threads)),
               "of core time");
  return text + "</div>\n";
}

std::string page_of(const std::string& title, const std::string& content) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
      "script-src 'unsafe-inline'\">\n"
      "<title>{}</title>\n<style>{}{}</style>\n</head>\n<body>\n<main>\n{}</main>\n"
      "<footer>Report of sheaf {}. The page needs nothing from "
      "outside.</footer>\n<script>{}</script>\n</body>\n</html>\n",
      escaped_markup(title), plot_style(), page_style(), content, program_version(), page_script());
}

std::string link(const std::string& target, const std::string& text) {
  return fmt::format("<a href=\"#{}\">{}</a>\n", target, escaped_markup(text));
}

}  // namespace

std::string html_page(const RunReport& report) {
  const std::vector<PictureGroup> groups = pictures_of(report);
  const std::string title = report.run.study.study.name;
  std::string text = fmt::format("<h1>{}</h1>\n<p class=\"soft\">{}</p>\n", escaped_markup(title),
                                 escaped_markup(study_text(report.run) + " in " + report.run.directory));
  text += "<nav>" + link("next", "What to do next") + link("leaderboard", "Leaderboard");
  for (const PictureGroup& group : groups) text += link(group.name, group.heading);
  text += link("provenance", "How it was run") + "</nav>\n";
  text += fmt::format("<p class=\"verdict\">{}</p>\n", escaped_markup(verdict_of(report)));
  if (report.stored.test)
    text += fmt::format("<p>The best model on the test rows: {}</p>\n", escaped_markup(*report.stored.test));
  text += tiles(report);
  if (!report.status.first_failure.empty())
    text += fmt::format("<p>First failure: iteration {}: {}</p>\n", report.status.first_failed.value_or(-1),
                        escaped_markup(report.status.first_failure));
  text += fmt::format("<p>{}</p>\n<pre>{}</pre>\n",
                      report.is_search() && !report.objects.empty() ? "Train the best trial alone:" : "Repeat the run:",
                      escaped_lines(report.repeat_text()));
  text += next_section(report);
  for (const PictureGroup& group : groups) {
    if (group.name == "history") text += board_section(report);
    text += fmt::format("<h2 id=\"{}\">{}</h2>\n", group.name, escaped_markup(group.heading)) +
            figures(group.pictures, group.heading);
    if (group.name == "predictions") text += class_table(report);
    if (group.name == "time") text += time_table(report);
  }
  return page_of(title, text + provenance_section(report));
}

std::string html_comparison(const std::vector<RunReport>& reports) {
  std::string text =
      fmt::format("<h1>Comparison of {}</h1>\n", counted(static_cast<std::int64_t>(reports.size()), "run"));
  const auto rows = comparison_table(reports);
  HtmlTable table{"The runs, in the order of the command line.", {}, {}, "runs"};
  constexpr std::size_t texts = 3;
  for (std::size_t column = 0; column < rows.front().size(); ++column)
    table.head.push_back({rows.front()[column], column < texts});
  for (std::size_t row = 1; row < rows.size(); ++row) {
    table.rows.emplace_back();
    for (std::size_t column = 0; column < rows[row].size(); ++column)
      table.rows.back().push_back({rows[row][column], column < texts});
  }
  text += scrolling(table_element(table), "board scroll") + figures({compared_histories(reports)}, "");
  for (const RunReport& report : reports)
    text += fmt::format("<h2>{}</h2>\n<p class=\"soft\">{}</p><p class=\"verdict\">{}</p>\n<pre>{}</pre>\n",
                        escaped_markup(report.run.directory), escaped_markup(study_text(report.run)),
                        escaped_markup(verdict_of(report)), escaped_lines(report.repeat_text()));
  return page_of("Comparison of runs", text);
}

}  // namespace sheaf

// SPDX-License-Identifier: MIT
#include "report/page.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/text.hpp"
#include "core/version.hpp"
#include "report/advice.hpp"
#include "report/boards.hpp"
#include "report/compared_runs.hpp"
#include "report/history_pictures.hpp"
#include "report/html_table.hpp"
#include "report/pictures.hpp"
#include "report/plot/markup.hpp"
#include "report/plot/style.hpp"
#include "report/prediction_pictures.hpp"
#include "report/status_report.hpp"
#include "report/text_report.hpp"
#include "study/settings.hpp"

namespace sheaf {
namespace {

// The longest tables: more rows make a page slow.
constexpr std::size_t max_class_rows = 500, max_rank_rows = 100;

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
    table.rows.push_back({text_cell(output_name(report, number)), integer_cell(score.rows), text(score.precision),
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
  const auto rows = time_rows(report.cost.shares);
  if (rows.empty()) return "";
  HtmlTable table{"Seconds of all lanes.", {{"part", true}, {"seconds"}, {"percent"}}, {}};
  for (const auto& row : rows) table.rows.push_back({text_cell(row[0]), {row[1]}, {row[2]}});
  return scrolling(table_element(table)) +
         fmt::format("<p>{}</p>\n", escaped_markup(fmt::format("{}", fmt::join(cost_sentences(report), " "))));
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
  if (counts.cut > 0) text += tile(fmt::format("{}", counts.cut), "cut by search.time");
  if (counts.diverged > 0) text += tile(fmt::format("{}", counts.diverged), "diverged");
  text += tile(human_seconds(report.cost.seconds), "of training, all jobs");
  text += tile(human_seconds(report.cost.core_seconds()), "of core time");
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

// A command, or the text of a file. Lines break between options, not within.
std::string command_element(const std::string& text) {
  std::string content;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(" --", begin), text.size());
    content += fmt::format("<span class=\"word\">{}</span> ", escaped_lines(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return fmt::format("<pre>{}</pre>\n", content);
}

std::string predict_paragraph(const RunReport& report) {
  std::string commands;
  for (const std::string& command : report.predict_commands()) commands += command_element(command);
  return commands.empty()
             ? ""
             : "<p>Predict with the models of the run (without --model, with those of the first line):</p>\n" +
                   commands;
}

std::string link(const std::string& target, const std::string& text) {
  return fmt::format("<a href=\"#{}\">{}</a>\n", target, escaped_markup(text));
}

}  // namespace

std::string html_page(const RunReport& report) {
  const std::vector<PictureGroup> groups = pictures_of(report);
  const std::string title = report.run.study->study.name;
  std::string text = fmt::format("<h1>{}</h1>\n<p class=\"soft\">{}</p>\n", escaped_markup(title),
                                 escaped_markup(study_text(report.run) + " in " + report.run.directory));
  text += "<nav>" + link("next", "What to do next") + link("leaderboard", "Leaderboard");
  for (const PictureGroup& group : groups) text += link(group.name, group.heading);
  text += link("provenance", "How it was run") + "</nav>\n";
  text += fmt::format("<p class=\"verdict\">{}</p>\n", escaped_markup(verdict_of(report)));
  for (const auto& line : {refit_verdict(report), ensemble_verdict(report)})
    if (line) text += fmt::format("<p>{}</p>\n", escaped_markup(*line));
  for (const auto& [models, values] : report.stored.tests)
    text += fmt::format("<p>The {} on the test rows: {}</p>\n", escaped_markup(models), escaped_markup(values));
  if (report.stored.out_of_bag)
    text += fmt::format("<p>The out-of-bag score: {}</p>\n", escaped_markup(*report.stored.out_of_bag));
  text += tiles(report);
  if (!report.status.first_failure.empty())
    text += fmt::format("<p>First failure: iteration {}: {}</p>\n", report.status.first_failed.value_or(-1),
                        escaped_markup(report.status.first_failure));
  text += fmt::format("<p>{}</p>\n{}",
                      report.is_search() && !report.objects.empty() ? "Train the best trial alone:" : "Repeat the run:",
                      command_element(report.repeat_text()));
  text += predict_paragraph(report);
  text += next_section(report);
  for (const PictureGroup& group : groups) {
    if (group.name == "history") text += board_section(report);
    text += fmt::format("<h2 id=\"{}\">{}</h2>\n", group.name, escaped_markup(group.heading)) +
            figures(group.pictures, group.heading);
    if (group.name == "predictions") text += class_table(report);
    if (group.name == "ensemble" && report.run.ensemble)
      text += scrolling(table_element(ensemble_board(*report.run.ensemble))) +
              scrolling(table_element(member_board(report)), "board scroll");
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
    text += fmt::format("<h2>{}</h2>\n<p class=\"soft\">{}</p><p class=\"verdict\">{}</p>\n{}",
                        escaped_markup(report.run.directory), escaped_markup(study_text(report.run)),
                        escaped_markup(verdict_of(report)), command_element(report.repeat_text()));
  return page_of("Comparison of runs", text);
}

}  // namespace sheaf

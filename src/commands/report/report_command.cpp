// SPDX-License-Identifier: MIT
#include "commands/report/report_command.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "commands/line/arguments.hpp"
#include "commands/report/held_out_reader.hpp"
#include "commands/report/stored_results.hpp"
#include "core/error.hpp"
#include "core/log.hpp"
#include "core/problem_list.hpp"
#include "core/standard_output.hpp"
#include "core/text.hpp"
#include "files/directories.hpp"
#include "files/replace_file.hpp"
#include "parallel/mpi/agreement.hpp"
#include "parallel/mpi/job_output.hpp"
#include "report/compared_runs.hpp"
#include "report/history_pictures.hpp"
#include "report/page.hpp"
#include "report/pictures.hpp"
#include "report/plot/picture.hpp"
#include "report/report_json.hpp"
#include "report/text_report.hpp"
#include "report/trace.hpp"
#include "runs/run_reader.hpp"

namespace sheaf {
namespace {

std::string help() {
  return R"(Reports what a run has found, from its directory alone: the state and the best trial, how to repeat it, the
leaderboard, which of the searched keys matter, the importance of the features (if sheaf importance --save has computed
it), where the time went, and what to do next. Of several runs, a comparison.
Needs neither the data nor write permission in the directory and does not disturb a job, so it can be used at any time, also
for runs that are under way or were killed.

  --format=text|csv|json   text (default); csv: the leaderboard, of a run without a search the iterations, of several runs
                           the comparison; json: one object on one line for each run
  --html=FILE              one page with all tables and pictures, which needs nothing from outside: history, searched keys,
                           learning curves, predictions for held-out rows, and the timeline of ranks and lanes
  --pictures=DIR           each picture as an SVG file
  --trace=FILE             the timeline in Chrome's trace event format, for Perfetto (ui.perfetto.dev) or speedscope
  --overwrite              replace existing files

With --html, --pictures or --trace, text is printed only if --format is given. Learning curves need a run with
--run.curves=true.
)";
}

enum class Format { text, csv, json };

const LineOptions& options() {
  static const LineOptions all{{}, {"format", "html", "pictures", "trace", "overwrite"}, {}, {"overwrite"}};
  return all;
}

struct ReportRequest {
  std::vector<std::string> directories;
  std::optional<Format> format;
  std::optional<std::string> html, pictures, trace;
  bool overwrite = false;

  bool writes_files() const { return html || pictures || trace; }
};

ReportRequest read_request(const std::vector<std::string>& words) {
  const Arguments arguments = parse_arguments("report", options(), words);
  ReportRequest request;
  request.directories = arguments.positional;
  if (request.directories.empty())
    throw UsageError("the run directory is missing. Write: sheaf report RUN_DIR [--html=FILE].");
  for (const auto& [name, text] : arguments.assignments) {
    if (name == "format")
      request.format = option_value(
          choice<Format>({{"text", Format::text}, {"csv", Format::csv}, {"json", Format::json}}), name, text);
    else if (name == "overwrite")
      request.overwrite = option_value(flag(), name, text);
    else
      (name == "html" ? request.html : name == "pictures" ? request.pictures : request.trace) = text;
    if (text.empty()) throw UsageError(fmt::format("--{} is empty. Give it a value.", name));
  }
  if (request.trace && request.directories.size() > 1)
    throw UsageError("--trace shows one run. Name one run directory.");
  if (request.html && request.html == request.trace)
    throw UsageError(
        fmt::format("--html and --trace are the same file, '{}'. Give them different names.", *request.html));
  return request;
}

RunReport read_report(const std::string& directory) {
  RunState run = read_run(directory);
  StoredResults stored = read_stored_results(run);
  RunReport report = report_of(std::move(run), std::move(stored));
  read_held_out(report);
  return report;
}

std::vector<Picture> all_pictures(const std::vector<RunReport>& reports) {
  if (reports.size() > 1) return {compared_histories(reports)};
  std::vector<Picture> pictures;
  for (PictureGroup& group : pictures_of(reports.front()))
    for (Picture& picture : group.pictures) pictures.push_back(std::move(picture));
  return pictures;
}

std::string printed_text(const std::vector<RunReport>& reports, Format format) {
  if (format == Format::json) {
    std::string text;
    for (const RunReport& report : reports) text += json_report(report);
    return text;
  }
  if (reports.size() > 1)
    return format == Format::csv ? comparison_csv(reports) : format_table(comparison_table(reports));
  return format == Format::csv ? csv_report(reports.front()) : text_report(reports.front(), output_width());
}

// A file to write, and the line of the log after it.
struct Output {
  std::string path, text, line;
};

std::vector<Output> outputs_of(const ReportRequest& request, const std::vector<RunReport>& reports) {
  std::vector<Output> outputs;
  if (request.html)
    outputs.push_back({*request.html, reports.size() > 1 ? html_comparison(reports) : html_page(reports.front()),
                       fmt::format("wrote '{}'", *request.html)});
  if (request.pictures) {
    std::int64_t count = 0;
    for (const Picture& picture : all_pictures(reports)) {
      if (picture.body.empty()) continue;
      outputs.push_back({*request.pictures + "/" + picture.name + ".svg", svg_file(picture), ""});
      ++count;
    }
    if (count > 0) outputs.back().line = fmt::format("wrote {} to '{}'", counted(count, "picture"), *request.pictures);
  }
  if (request.trace)
    outputs.push_back({*request.trace, trace_json(reports.front()),
                       fmt::format("wrote '{}'; open it in ui.perfetto.dev or speedscope", *request.trace)});
  return outputs;
}

// Writes nothing if one of the files is there already.
void make_report(const ReportRequest& request) {
  for (const auto& path : {request.html, request.trace})
    if (path) require_free_name(*path, request.overwrite);
  std::vector<RunReport> reports;
  for (const std::string& directory : request.directories) reports.push_back(read_report(directory));
  const std::vector<Output> outputs = outputs_of(request, reports);
  for (const Output& output : outputs) require_free_name(output.path, request.overwrite);
  if (request.pictures) make_directories(*request.pictures);
  for (const Output& output : outputs) {
    write_whole_file(output.path, output.text);
    if (!output.line.empty()) log_root(output.line);
  }
  if (request.format || !request.writes_files())
    print_job_result(printed_text(reports, request.format.value_or(Format::text)));
}

ExitCode run(const CommandCall& call, const Communicator& world) {
  agree(world, [&] {
    const ReportRequest request = read_request(call.arguments);
    if (world.is_root()) make_report(request);
  });
  return ExitCode::done;
}

}  // namespace

Command report_command() {
  return {"report",
          "RUN_DIR... [--format=text|csv|json] [--html=FILE] [--pictures=DIR] [--trace=FILE] [--overwrite]",
          "report what a run has found: leaderboard, importance of the keys, time, pictures",
          help,
          options,
          run};
}

}  // namespace sheaf

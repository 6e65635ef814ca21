// SPDX-License-Identifier: MIT
#include "report/status_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/per_second.hpp"
#include "core/text.hpp"
#include "runs/directory/run_directory.hpp"
#include "runs/results/run_description.hpp"
#include "runs/results/summary.hpp"
#include "search/iteration_value.hpp"
#include "study/settings.hpp"

namespace sheaf {
namespace {

using Json = nlohmann::ordered_json;  // keeps the order of the members

constexpr std::size_t max_shown = 5;  // attempts, tasks and warnings

std::string line(const char* name, const std::string& text) {
  return fmt::format("{:<12} {}\n", name, text);
}

// Whether the number of trials is known: of a search that search.time or search.patience ends, after its end.
bool has_total(const RunState& run) {
  return run.study->search.has_trial_count() || run.progress.left.empty();
}

// "node1 (process 4711)"
std::string holder_text(const LockHolder& holder) {
  return holder.host.empty() ? "an unknown host" : fmt::format("{} (process {})", holder.host, holder.process);
}

std::string running_text(const std::vector<RunJob>& jobs) {
  if (!jobs.front().task) return "running on " + holder_text(jobs.front().holder);
  std::vector<std::string> shown;
  for (std::size_t job = 0; job < std::min(jobs.size(), max_shown); ++job)
    shown.push_back(fmt::format("task {} on {}", jobs[job].task->task, holder_text(jobs[job].holder)));
  if (jobs.size() > max_shown) shown.emplace_back("...");
  return fmt::format("running: {} of {} array tasks ({})", jobs.size(), jobs.front().task->tasks,
                     fmt::join(shown, ", "));
}

std::string state_text(const RunState& run, const RunStatus& status) {
  switch (status.activity) {
    case RunActivity::running:
      return running_text(run.jobs.jobs);
    case RunActivity::finished:
      return "finished";
    case RunActivity::stopped:
      return run.progress.is_complete ? "stopped before the result files were written" : "stopped";
    case RunActivity::unknown:
      break;
  }
  return "not finished; whether a job is running is unknown (the lock files cannot be read, or have no locks)";
}

std::string percent_text(std::int64_t done, std::int64_t total) {
  return fmt::format("{:.0f}%", total > 0 ? 100 * static_cast<double>(done) / static_cast<double>(total) : 100);
}

std::string progress_line(const RunState& run, const RunStatus& status) {
  const IterationCounts& counts = status.iterations;
  const std::int64_t done = counts.total - counts.left();
  const std::int64_t planned = counts.total + run.later_iterations;
  std::string text = has_total(run)
                         ? fmt::format("{}/{} ({})", done, counted(planned, "iteration"), percent_text(done, planned))
                         : counted(done, "iteration");
  if (!run.stage_position.empty()) text += ", " + run.stage_position;
  if (status.rate) text += ", " + per_second(*status.rate);
  if (const auto left = status.seconds_left();
      left && has_total(run) && status.activity == RunActivity::running && counts.left() > 0)
    text += fmt::format(", {} left{}", human_seconds(*left), run.stage_position.empty() ? "" : " of this stage");
  return line("progress", text);
}

std::string results_line(const RunState& run) {
  if (!run.earlier_results) return "";
  return line("results",
              fmt::format("of the first {}, until the run is complete", counted(*run.earlier_results, "iteration")));
}

std::string best_lines(const RunState& run, const RunStatus& status) {
  std::string text;
  if (status.best && run.study->search.searches())
    text += line("best trial", fmt::format("{}, of {}{}", printable(best_text(run.study, run.plan, {*status.best})),
                                           counted(status.complete_trials, "complete trial"),
                                           run.plan.members() > 1 ? ", by the means of the members" : ""));
  if (status.best_iteration)
    text +=
        line("best value", fmt::format("{} (iteration {})", value_text(progress_value_of(run.study), status.best_cost),
                                       *status.best_iteration));
  if (run.ensemble)
    text += line("ensemble",
                 fmt::format("{}, {}", counted(static_cast<std::int64_t>(run.ensemble->members.size()), "trial"),
                             ensemble_text(*run.ensemble)));
  return text;
}

std::string refit_line(const RunState& run) {
  const Plan& plan = run.plan;
  if (!plan.has_refit()) return "";
  const std::vector<Refit>& refits = plan.stage(plan.stage_count() - 1).refits;
  const Refit& first = refits.front();
  const std::string trials = refits.size() == 1 ? fmt::format("trial {} for {}", first.trial,
                                                              refit_length_text(first, plan.trial(first.trial).train))
                                                : counted(static_cast<std::int64_t>(refits.size()), "trial");
  const IndexRange iterations = plan.refit_iterations();
  return line("refit", fmt::format("{}, on all rows; {}/{} trained", trials,
                                   run.progress.journals.iterations.count_results(iterations),
                                   counted(iterations.count(), "iteration")));
}

// The decision about the refit; null before it.
Json refit_json(const RunState& run) {
  const Plan& plan = run.plan;
  if (!plan.has_refit()) return nullptr;
  Json trials = Json::array();
  for (const Refit& refit : plan.stage(plan.stage_count() - 1).refits)
    trials.push_back({{"trial", refit.trial}, {"steps", refit.steps()}});
  return {{"trials", trials},
          {"iterations", plan.refit_iterations().count()},
          {"trained", run.progress.journals.iterations.count_results(plan.refit_iterations())}};
}

std::string attempts_text(const std::vector<AttemptStatus>& attempts) {
  std::vector<std::string> parts;
  const std::size_t left_out = attempts.size() - std::min(attempts.size(), max_shown);
  if (left_out > 0) parts.emplace_back("...");
  for (std::size_t attempt = left_out; attempt < attempts.size(); ++attempt)
    parts.push_back(counted(attempts[attempt].results, "result"));
  return fmt::format("{} ({})", attempts.size(), fmt::join(parts, ", "));
}

std::string problem_lines(const RunState& run, const RunStatus& status) {
  const IterationCounts& counts = status.iterations;
  std::string text;
  if (counts.pruned > 0)
    text += line("pruned", fmt::format("{} (their trials had lost before)", counted(counts.pruned, "iteration")));
  if (counts.unfinished > 0)
    text += line("unfinished", fmt::format("{} (search.time was over)", counted(counts.unfinished, "iteration")));
  if (counts.cut > 0)
    text += line("cut", fmt::format("{} (search.time was over; their best epochs so far count)",
                                    counted(counts.cut, "iteration")));
  if (counts.diverged > 0)
    text += line("diverged", fmt::format("{} (the loss is not finite)", counted(counts.diverged, "iteration")));
  if (counts.failed > 0)
    text += line("failed", fmt::format("{} (iteration {}: {})", counted(counts.failed, "iteration"),
                                       *status.first_failed, printable(status.first_failure)));
  if (status.waiting_checkpoints > 0)
    text += line("checkpoints", fmt::format("of {}", counted(status.waiting_checkpoints, "unfinished iteration")));
  if (status.repeated_results > 0)
    text += line("repeated", counted(status.repeated_results, "result") + " (of iterations that had one)");
  const auto& warnings = run.progress.journals.warnings;
  for (std::size_t warning = 0; warning < std::min(warnings.size(), max_shown); ++warning)
    text += line("warning", printable(warnings[warning]));
  if (warnings.size() > max_shown) text += line("warning", fmt::format("... and {} more", warnings.size() - max_shown));
  return text;
}

// Whether `sheaf resume` has something to do, and no job does it already.
bool can_be_resumed(const RunStatus& status) {
  return status.activity == RunActivity::stopped || status.activity == RunActivity::unknown ||
         (status.activity == RunActivity::finished && status.iterations.failed > 0);
}

template <class Value>
Json nullable(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json jobs_json(const std::vector<RunJob>& jobs) {
  Json list = Json::array();
  for (const auto& [holder, task] : jobs) {
    list.push_back({{"host", nullptr}, {"process", nullptr}, {"task", nullptr}, {"tasks", nullptr}});
    if (!holder.host.empty()) list.back().update({{"host", holder.host}, {"process", holder.process}});
    if (task) list.back().update({{"task", task->task}, {"tasks", task->tasks}});
  }
  return list;
}

}  // namespace

std::string study_text(const RunState& run) {
  const Plan& plan = run.plan;
  std::vector<std::string> parts;
  if (!run.study->search.searches()) {
    parts.push_back(counted(plan.search_iterations().count(), "iteration"));
  } else {
    parts = {setting_text(run.study, "search.method") + " search"};
    if (has_total(run)) parts.push_back(counted(plan.trial_count(), "trial"));
    if (plan.folds() > 1) parts.push_back(counted(plan.folds(), "fold"));
    if (plan.repeats() > 1) parts.push_back(counted(plan.repeats(), "repeat"));
  }
  if (plan.members() > 1) parts.push_back(fmt::format("ensembles of {}", plan.members()));
  return fmt::format("{} ({})", printable(run.study->study.name), fmt::join(parts, ", "));
}

const char* activity_name(RunActivity activity) {
  switch (activity) {
    case RunActivity::running:
      return "running";
    case RunActivity::finished:
      return "finished";
    case RunActivity::stopped:
      return "stopped";
    case RunActivity::unknown:
      break;
  }
  return "unknown";
}

std::string status_text(const RunState& run, const RunStatus& status) {
  std::string text = line("run", printable(run.directory)) + line("study", study_text(run)) +
                     line("state", state_text(run, status)) + progress_line(run, status) + results_line(run) +
                     best_lines(run, status) + refit_line(run) + problem_lines(run, status);
  if (!status.attempts.empty()) text += line("jobs", attempts_text(status.attempts));
  if (can_be_resumed(status)) text += line("continue", resume_command_of(run.directory));
  return text;
}

std::string status_json(const RunState& run, const RunStatus& status) {
  const IterationCounts& counts = status.iterations;
  Json json = {{"run", run.directory},
               {"study", run.study->study.name},
               {"program", run.program},
               {"state", activity_name(status.activity)},
               {"jobs", jobs_json(run.jobs.jobs)},
               {"has_results", run.has_results},
               {"earlier_results", nullable(run.earlier_results)},
               {"stages", run.plan.stage_count()}};
  json["iterations"] = {{"total", counts.total},
                        {"planned", counts.total + run.later_iterations},
                        {"finished", counts.finished},
                        {"diverged", counts.diverged},
                        {"failed", counts.failed},
                        {"pruned", counts.pruned},
                        {"unfinished", counts.unfinished},
                        {"cut", counts.cut},
                        {"left", counts.left()}};
  if (!has_total(run))
    for (const char* name : {"total", "planned", "left"}) json["iterations"][name] = nullptr;
  json["trials"] = {{"total", has_total(run) ? Json(run.plan.trial_count()) : Json(nullptr)},
                    {"complete", status.complete_trials}};
  json["iterations_per_second"] = nullable(status.rate);
  json["seconds_left"] =
      status.activity == RunActivity::running && has_total(run) ? nullable(status.seconds_left()) : Json(nullptr);
  json["best"] = status.best ? Json::parse(trial_json(run.study, run.plan, *status.best)) : Json(nullptr);
  json["best_iteration"] = nullable(status.best_iteration);
  json["refit"] = refit_json(run);
  json["ensemble"] = nullptr;
  if (run.ensemble)
    json["ensemble"] = {{"members", run.ensemble->members.size()},
                        {"loss", run.ensemble->loss},
                        {"score", run.ensemble->score},
                        {"best_member", run.ensemble->best_member().trial},
                        {"best_member_loss", run.ensemble->best_member().loss},
                        {"best_member_score", run.ensemble->best_member().score}};
  json["first_failure"] = nullptr;
  if (status.first_failed)
    json["first_failure"] = {{"iteration", *status.first_failed}, {"message", status.first_failure}};
  json["attempts"] = Json::array();
  for (const AttemptStatus& attempt : status.attempts)
    json["attempts"].push_back(
        {{"name", attempt.name}, {"results", attempt.results}, {"iterations_per_second", nullable(attempt.rate)}});
  json["trained_twice"] = status.repeated_results;
  json["checkpoints"] = status.waiting_checkpoints;
  json["warnings"] = run.progress.journals.warnings;
  json["resume"] = can_be_resumed(status) ? Json(resume_command_of(run.directory)) : Json(nullptr);
  constexpr int one_line = -1;
  return json.dump(one_line, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace sheaf

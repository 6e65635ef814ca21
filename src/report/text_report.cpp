// SPDX-License-Identifier: MIT
#include "report/text_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/text.hpp"
#include "report/advice.hpp"
#include "report/importance_picture.hpp"
#include "report/status_report.hpp"
#include "runs/results/summary.hpp"
#include "runs/results/table.hpp"

namespace sheaf {
namespace {

std::string origin_lines(const RunReport& report) {
  std::string text;
  for (const auto& [name, value] : report.stored.origin) text += fmt::format("{:<12} {}\n", name, printable(value));
  for (const auto& [models, values] : report.stored.tests)
    text += fmt::format("{:<12} {}: {}\n", "test", models, values);
  if (report.stored.out_of_bag) text += fmt::format("{:<12} {}\n", "out-of-bag", *report.stored.out_of_bag);
  return text;
}

// The leaderboard; of a run without a search that is not complete, the spread of its iterations.
std::string results_text(const RunReport& report, std::size_t width) {
  const RunState& run = report.run;
  if (report.results) return summary_text(run.study, run.plan, *report.results, width);
  if (report.is_search() || report.objects.empty())
    return fmt::format("No {} is complete yet.\n", report.object_name());
  Spread spread;
  for (const RankedObject& object : report.objects) spread.add(object.value);
  const auto text = [&](double value) { return value_text_of(report.value, value); };
  return fmt::format("{} finished\n", counted(spread.count(), "iteration")) +
         format_table({{"", "mean", "std", "minimum", "maximum"},
                       {report.value.name, text(spread.mean()), text(spread.deviation()), text(spread.minimum()),
                        text(spread.maximum())}});
}

std::string importance_text(const RunReport& report) {
  if (report.keys.empty() || report.objects.size() < 2) return "";
  const bool has_shares = report.keys.front().share.has_value();
  std::vector<std::vector<std::string>> rows = {{"key", "importance"}};
  if (has_shares) rows.front().emplace_back("share of variance");
  for (const std::size_t at : report.importance_order()) {
    const ReportedKey& key = report.keys[at];
    rows.push_back({key.searched.key, fmt::format("{:.3f}", key.importance)});
    if (has_shares) rows.back().push_back(fmt::format("{:.3f}", key.share.value_or(0)));
  }
  return "\nImportance of the searched keys for the best tenth of the trials\n" + format_table(rows);
}

std::string time_text(const RunReport& report) {
  std::vector<std::vector<std::string>> rows = time_rows(report.cost.shares);
  if (rows.empty()) return "";
  rows.insert(rows.begin(), {"part", "seconds", "percent"});
  std::string text = "\nWhere the time of the lanes went\n" + format_table(rows);
  for (const std::string& sentence : cost_sentences(report)) text += sentence + "\n";
  return text;
}

std::string indented(const std::string& lines) {
  std::string text = "  ";
  for (const char character : lines) text += character == '\n' ? "\n  " : std::string(1, character);
  return text + "\n";
}

std::string section(const std::string& title, const std::string& text) {
  return fmt::format("\n{}\n{}", title, text);
}

}  // namespace

std::vector<std::string> cost_sentences(const RunReport& report) {
  std::vector<std::string> sentences = {cost_text(report.cost) + "."};
  if (report.cost.shares.unfinished > 0 && report.status.waiting_checkpoints > 0)
    sentences.push_back(fmt::format("A job that resumes the run continues {} from checkpoints, so less is lost.",
                                    counted(report.status.waiting_checkpoints, "training")));
  if (const auto text = expectation_text(report.cost, report.status.activity == RunActivity::finished))
    sentences.push_back(*text);
  return sentences;
}

std::string verdict_of(const RunReport& report) {
  if (report.is_search() && report.results)
    return "Best: " + printable(best_text(report.run.study, report.run.plan, report.results->trials));
  if (report.objects.empty()) return fmt::format("No {} has a result yet.", report.object_name());
  std::string ensembles;
  if (report.results && !report.results->ensembles.empty()) {
    Spread scores;
    for (const EnsembleResult& ensemble : report.results->ensembles) scores.add(ensemble.score);
    ensembles = fmt::format("; {} of {} members: mean {:.4f}", counted(scores.count(), "ensemble"),
                            report.run.plan.members(), scores.mean());
  }
  Spread spread;
  for (const RankedObject& object : report.objects) spread.add(object.value);
  const auto text = [&](double value) { return value_text_of(report.value, value); };
  if (spread.count() == 1) return fmt::format("{} {} (one iteration)", report.value.name, text(spread.mean()));
  return fmt::format("{}: best {} (iteration {}), mean {}, standard deviation {} over {}", report.value.name,
                     text(report.best().value), report.best().number, text(spread.mean()), text(spread.deviation()),
                     counted(spread.count(), "iteration")) +
         ensembles;
}

std::optional<std::string> refit_verdict(const RunReport& report) {
  const Plan& plan = report.run.plan;
  if (!plan.has_refit()) return std::nullopt;
  const std::vector<Refit>& refits = plan.stage(plan.stage_count() - 1).refits;
  const auto of_best = std::find_if(refits.begin(), refits.end(), [&](const Refit& refit) {
    return report.results && refit.trial == report.results->trials.front().trial;
  });
  const Refit& shown = of_best == refits.end() ? refits.front() : *of_best;
  std::string text = fmt::format(
      "Refit: {} for {}, on {}", report.is_search() ? fmt::format("trial {}", shown.trial) : "the model",
      refit_length_text(shown, plan.trial(shown.trial).train),
      report.stored.refit_rows ? fmt::format("all {}", counted(*report.stored.refit_rows, "row")) : "all rows");
  if (const auto others = static_cast<std::int64_t>(refits.size()) - 1; others > 0)
    text += fmt::format("; also {} of the ensemble", counted(others, "other trial"));
  const IndexRange iterations = plan.refit_iterations();
  const std::int64_t trained = report.run.progress.journals.iterations.count_results(iterations);
  if (trained < iterations.count())
    text += fmt::format("; {} of {} trained", trained, counted(iterations.count(), "iteration"));
  return text;
}

std::optional<std::string> ensemble_verdict(const RunReport& report) {
  if (!report.run.ensemble) return std::nullopt;
  const auto members = static_cast<std::int64_t>(report.run.ensemble->members.size());
  return fmt::format("Ensemble of {}: {}", counted(members, "trial"), ensemble_text(*report.run.ensemble));
}

std::string text_report(const RunReport& report, std::size_t width) {
  std::string text = status_text(report.run, report.status) + origin_lines(report) + "\n" +
                     results_text(report, width) + importance_text(report) + feature_importance_text(report) +
                     time_text(report);
  text += section(report.is_search() && !report.objects.empty() ? "Train the best trial alone" : "Repeat the run",
                  indented(report.repeat_text()));
  std::string predictions;
  for (const std::string& command : report.predict_commands()) predictions += "  " + command + "\n";
  if (!predictions.empty())
    text += section("Predict with the models of the run (without --model, with those of the first line)", predictions);
  std::string advice;
  for (const std::string& sentence : advice_for(advice_facts(report))) advice += "  - " + sentence + "\n";
  return text + section("What to do next", advice);
}

std::string csv_report(const RunReport& report) {
  constexpr std::int64_t rows_per_part = 16384;
  const RunState& run = report.run;
  const auto& metrics = run.study->run.metrics;
  if (report.is_search()) {
    const Table table =
        trial_table(run.plan, report.results ? report.results->trials : std::vector<TrialSummary>{}, metrics);
    return csv_header(table) + csv_rows(table);
  }
  std::string text = csv_header(iteration_table(run.plan, {}, metrics));
  const ResultStore& store = run.progress.journals.iterations;
  const std::int64_t total = store.positions_of({0, run.plan.iteration_count()}).end;
  for (std::int64_t begin = 0; begin < total; begin += rows_per_part) {
    std::vector<TrainedIteration> part;
    for (std::int64_t at = begin; at < std::min(total, begin + rows_per_part); ++at)
      part.push_back(store[static_cast<std::size_t>(at)].trained);
    text += csv_rows(iteration_table(run.plan, part, metrics));
  }
  return text;
}

}  // namespace sheaf

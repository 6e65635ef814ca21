// SPDX-License-Identifier: MIT
#include "results/summary.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "core/text.hpp"

namespace sheaf {
namespace {

constexpr std::size_t leaderboard_rows = 20;

std::string score_name(const Study& study) {
  return study.data.task == Task::classification ? "accuracy" : "R2";
}

std::string short_number(double value) {
  return std::isnan(value) ? "" : fmt::format("{:.4f}", value);
}

std::string loss_number(double value) {
  return std::isnan(value) ? "" : fmt::format("{:.5g}", value);
}

bool has_validation(const Study& study) {
  return study.search.folds > 1 || study.data.validation > 0;
}

std::string diverged_note(const std::vector<IterationRecord>& records) {
  const auto count = std::count_if(records.begin(), records.end(), [](const IterationRecord& record) {
    return record.status == IterationStatus::diverged;
  });
  return count == 0 ? ""
                    : fmt::format("{} of {} iterations diverged (their loss is not finite)\n", count, records.size());
}

// "2 of 60 iterations failed (iteration 7: out of memory ...)": the first one's message.
std::string failed_note(const RunResults& results) {
  const auto failed = [](const IterationRecord& record) { return record.status == IterationStatus::failed; };
  const auto count = std::count_if(results.records.begin(), results.records.end(), failed);
  if (count == 0) return "";
  const auto first = std::find_if(results.records.begin(), results.records.end(), failed) - results.records.begin();
  return fmt::format("{} of {} iterations failed (iteration {}: {})\n", count, results.records.size(), first,
                     results.messages[static_cast<std::size_t>(first)]);
}

std::string iteration_lines(const Study& study, const Plan& plan, const std::vector<IterationRecord>& records) {
  std::string text;
  for (const auto& record : records) {
    if (plan.members() > 1)
      text += fmt::format("Iteration {} (member {}) final loss: {:.4f}", record.iteration,
                          plan.iteration(record.iteration).member, record.final_loss);
    else
      text += fmt::format("Iteration {} final loss: {:.4f}", record.iteration, record.final_loss);
    if (has_validation(study))
      text += fmt::format("  validation loss: {:.4f}  {}: {:.4f}", record.validation_loss, score_name(study),
                          record.validation_score);
    text += "\n";
  }
  return text;
}

std::string ensemble_lines(const Study& study, const Plan& plan, const std::vector<EnsembleRecord>& ensembles) {
  if (ensembles.empty()) return "No ensemble score: no rows validate. Set data.validation or search.folds.\n";
  std::string text;
  for (const auto& ensemble : ensembles) {
    text += fmt::format("Ensemble of {} members", plan.members());
    if (plan.repeats() > 1) text += fmt::format(", repeat {}", ensemble.repeat);
    text += fmt::format(" {}: {:.4f} (members' mean {:.4f})\n", score_name(study), ensemble.score,
                        ensemble.mean_member_score);
  }
  return text;
}

std::string leaderboard(const Study& study, const Plan& plan, const std::vector<IterationRecord>& records,
                        const std::vector<EnsembleRecord>& ensembles) {
  const auto trials = rank_trials(plan, records, ensembles);
  std::vector<std::vector<std::string>> rows(1);
  rows[0] = {"rank"};
  for (const auto& key : plan.searched_keys()) rows[0].push_back(key);
  if (has_validation(study))
    for (const auto& name : {"mean " + score_name(study), std::string("std"), std::string("validation loss")})
      rows[0].push_back(name);
  rows[0].push_back("final loss");
  for (std::size_t place = 0; place < std::min(trials.size(), leaderboard_rows); ++place) {
    const auto& trial = trials[place];
    rows.push_back({fmt::format("{}", trial.rank)});
    for (const auto& value : plan.trials()[static_cast<std::size_t>(trial.trial)].values) rows.back().push_back(value);
    if (has_validation(study))
      for (const auto& cell : {short_number(trial.mean_score), short_number(trial.score_deviation),
                               loss_number(trial.mean_validation_loss)})
        rows.back().push_back(cell);
    rows.back().push_back(loss_number(trial.mean_final_loss));
  }
  std::string text = format_table(rows);
  if (trials.size() > leaderboard_rows)
    text += fmt::format("... and {} more trials in results.csv and results.h5\n", trials.size() - leaderboard_rows);

  std::string best;
  const auto& values = plan.trials()[static_cast<std::size_t>(trials[0].trial)].values;
  for (std::size_t key = 0; key < values.size(); ++key)
    best += fmt::format("{}{} = {}", key ? ", " : "", plan.searched_keys()[key], values[key]);
  std::string over = fmt::format("{} fit{}", trials[0].iterations, trials[0].iterations == 1 ? "" : "s");
  if (plan.folds() > 1) over = fmt::format("{} folds", plan.folds());
  if (plan.repeats() > 1) over += fmt::format(" x {} repeats", plan.repeats());
  if (plan.members() > 1) over += fmt::format(", ensembles of {}", plan.members());
  if (best.empty()) best = "the study's own parameters";
  if (has_validation(study))
    text += fmt::format("Best: {} (mean {} {:.4f} over {})\n", best, score_name(study), trials[0].mean_score, over);
  else
    text += fmt::format("Best: {} (mean final loss {:.5g} over {})\n", best, trials[0].mean_final_loss, over);
  return text;
}

// " (a cnn has convolutions; run.threads = 2)": the different reasons of the trials that LibTorch trained; "" for none.
std::string torch_reasons(const Plan& plan, const RunResults& results) {
  std::vector<std::string> reasons;
  for (const auto& record : results.records) {
    if (record.engine != TrainedBy::torch) continue;
    const auto trial = static_cast<std::size_t>(plan.iteration(record.iteration).trial);
    const std::string& reason = results.engine_reasons.at(trial);
    if (!reason.empty() && std::find(reasons.begin(), reasons.end(), reason) == reasons.end())
      reasons.push_back(reason);
  }
  return reasons.empty() ? "" : fmt::format(" ({})", fmt::join(reasons, "; "));
}

std::string engine_line(const Plan& plan, const RunResults& results) {
  const auto part = [&](const char* name, TrainedBy engine) {
    const auto count = std::count_if(results.records.begin(), results.records.end(),
                                     [engine](const IterationRecord& record) { return record.engine == engine; });
    return count == 0 ? "" : fmt::format("{} {} iteration{}", name, count, count == 1 ? "" : "s");
  };
  std::string torch = part("torch", TrainedBy::torch);
  if (!torch.empty()) torch += torch_reasons(plan, results);
  const std::string resident = part("resident", TrainedBy::resident);
  return fmt::format("engine: {}{}{}\n", torch, torch.empty() || resident.empty() ? "" : ", ", resident);
}

// How long streamed data kept the lanes waiting.
std::string data_line(const RunResults& results) {
  if (results.streamed_bytes == 0) return "";
  double waited = 0, trained = 0;
  for (const auto& record : results.records) {
    waited += record.wait_seconds;
    trained += record.seconds;
  }
  return fmt::format("data: streamed, {} read; {:.1f} % of the lanes' time waited for it\n",
                     human_bytes(static_cast<double>(results.streamed_bytes)), 100 * waited / (waited + trained));
}

}  // namespace

std::string summary_text(const Study& study, const Plan& plan, const RunResults& results) {
  std::string text;
  if (study.search.method != SearchMethod::none) {
    text = leaderboard(study, plan, results.records, results.ensembles);
  } else {
    text = iteration_lines(study, plan, results.records);
    if (plan.members() > 1) text += ensemble_lines(study, plan, results.ensembles);
  }
  return text + engine_line(plan, results) + data_line(results) + diverged_note(results.records) + failed_note(results);
}

}  // namespace sheaf

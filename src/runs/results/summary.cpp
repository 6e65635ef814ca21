// SPDX-License-Identifier: MIT
#include "runs/results/summary.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "core/fitted_table.hpp"
#include "core/text.hpp"
#include "search/leaderboard.hpp"
#include "study/effective_values.hpp"
#include "study/key_defaults.hpp"
#include "study/metrics.hpp"
#include "study/validation_epochs.hpp"

namespace sheaf {
namespace {

constexpr std::size_t leaderboard_rows = 20;

std::string score_name(const Study& study) {
  return score_metric(study).label();
}

// The numbers of the metrics of run.metrics, except that of the score.
std::vector<std::size_t> further_metrics(const Study& study) {
  std::vector<std::size_t> numbers;
  for (std::size_t number = 0; number < study.run.metrics.size(); ++number)
    if (!(study.run.metrics[number] == score_metric(study))) numbers.push_back(number);
  return numbers;
}

// The label of a metric of run.metrics.
std::string metric_label(const Study& study, std::size_t number) {
  return study.run.metrics[number].label();
}

std::string short_number(double value) {
  return std::isnan(value) ? "" : fmt::format("{:.4f}", value);
}

std::string loss_number(double value) {
  return std::isnan(value) ? "" : fmt::format("{:.5g}", value);
}

// A score in a line of text. It may be undefined although the training finished, such as R2 of one row.
std::string score_text(double score, double validation_loss) {
  return std::isnan(score) && std::isfinite(validation_loss) ? "not defined" : fmt::format("{:.4f}", score);
}

std::string left_out_note(const RunResults& results) {
  std::string text;
  const std::string total = counted(results.iterations, "iteration");
  if (results.pruned > 0)
    text += fmt::format("{} of {} pruned (their trials had lost before)\n", results.pruned, total);
  if (results.unfinished > 0)
    text += fmt::format("{} of {} unfinished (search.time was over)\n", results.unfinished, total);
  if (results.cut > 0)
    text += fmt::format("{} of {} cut (search.time was over; their best epochs so far count)\n", results.cut, total);
  return text;
}

std::string diverged_note(const RunResults& results) {
  return results.diverged == 0 ? ""
                               : fmt::format("{} of {} diverged (their loss is not finite)\n", results.diverged,
                                             counted(results.iterations, "iteration"));
}

// "2 of 60 iterations failed (iteration 7: out of memory ...)", with the message of the first one.
std::string failed_note(const RunResults& results) {
  return results.failed == 0
             ? ""
             : fmt::format("{} of {} failed (iteration {}: {})\n", results.failed,
                           counted(results.iterations, "iteration"), results.first_failed, results.first_failure);
}

std::string iteration_lines(const Study& study, const Plan& plan, const std::vector<FinalValues>& iterations) {
  fmt::memory_buffer text;
  const auto add = [&](const auto&... arguments) { fmt::format_to(fmt::appender(text), arguments...); };
  const std::string score = score_name(study);
  std::int64_t number = 0;
  for (const auto& iteration : iterations) {
    if (plan.members() > 1)
      add("Iteration {} (member {}) final loss: {:.5g}", number, plan.iteration(number).member, iteration.final_loss);
    else
      add("Iteration {} final loss: {:.5g}", number, iteration.final_loss);
    if (validates(study))
      add("  validation loss: {:.5g}  {}: {}", iteration.validation_loss, score,
          score_text(iteration.validation_score, iteration.validation_loss));
    for (const std::size_t metric : further_metrics(study))
      add("  {}: {}", metric_label(study, metric), score_text(iteration.metrics[metric], iteration.validation_loss));
    if (iteration.best_epoch >= 0) add("  epochs: {}  best epoch: {}", iteration.epochs, iteration.best_epoch);
    text.push_back('\n');
    ++number;
  }
  return fmt::to_string(text);
}

bool lists_ensembles(const RunResults& results) {
  return static_cast<std::int64_t>(results.ensembles.size()) <= max_listed;
}

// The spread of the finished iterations, one row per value.
std::string iteration_statistics(const Study& study, const RunResults& results) {
  std::vector<std::vector<std::string>> rows = {{"", "mean", "std", "minimum", "maximum"}};
  const auto add = [&](const std::string& name, const Spread& spread, std::string (*text)(double)) {
    rows.push_back(
        {name, text(spread.mean()), text(spread.deviation()), text(spread.minimum()), text(spread.maximum())});
  };
  add("final loss", results.spreads.final_loss, loss_number);
  if (validates(study)) {
    add("validation loss", results.spreads.validation_loss, loss_number);
    add(score_name(study), results.spreads.validation_score, short_number);
    for (const std::size_t metric : further_metrics(study))
      add(metric_label(study, metric), results.spreads.metrics[metric], short_number);
  }
  if (!lists_ensembles(results)) add("ensemble " + score_name(study), results.spreads.ensemble_score, short_number);
  return fmt::format("{} finished; each is in results.csv and results.h5\n",
                     counted(results.spreads.final_loss.count(), "iteration")) +
         format_table(rows);
}

std::string ensemble_lines(const Study& study, const Plan& plan, const std::vector<EnsembleResult>& ensembles) {
  if (ensembles.empty()) return "No ensemble score (no validation rows). Set data.validation or search.folds.\n";
  std::string text;
  for (const auto& ensemble : ensembles) {
    text += fmt::format("Ensemble of {} members", plan.members());
    if (plan.repeats() > 1) text += fmt::format(", repeat {}", ensemble.repeat);
    text += fmt::format(" {}: {:.4f} (mean of members {:.4f})\n", score_name(study), ensemble.score,
                        ensemble.mean_member_score);
  }
  return text;
}

// The name of a key without its section.
std::string short_key(const std::string& key) {
  return key.substr(key.find('.') + 1);
}

// The columns of the leaderboard. The value that ranks the trials and the searched keys are the most important.
std::vector<FittedColumn> leaderboard_columns(const Study& study, const Plan& plan,
                                              const std::vector<TrialSummary>& trials) {
  std::vector<FittedColumn> columns;
  const auto add = [&](const std::string& name, const std::string& short_name, int importance, bool may_be_cut,
                       const auto& cell) {
    columns.push_back({name, short_name, importance, may_be_cut, {}});
    for (std::size_t row = 0; row < std::min(trials.size(), leaderboard_rows); ++row)
      columns.back().cells.push_back(cell(trials[row]));
  };
  constexpr int ranking = 5, searched = 4;
  add("rank", "rank", ranking, false, [](const TrialSummary& t) { return fmt::format("{}", t.rank); });
  std::vector<std::vector<std::optional<std::string>>> values;
  for (std::size_t row = 0; row < std::min(trials.size(), leaderboard_rows); ++row)
    values.push_back(effective_values(plan, trials[row].trial));
  for (std::size_t key = 0; key < plan.searched_keys().size(); ++key) {
    const std::string& name = plan.searched_keys()[key];
    add(name, short_key(name), searched, true, [&](const TrialSummary& t) {
      return printable(values[static_cast<std::size_t>(&t - trials.data())][key].value_or("-"));
    });
  }
  if (plan.stage(0).pauses())
    add("epochs", "epochs", ranking, false, [&](const TrialSummary& t) {
      return fmt::format("{}", plan.stage(t.stage).epochs_of(t.trial, plan.trial(t.trial).train.epochs).end);
    });
  if (std::any_of(trials.begin(), trials.end(), [](const TrialSummary& t) { return t.left_out > 0; }))
    add("fits", "fits", ranking, false,
        [](const TrialSummary& t) { return fmt::format("{}/{}", t.iterations - t.left_out, t.iterations); });
  if (std::any_of(trials.begin(), trials.end(), [](const TrialSummary& t) { return t.cut > 0; }))
    add("cut", "cut", ranking, false,
        [](const TrialSummary& t) { return t.cut > 0 ? fmt::format("{}/{}", t.cut, t.iterations) : ""; });
  const bool by_loss = ranking_of(study).by_loss;
  if (validates(study)) {
    add("mean " + score_name(study), score_name(study), by_loss ? 3 : ranking, false,
        [](const TrialSummary& t) { return short_number(t.mean_score); });
    add("std", "std", 1, false, [](const TrialSummary& t) { return short_number(t.score_deviation); });
    add("validation loss", "val. loss", by_loss ? ranking : 2, false,
        [](const TrialSummary& t) { return loss_number(t.mean_validation_loss); });
    for (const std::size_t metric : further_metrics(study))
      add("mean " + metric_label(study, metric), metric_label(study, metric), 2, false,
          [metric](const TrialSummary& t) { return short_number(t.mean_metrics[metric]); });
  }
  add("final loss", "final loss", validates(study) ? 0 : ranking, false,
      [](const TrialSummary& t) { return loss_number(t.mean_final_loss); });
  return columns;
}

// "3 of 12 trials have fits for which ROC AUC is not defined; the mean is over the other fits"
std::string undefined_note(const Study& study, const RunResults& results) {
  const std::int64_t undefined = results.trials_with_undefined_scores();
  return undefined == 0 ? ""
                        : fmt::format("{} of {} {} fits for which {} is not defined; the mean is over the other fits\n",
                                      undefined, counted(static_cast<std::int64_t>(results.trials.size()), "trial"),
                                      undefined == 1 ? "has" : "have", score_name(study));
}

std::string leaderboard(const Study& study, const Plan& plan, const RunResults& results, std::size_t width) {
  const std::vector<TrialSummary>& trials = results.trials;
  const FittedTable table = fitted_table(leaderboard_columns(study, plan, trials), width);
  std::string text = table.text;
  if (table.omitted > 0)
    text +=
        fmt::format("({} not shown; see results.h5)\n", counted(static_cast<std::int64_t>(table.omitted), "column"));
  if (trials.size() > leaderboard_rows)
    text += fmt::format("... and {} more in results.csv and results.h5\n",
                        counted(static_cast<std::int64_t>(trials.size() - leaderboard_rows), "trial"));
  text += undefined_note(study, results);
  if (study.search.metric == "loss" && !has_one_loss(study))
    text += fmt::format("Ranked by {} (losses of different kinds are not comparable)\n", score_name(study));
  return text + fmt::format("Best: {}\n", best_text(study, plan, trials));
}

// "native 88 iterations, torch 12 iterations (the network has convolutions; run.threads = 2)". If an engine has trained
// on both kinds of devices: "torch 8 iterations on GPUs (run.engine = torch), torch 4 iterations on cores (...)".
std::string engine_line(const RunResults& results) {
  std::vector<std::string> parts;
  for (const auto& engine : results.engines) {
    const bool on_both = std::count_if(results.engines.begin(), results.engines.end(),
                                       [&](const EngineUse& other) { return other.name == engine.name; }) > 1;
    parts.push_back(fmt::format("{} {}{}", engine.name.view(), counted(engine.iterations, "iteration"),
                                !on_both        ? ""
                                : engine.on_gpu ? " on GPUs"
                                                : " on cores"));
    if (!engine.reasons.empty()) parts.back() += fmt::format(" ({})", fmt::join(engine.reasons, "; "));
  }
  return fmt::format("engine: {}\n", fmt::join(parts, ", "));
}

// How long lanes had no work, if there were several.
std::string lanes_line(const RunResults& results) {
  if (!results.idle_share || results.ranks.lane_count() < 2) return "";
  return fmt::format("lanes: {}, idle for {:.1f} % of the time\n", results.ranks.lane_count(),
                     100 * *results.idle_share);
}

// The bytes of streamed data and the time that lanes waited for them.
std::string data_line(const RunResults& results) {
  if (results.streamed_bytes == 0) return "";
  return fmt::format("data: streamed, {} read; lanes waited for it {:.1f} % of the time\n",
                     human_bytes(static_cast<double>(results.streamed_bytes)),
                     100 * results.wait_seconds / (results.wait_seconds + results.seconds));
}

}  // namespace

std::string best_text(const Study& study, const Plan& plan, const std::vector<TrialSummary>& trials) {
  std::string best;
  const auto values = effective_values(plan, trials[0].trial);
  for (std::size_t key = 0; key < values.size(); ++key)
    if (values[key])
      best += fmt::format("{}{} = {}", best.empty() ? "" : ", ", plan.searched_keys()[key], *values[key]);
  const Stage& stage = plan.stage(trials[0].stage);
  std::string over;
  if (stage.folds.count() > 1) over = fmt::format("{} folds", stage.folds.count());
  if (stage.repeats.end > 1) over += fmt::format("{}{} repeats", over.empty() ? "" : " x ", stage.repeats.end);
  if (over.empty()) over = counted(trials[0].iterations, "fit");
  if (stage.members > 1) over += fmt::format(", ensembles of {}", stage.members);
  if (best.empty()) best = "the parameters of the study";
  const TrialSummary& first = trials[0];
  if (first.scores > 0 && first.undefined_scores > 0)
    over +=
        fmt::format(", {} defined in {} of {}", score_name(study), first.scores, first.scores + first.undefined_scores);
  const bool by_loss = ranking_of(study).by_loss;
  const double value = !validates(study) ? first.mean_final_loss
                       : by_loss         ? first.mean_validation_loss
                                         : first.mean_score;
  const bool is_undefined = validates(study) && !by_loss && !std::isfinite(value);
  if (is_undefined && std::isfinite(first.mean_validation_loss))  // the order of equal scores
    return fmt::format("{} (mean validation loss {:.5g} over {}; {} is not defined for all of them)", best,
                       first.mean_validation_loss, over, score_name(study));
  if (!std::isfinite(value)) return "none (each trial has iterations that diverged or failed)";
  if (!validates(study)) return fmt::format("{} (mean final loss {:.5g} over {})", best, value, over);
  if (by_loss)
    return fmt::format("{} (mean validation loss {:.5g}, {} {} over {})", best, value, score_name(study),
                       score_text(first.mean_score, first.mean_validation_loss), over);
  return fmt::format("{} (mean {} {:.4f} over {})", best, score_name(study), value, over);
}

std::string refit_length_text(const Refit& refit, const TrainOptions& train) {
  return fmt::format("{} ({})", counted(refit.steps(), "step"),
                     train.best_weights.value_or(false)
                         ? fmt::format("median best epoch {}", refit.epochs - 1)
                         : fmt::format("{} of the median fit", counted(refit.epochs, "epoch")));
}

std::string refit_text(const Plan& plan, const RunResults& results) {
  const RefitResults& refit = *results.refit;
  const std::string rows = counted(refit.rows, "row");
  std::size_t others = refit.trials.size();
  std::string text = fmt::format("no refit of the best trial on all {}", rows);  // another program chose another trial
  if (const RefitResult* const of_best = results.best_refit()) {
    --others;
    text = fmt::format("the best trial was trained again on all {} for {}", rows,
                       refit_length_text(of_best->refit, plan.trial(of_best->refit.trial).train));
  }
  if (others > 0)
    text += fmt::format(", and {} of the ensemble", counted(static_cast<std::int64_t>(others), "other trial"));
  if (const std::int64_t total = refit.iterations(); refit.finished() < total)
    text += fmt::format("; {} of {} did not finish", total - refit.finished(), counted(total, "training"));
  return text;
}

std::string models_line(const std::string& directory, const RunResults& results) {
  const auto& models = results.models();
  const std::string others = models.size() == 1 ? "" : fmt::format(" (ensemble of {})", models.size());
  const bool is_refit = results.predicts_with_refit();
  const std::string option = !results.trial_ensemble ? "" : is_refit ? " --model=refit" : " --model=best";
  return fmt::format("{3}: {0}/{1}{2}; predict with: sheaf predict {0} NEW.csv OUT.csv{4}", directory, models.front(),
                     others, is_refit ? "refit" : "best model", option);
}

std::string test_text(const TestResult& test) {
  std::string text = fmt::format("loss {:.5g}", test.loss);
  for (std::size_t number = 0; number < test.study_metrics; ++number)
    text +=
        fmt::format(", {} {}", test.metrics[number].metric.label(),
                    std::isnan(test.metrics[number].value) ? "not defined" : short_number(test.metrics[number].value));
  return text + fmt::format(" on {}", counted(test.rows, "row"));
}

std::string summary_text(const Study& study, const Plan& plan, const RunResults& results, std::size_t width) {
  std::string text;
  if (study.search.searches()) {
    text = leaderboard(study, plan, results, width);
  } else {
    text = results.search_iterations() <= max_listed ? iteration_lines(study, plan, results.final_values)
                                                     : iteration_statistics(study, results);
    if (plan.members() > 1 && lists_ensembles(results) && !(results.ensembles.empty() && results.out_of_bag))
      text += ensemble_lines(study, plan, results.ensembles);
  }
  if (results.refit) text += fmt::format("Refit: {}\n", refit_text(plan, results));
  if (const auto& ensemble = results.trial_ensemble)
    text += fmt::format("Ensemble of {}: {}\n{}", counted(static_cast<std::int64_t>(ensemble->members.size()), "trial"),
                        ensemble_text(*ensemble), member_lines(*ensemble));
  if (results.test)
    text +=
        fmt::format("Test of the {}: {}\n", results.test->of_refit ? "refit" : "best model", test_text(*results.test));
  if (results.out_of_bag)
    text += fmt::format("Out-of-bag score of the {}: {}\n", results.out_of_bag->of_refit ? "refit" : "best model",
                        test_text(*results.out_of_bag));
  if (results.trial_ensemble && results.trial_ensemble->test)
    text += fmt::format("Test of the ensemble: {}\n", test_text(*results.trial_ensemble->test));
  return text + engine_line(results) + lanes_line(results) + data_line(results) + left_out_note(results) +
         diverged_note(results) + failed_note(results);
}

}  // namespace sheaf

// SPDX-License-Identifier: MIT
#include "report/advice.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>

#include "core/error.hpp"
#include "core/escaped.hpp"
#include "core/text.hpp"
#include "report/plot/scale.hpp"
#include "runs/directory/run_directory.hpp"
#include "study/range_value.hpp"
#include "study/searched_text.hpp"
#include "study/settings.hpp"
#include "study/validation_epochs.hpp"

namespace sheaf {
namespace {

constexpr std::size_t max_sentences = 5;

// Where a value lies in a range or in a list of numbers: 0 is its low end, 1 its high end; nothing: it has no order.
std::optional<double> place_in(const SearchedKey& searched, const std::string& value) {
  if (searched.sampling != Sampling::list) {
    return Scale{is_logarithmic(searched.sampling) ? ScaleKind::logarithmic : ScaleKind::linear,
                 range_number(searched.candidates.front()), range_number(searched.candidates.back()), 0, 1}
        .at(range_number(value));
  }
  std::vector<double> numbers;
  for (const auto& candidate : searched.candidates) {
    char* end = nullptr;
    numbers.push_back(std::strtod(candidate.c_str(), &end));
    if (candidate.empty() || *end != '\0') return std::nullopt;
  }
  std::sort(numbers.begin(), numbers.end());
  if (numbers.size() < 3 || numbers.front() == numbers.back()) return std::nullopt;
  const double number = std::strtod(value.c_str(), nullptr);
  return number == numbers.front() ? 0 : number == numbers.back() ? 1 : 0.5;
}

// Whether the key accepts values a little beyond an end of its range or its list of numbers.
bool can_widen(const SearchedKey& searched, bool is_low) {
  std::vector<double> numbers;
  for (const auto& candidate : searched.candidates) numbers.push_back(std::strtod(candidate.c_str(), nullptr));
  const auto [low, high] = std::minmax_element(numbers.begin(), numbers.end());
  const double end = is_low ? *low : *high, step = is_low ? -1 : 1;
  const auto is_whole = [](double number) { return number == std::floor(number); };
  const bool whole = std::all_of(numbers.begin(), numbers.end(), is_whole) && searched.sampling != Sampling::uniform;
  const double beyond = whole                               ? end + step
                        : is_logarithmic(searched.sampling) ? end * std::pow(1.01, step)
                                                            : end + 0.01 * step * (*high - *low);
  try {
    value_setter(searched.key, fmt::format("{:.6g}", beyond));
    return true;
  } catch (const UsageError&) {
    return false;
  }
}

std::string edge_advice(const BestKeyValue& key) {
  constexpr double margin = 0.05;
  const auto place = place_in(key.searched, key.best);
  if (!place || (*place > margin && *place < 1 - margin)) return "";
  const bool is_low = *place <= margin;
  if (!can_widen(key.searched, is_low)) return "";
  return fmt::format("The best value of {} ({}) is at the {} end of its search ({}): widen the search to {} values.",
                     key.searched.key, printable(key.best), is_low ? "low" : "high",
                     printable(searched_text(key.searched)), is_low ? "smaller" : "larger");
}

const std::vector<double>& shown_losses(const LearningCurve& curve) {
  const bool has_validation = std::any_of(curve.validation_loss.begin(), curve.validation_loss.end(),
                                          [](double loss) { return std::isfinite(loss); });
  return has_validation ? curve.validation_loss : curve.training_loss;
}

// Whether a curve still falls at its end: the mean of its last tenth is lower than that of the tenth before by at least
// 2 % of its whole fall.
bool still_falls(const LearningCurve& curve) {
  const std::vector<double>& losses = shown_losses(curve);
  const std::size_t part = std::max<std::size_t>(1, losses.size() / 10);
  if (losses.size() < 5) return false;
  const auto mean = [&](std::size_t begin) {
    double sum = 0;
    for (std::size_t at = begin; at < begin + part; ++at) sum += losses[at];
    return sum / static_cast<double>(part);
  };
  const double last = mean(losses.size() - part), before = mean(losses.size() - 2 * part);
  const double fall = losses.front() - last;
  return fall > 0 && before - last >= 0.02 * fall;
}

// Whether the loss has risen by more than a fifth of its fall since its lowest value, which was in the first 7 tenths.
bool overfits(const LearningCurve& curve) {
  const std::vector<double>& losses = shown_losses(curve);
  if (losses.size() < 5) return false;
  const auto lowest = std::min_element(losses.begin(), losses.end());
  const auto place = static_cast<double>(lowest - losses.begin()) / static_cast<double>(losses.size());
  return place < 0.7 && losses.back() - *lowest > 0.2 * (losses.front() - *lowest);
}

std::string curve_advice(const std::vector<LearningCurve>& curves) {
  constexpr std::size_t best = 5;
  const auto end = curves.begin() + static_cast<std::ptrdiff_t>(std::min(best, curves.size()));
  if (curves.empty()) return "";
  if (std::all_of(curves.begin(), end, still_falls))
    return fmt::format("The losses of the best {} still fall after {} epochs: train longer (--train.epochs={}).",
                       counted(end - curves.begin(), "curve"), curves.front().epochs.back(),
                       2 * static_cast<std::int64_t>(curves.front().epochs.back()));
  if (std::all_of(curves.begin(), end, overfits))
    return "The validation losses of the best curves rise again long before the end: keep the best weights "
           "(--train.best_weights=true), or stop early (--train.patience=5).";
  return "";
}

// Trials whose values are as good as the best one, given the spread of its folds: within its standard error.
std::string spread_advice(const AdviceFacts& facts) {
  if (facts.folds < 2 || facts.best_values.size() < 2 || !(facts.fold_deviation > 0)) return "";
  const double error = facts.fold_deviation / std::sqrt(static_cast<double>(facts.folds));
  const auto equal = std::count_if(facts.best_values.begin(), facts.best_values.end(),
                                   [&](double value) { return std::abs(value - facts.best_values.front()) <= error; });
  if (equal < 2) return "";
  const bool are_all = equal == static_cast<std::int64_t>(facts.best_values.size());
  return fmt::format(
      "The best {}{} differ by less than the standard error over the folds ({}): they are equally good. "
      "Take the cheapest one, or compare them with more repeats ({}--search.repeats={}).",
      counted(equal, "trial"), are_all && equal >= 10 ? " or more" : "", short_number(error, 2),
      facts.may_add_repeats ? fmt::format("sheaf resume {} ", shell_word(facts.directory)) : "", facts.repeats + 2);
}

std::string idle_advice(const AdviceFacts& facts) {
  const double total = facts.shares.total();
  if (!(total > 0)) return "";
  if (facts.shares.waiting > 0.2 * total)
    return fmt::format(
        "Lanes waited for data {:.0f} % of the time: give the job more memory for data (data.memory), "
        "or fewer lanes.",
        100 * facts.shares.waiting / total);
  if (facts.lanes < 2 || facts.shares.idle < 0.2 * total) return "";
  const double per_lane = static_cast<double>(facts.trained) / static_cast<double>(facts.lanes);
  std::vector<std::string> remedies;
  if (facts.has_static_partition) remedies.emplace_back("run.partition = dynamic");
  if (facts.has_batch) remedies.emplace_back("a larger search.batch");
  remedies.emplace_back("fewer lanes");
  return fmt::format("The {} were idle for {:.0f} % of the time: {}.", counted(facts.lanes, "lane"),
                     100 * facts.shares.idle / total,
                     per_lane < 4 ? "there are few iterations for so many lanes, so use fewer ranks or lanes"
                                  : fmt::format("use {}", fmt::join(remedies, " or ")));
}

std::string lost_advice(const AdviceFacts& facts) {
  const double total = facts.shares.total();
  if (!(facts.shares.unfinished > 0.1 * total)) return "";
  return fmt::format(
      "Killed jobs have lost {:.0f} % of the time: save checkpoints more often (a lower run.checkpoint_interval), or "
      "end jobs by a signal or run.time_limit, which saves all trainings.",
      100 * facts.shares.unfinished / total);
}

std::string diverged_advice(const AdviceFacts& facts) {
  if (facts.trained == 0 || facts.diverged * 10 < facts.trained) return "";
  return fmt::format("{} of {} diverged: lower the largest learning rate, or clip gradients (train.clip_norm).",
                     facts.diverged, counted(facts.trained, "iteration"));
}

}  // namespace

AdviceFacts advice_facts(const RunReport& report) {
  constexpr std::size_t compared = 10;
  const RunState& run = report.run;
  AdviceFacts facts;
  const IterationCounts& counts = report.status.iterations;
  if (report.status.activity == RunActivity::stopped || report.status.activity == RunActivity::unknown ||
      counts.failed > 0)
    facts.resume = resume_command_of(run.directory);
  facts.trained = counts.finished + counts.cut + counts.diverged + counts.failed;
  facts.failed = counts.failed;
  facts.diverged = counts.diverged;
  facts.is_search = report.is_search();
  facts.has_validation = validates(run.study);
  for (std::size_t rank = 0; rank < std::min(compared, report.best_order.size()); ++rank)
    facts.best_values.push_back(report.objects[static_cast<std::size_t>(report.best_order[rank])].value);
  if (report.is_search() && !report.objects.empty()) {
    for (const ReportedKey& key : report.keys)
      if (const auto& best = key.values[static_cast<std::size_t>(report.best_order.front())])
        facts.keys.push_back({key.searched, *best});
    const std::vector<double> folds = report.fold_values(report.results->trials.front());
    facts.folds = static_cast<std::int64_t>(folds.size());
    Spread spread;
    for (const double fold : folds) spread.add(fold);
    if (folds.size() > 1)
      facts.fold_deviation =
          spread.deviation() * std::sqrt(static_cast<double>(folds.size()) / static_cast<double>(folds.size() - 1));
  }
  facts.curves = report.curves;
  facts.shares = report.cost.shares;
  facts.lanes = report.cost.lanes;
  const AutoOr<PartitionKind> partition = run.study->run.partition;
  facts.has_static_partition = partition == PartitionKind::block || partition == PartitionKind::cyclic;
  facts.has_batch = run.study->search.depends_on_results();
  facts.records_curves = run.study.curves();
  facts.is_tested = !report.stored.tests.empty();
  facts.repeats = run.study->search.repeats;
  facts.may_add_repeats = run.study->search.may_add_repeats();
  facts.directory = run.directory;
  if (!report.stored.models.empty()) facts.models = report.stored.models.front();
  return facts;
}

std::vector<std::string> advice_for(const AdviceFacts& facts) {
  std::vector<std::string> sentences;
  const auto add = [&](const std::string& sentence) {
    if (!sentence.empty() && sentences.size() < max_sentences) sentences.push_back(sentence);
  };
  if (!facts.resume.empty())
    add(facts.failed > 0 ? fmt::format("{} failed: see the message, then train them again: {}",
                                       counted(facts.failed, "iteration"), facts.resume)
                         : fmt::format("The run is not complete: continue it with {}", facts.resume));
  add(diverged_advice(facts));
  add(lost_advice(facts));
  for (const BestKeyValue& key : facts.keys)
    if (sentences.size() + 2 < max_sentences) add(edge_advice(key));
  add(curve_advice(facts.curves));
  add(spread_advice(facts));
  add(idle_advice(facts));
  if (!facts.has_validation)
    add("No rows are held out, so only training losses are known: set data.validation = 0.1, or search.folds = 5.");
  const std::string directory = shell_word(facts.directory);
  if (facts.models && !facts.is_tested)
    add(fmt::format("Measure the {} on rows that no training has seen: sheaf evaluate {} --data.file=TEST.h5",
                    row_of(*facts.models).text, directory));
  if (facts.curves.empty() && !facts.records_curves)
    add("Learning curves show whether trainings are long enough: repeat the run with --run.curves=true.");
  if (sentences.size() < 2)
    add(facts.is_search && facts.best_values.empty()
            ? "No trial is complete: see the messages in results.csv, or let the run go on."
        : facts.is_search
            ? "Train the best trial alone with the command above, with several seeds, to see how much its "
              "value depends on the initial weights (--study.iterations=10)."
            : "Search for better settings: list values of keys in the section [search] of the study.");
  if (sentences.size() < 2) add(fmt::format("Show the state of the run at any time: sheaf status {}", directory));
  return sentences;
}

}  // namespace sheaf

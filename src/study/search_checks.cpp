// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "core/quoted.hpp"
#include "core/text.hpp"
#include "study/combinations.hpp"
#include "study/key_defaults.hpp"
#include "study/losses.hpp"
#include "study/metrics.hpp"
#include "study/search_spaces.hpp"
#include "study/searched_keys.hpp"
#include "study/searched_text.hpp"
#include "study/section_checks.hpp"
#include "study/settings_table.hpp"
#include "study/trial_ensemble.hpp"
#include "study/trial_space.hpp"

namespace sheaf {
namespace {

void check_all_metrics(const Study& study, Problems& problems) {
  if (const auto score = read_metric(study.search.metric)) check_metrics(study, "search.metric", {*score}, problems);
  check_metrics(study, "run.metrics", study.run.metrics, problems);
}

// Whether the number of trials follows from train.epochs.
bool is_one_pass(const SearchOptions& search) {
  return search.trials == 0 && search.method_row().trials == TrialSource::scheduled;
}

// Checks the searched keys of a search that needs some, and the number of trials that are drawn from them.
void check_trials(const Study& study, Problems& problems) {
  const SearchOptions& search = study.search;
  const std::string method = assignment(study, "search.method");
  const auto combinations =
      static_cast<double>(search.earlier.empty() ? Combinations(study).count() : TrialSpace(study).most());
  if (search.keys.empty())
    problems.add({"search.method", "search.trials"},
                 fmt::format("{} has nothing to search (no searched keys). Add lists or ranges to [search], e.g. "
                             "train.learning_rate = log_uniform(1e-4, 1e-1).",
                             method));
  else if (!has_ranges(search) && static_cast<double>(trial_count(study)) > combinations) {
    const std::string trials =
        is_one_pass(search) ? fmt::format("one pass of {} has {}, which", method, counted(trial_count(study), "trial"))
                            : assignment(study, "search.trials");
    const bool too_few = search.method_row().divides_epochs && combinations < double(search.factor);
    problems.add({"search.method", "search.trials"},
                 fmt::format("{} is more than the {} of the lists in [search]. Set {} to train each of them once.",
                             trials, counted(static_cast<std::int64_t>(combinations), "combination"),
                             too_few ? "search.method = grid" : fmt::format("search.trials = {:.0f}", combinations)));
  }
}

// Why the earlier repeats are not those of an extended search; nothing: they may be.
std::string earlier_repeats_problem(const Study& study) {
  const SearchOptions& search = study.search;
  if (search.keys.empty() && !search.earlier_repeats.empty()) return "it has one trial";
  std::int64_t before = 0;
  for (const std::int64_t repeats : search.earlier_repeats) {
    if (repeats <= before || repeats >= search.repeats) return "its numbers do not ascend up to search.repeats";
    before = repeats;
  }
  return "";
}

// Why the earlier lists and ranges are not those of an extended search; nothing: they may be.
std::string earlier_problem(const Study& study) {
  const SearchOptions& search = study.search;
  std::int64_t trials = 0;
  for (std::size_t space = 0; space < search.earlier.size(); ++space) {
    const EarlierSpace& earlier = search.earlier[space];
    const auto is_range = [](const SearchedKey& searched) { return searched.sampling != Sampling::list; };
    const bool has_range = std::any_of(earlier.keys.begin(), earlier.keys.end(), is_range);
    const Study former = study_of_space(study, space);
    if (!have_same_keys(earlier.keys, search.keys)) return "it has other keys than the search";
    if (earlier.trials < trials) return "its numbers of trials do not ascend";
    if (!search.draws_trials() && has_range) return "a grid needs lists";
    if (!search.draws_trials() && earlier.trials != trial_count(former))
      return fmt::format("the grid has {} up to there, not {}", trial_count(former), earlier.trials);
    if (search.draws_trials() && !has_range && earlier.trials > TrialSpace(former).most())
      return fmt::format("its lists have fewer than {} combinations", earlier.trials);
    trials = earlier.trials;
  }
  const auto start = static_cast<std::int64_t>(search.start.size());
  if (!search.earlier.empty() && search.earlier.front().trials < start)
    return "the trials of search.start have its first lists and ranges";
  return "";
}

// Checks the trials that are trained first.
void check_start(const Study& study, Problems& problems) {
  const SearchOptions& search = study.search;
  const auto refuse = [&](const std::string& key, const std::string& problem) {
    problems.add({"search.start", key}, "search.start " + problem);
  };
  const std::vector<SearchedKey>& keys = keys_of_space(search, 0);
  for (const StartTrial& trial : search.start)
    for (const auto& [key, value] : trial) {
      const auto searched =
          std::find_if(keys.begin(), keys.end(), [&key = key](const SearchedKey& known) { return known.key == key; });
      if (searched == keys.end())
        refuse(key, fmt::format("has a value of {}, which is not searched. Leave it out, or search it.", quoted(key)));
      else if (!searched_value(*searched, value))
        refuse(key, fmt::format("has {} = {}, which is outside the search (search.{} = {}). Change one of them.", key,
                                quoted(value), key, searched_text(*searched)));
    }
  const bool draws = search.draws_trials();
  const auto count = static_cast<std::int64_t>(search.start.size());
  if ((count > 0 || !search.start_run.empty()) && !draws)
    problems.add({"search.start", "search.trials"},
                 fmt::format("search.start has no effect ({} trains all combinations). Set search.trials.",
                             assignment(study, "search.method")));
  else if (count > 0 && trial_count(study) > 0 && count > trial_count(study))
    problems.add({"search.start", "search.trials"},
                 fmt::format("search.start has {}, but the search has only {}. Increase search.trials.",
                             counted(count, "trial"), trial_count(study)));
}

// Checks a search of all combinations.
void check_lists(const Study& study, Problems& problems) {
  const SearchOptions& search = study.search;
  for (const auto& searched : search.keys)
    if (searched.sampling != Sampling::list && !search.draws_trials())
      problems.add(
          {"search.method", "search.trials", searched.key},
          fmt::format("search.{} = {} is a range, and {}, or list the values.", searched.key, searched_text(searched),
                      search.method == SearchMethod::grid ? "a grid needs lists. Set search.trials for a random search"
                                                          : "search.trials is not set. Set search.trials"));
  const bool has_folds = search.folds > 1 || has_given_folds(study) || may_have_given_folds(study);
  if (search.method == SearchMethod::grid && search.keys.empty() && !has_folds)
    problems.add({"search.method", "search.folds"},
                 "search.method = grid has nothing to search (no searched keys, search.folds = 1). Add candidates to "
                 "[search], e.g. train.learning_rate = 1e-3, 1e-2, or set search.folds.");
}

// One message names the method that fits all of [search].
void check_no_search(const Study& study, Problems& problems) {
  const SearchOptions& search = study.search;
  if (!search.keys.empty())
    return problems.add(
        {"search.method", "search.trials"},
        fmt::format("searched keys need a search method (search.method = none). Set search.method = {}.",
                    search.trials > 0 ? "random" : "grid"));
  if (search.trials > 0)
    problems.add(
        {"search.method", "search.trials"},
        fmt::format("search.trials = {} has no effect (search.method = none, and no key is searched). Leave it "
                    "out.",
                    search.trials));
  std::vector<const char*> unused;
  if (search.folds > 1) unused.push_back("search.folds");
  if (search.repeats > 1 && !may_have_given_folds(study)) unused.push_back("search.repeats");
  for (const char* key : unused)
    problems.add({"search.method", key},
                 fmt::format("{} has no effect (search.method = none). Set search.method = grid, which also "
                             "cross-validates a study without searched keys.",
                             assignment(study, key)));
}

// The number of trials of a search that divides the epochs among its stages; nothing if other messages refuse it.
std::optional<std::int64_t> staged_trials(const Study& study) {
  const SearchOptions& search = study.search;
  if (is_searched(study, "train.epochs") || search.keys.empty()) return std::nullopt;
  if (search.draws_trials()) return trial_count(study);
  if (has_ranges(search)) return std::nullopt;
  return Combinations(study).count();
}

// Reports that a search has only one stage: the keys that decide it, why, and what to do.
void add_one_stage(const Study& study, std::vector<std::string> keys, const std::string& why,
                   std::vector<std::string> advice, Problems& problems) {
  keys.insert(keys.begin(), "search.method");
  const SearchOptions& search = study.search;
  advice.push_back(fmt::format("or set search.method = {}", search.trials > 0    ? "random"
                                                            : has_ranges(search) ? "random and search.trials"
                                                                                 : "grid"));
  problems.add(keys, fmt::format("{} has no second stage ({}). {}.", assignment(study, "search.method"), why,
                                 fmt::join(advice, ", ")));
}

// Checks the number of stages of successive halving and of Hyperband. A pass of Hyperband has enough trials.
void check_rungs(const Study& study, Problems& problems) {
  const SearchOptions& search = study.search;
  const std::int64_t epochs = study.train.epochs;
  const auto trials = staged_trials(study);
  if (!trials) return;
  constexpr std::int64_t least_factor = 2;
  std::vector<std::string> advice;
  if (*trials < search.factor && !is_one_pass(search)) {
    advice.emplace_back("Search more trials");
    if (*trials >= least_factor) advice.emplace_back("reduce search.factor");
    add_one_stage(study, {"search.factor", "search.trials"},
                  fmt::format("it has {}, and search.factor = {}", counted(*trials, "trial"), search.factor),
                  std::move(advice), problems);
  } else if (epochs > 0 && search.min_epochs > epochs / search.factor) {
    advice.emplace_back("Increase train.epochs");
    if (epochs >= search.factor) advice.emplace_back("reduce search.min_epochs");
    if (epochs / least_factor >= search.min_epochs) advice.emplace_back("reduce search.factor");
    add_one_stage(study, {"search.min_epochs", "search.factor", "train.epochs"},
                  fmt::format("search.min_epochs = {} times search.factor = {} is more than train.epochs = {}",
                              search.min_epochs, search.factor, epochs),
                  std::move(advice), problems);
  }
}

// Checks the number of stages of median stopping.
void check_median(const Study& study, Problems& problems) {
  const SearchOptions& search = study.search;
  const std::int64_t epochs = study.train.epochs;
  const auto trials = staged_trials(study);
  if (!trials) return;
  if (*trials == 1) return add_one_stage(study, {"search.trials"}, "it has 1 trial", {"Search more trials"}, problems);
  if (epochs == 0) return;  // not settled
  std::vector<std::string> keys, values;
  for (const auto& [key, value] :
       {std::pair("search.interval", search.interval), {"search.min_epochs", search.min_epochs}})
    if (value >= epochs) {
      keys.emplace_back(key);
      values.push_back(assignment(study, key));
    }
  if (keys.empty()) return;
  std::vector<std::string> advice = {"Increase train.epochs"};
  if (epochs > 1) advice.push_back(fmt::format("reduce {}", fmt::join(keys, " and ")));
  const std::string why = fmt::format("train.epochs = {} is not more than {}", epochs, fmt::join(values, " and "));
  keys.emplace_back("train.epochs");
  add_one_stage(study, std::move(keys), why, std::move(advice), problems);
}

}  // namespace

void check_metrics(const Study& study, const std::string& key, const std::vector<MetricChoice>& metrics,
                   Problems& problems) {
  if (metrics.empty()) return;
  for (const MetricChoice& choice : metrics)
    if (study.data.task != automatic && !choice.metric().applies_to(study.data.task))
      problems.add(
          {key, "data.task"},
          fmt::format("{0} = {1} does not apply to {2}. Set {0} to a metric of {2}, such as {3}, or leave it out.", key,
                      choice.name(), setting_text(study, "data.task"), default_metric(study.data.task).name));
  for (const MetricChoice& choice : metrics)
    for (const Loss* const loss : losses_of(study))
      if (choice.metric().losses == MetricLosses::probabilities && !loss->needs_classes())
        problems.add({key, "train.loss"},
                     fmt::format("{0} = {1} needs probabilities (with train.loss = {2}, outputs are not "
                                 "probabilities). Use a different {0}, or a different train.loss.",
                                 key, choice.name(), loss->name));
      else if (choice.metric().losses == MetricLosses::quantiles && !loss->has_quantiles())
        problems.add(
            {key, "train.loss"},
            fmt::format("{0} = {1} needs outputs with quantiles, but train.loss = {2}. Use a different {0}, or "
                        "train.loss = quantile.",
                        key, choice.name(), loss->name));
  for (const MetricChoice& choice : metrics)
    if (const auto problem = quantile_problem(key, choice, quantiles_of(study.train)); !problem.empty())
      problems.add({key, "train.quantiles"}, problem);
  if (study.search.folds == 1 && study.data.validation && !has_validation_rows(study.data))
    problems.add({key, "search.folds", "data.validation"},
                 fmt::format("{} has no effect (there are no validation rows). Set search.folds or data.validation.",
                             assignment(study, key)));
}

// The trials of a search have the same targets.
void check_losses(const Study& study, Problems& problems) {
  const Loss *of_classes = nullptr, *of_numbers = nullptr;
  for (const Loss* const loss : losses_of(study)) {
    if (loss->needs_classes()) of_classes = loss;
    if (loss->needs_numbers()) of_numbers = loss;
  }
  if (of_classes != nullptr && of_numbers != nullptr)
    problems.add(
        {"search.train.loss"},
        fmt::format("search.train.loss has a loss for classes, {}, and one for numbers, {} (the targets are one "
                    "of them). Leave out one.",
                    of_classes->name, of_numbers->name));
}

void check_search(const Study& study, Problems& problems) {
  const SearchOptions& search = study.search;
  check_losses(study, problems);
  if (search.weighted && is_searched(study, "train.class_weights"))
    problems.add({"search.weighted", "search.train.class_weights"},
                 "search.weighted = true cannot be combined with search.train.class_weights (the validations of the "
                 "trials would have different weights). Set search.weighted = false.");
  check_all_metrics(study, problems);
  const SearchMethodRow& row = search.method_row();
  const TrialSource trials = row.trials;
  const std::string method = assignment(study, "search.method");
  if (row.divides_epochs && is_searched(study, "train.epochs"))
    problems.add({"search.method", "train.epochs"},
                 fmt::format("{} cannot search train.epochs (it divides them among its stages). Set train.epochs to "
                             "the epochs of the last stage.",
                             method));
  if (trials == TrialSource::all && search.trials > 0)
    problems.add({"search.method", "search.trials"},
                 fmt::format("search.trials has no effect ({} trains all combinations). Leave it out, or set "
                             "search.method = random.",
                             method));
  if (!search.has_trial_count() && search.patience == 0 && search.time == 0)
    problems.add(
        {"search.method", "search.trials", "search.time", "search.patience"},
        fmt::format("{} has no end (search.trials = none). Set search.trials, e.g. to 100, or search.time, e.g. "
                    "to 10m.",
                    method));
  if (const std::string why = earlier_problem(study); !why.empty())
    return problems.add({"search.earlier"},
                        fmt::format("search.earlier does not fit the search ({}). Leave it out: sheaf resume writes it "
                                    "when it extends a run.",
                                    why));
  if (!search.earlier_repeats.empty() && !search.may_add_repeats()) {
    const char* const cause = search.racing != Racing::none ? "search.racing"
                              : search.patience > 0         ? "search.patience"
                              : search.time > 0             ? "search.time"
                                                            : "search.method";
    return problems.add({"search.earlier_repeats", cause},
                        fmt::format("{} cannot be used in a search whose repeats were extended (search.earlier_repeats "
                                    "= {}): its trials must not depend on results or time. Leave {} out.",
                                    assignment(study, cause), setting_text(study, "search.earlier_repeats"), cause));
  }
  if (const std::string why = earlier_repeats_problem(study); !why.empty())
    return problems.add({"search.earlier_repeats"},
                        fmt::format("search.earlier_repeats does not fit the search ({}). Leave it out: sheaf resume "
                                    "writes it when it extends a run.",
                                    why));
  if (trials != TrialSource::none && trials != TrialSource::all) check_trials(study, problems);
  if (trials == TrialSource::all || trials == TrialSource::either) check_lists(study, problems);
  if (trials == TrialSource::none) check_no_search(study, problems);
  check_start(study, problems);
  if (search.racing == Racing::certain && study.ensemble.members > 1)
    problems.add({"search.racing", "ensemble.members"},
                 fmt::format("search.racing = certain cannot be combined with {} (trials race with the means of their "
                             "members, but ensembles are ranked). Set search.racing = forgiving.",
                             assignment(study, "ensemble.members")));
  if (search.method == SearchMethod::halving || search.method == SearchMethod::hyperband) check_rungs(study, problems);
  if (search.method == SearchMethod::median) check_median(study, problems);
}

void check_ensemble(const Study& study, Problems& problems) {
  if (study.search.ensemble != EnsembleKind::greedy) return;
  if (const auto obstacle = ensemble_obstacle(study))
    problems.add({"search.ensemble", obstacle->key}, obstacle->sentence());
}

void check_iteration_count(const Study& study, Problems& problems) {
  if (planned_iterations(study) <= static_cast<double>(max_iterations)) return;
  std::vector<std::string> keys;
  std::string factors;
  const bool is_random = study.search.draws_trials();
  if (is_random) {
    keys.push_back("search.trials");
    factors = is_one_pass(study.search) ? fmt::format("{} of one pass x ", counted(trial_count(study), "trial"))
                                        : fmt::format("search.trials = {} x ", study.search.trials);
  }
  for (const auto& searched : study.search.keys) {
    if (is_random) break;
    keys.push_back(searched.key);
    factors += fmt::format("{} of {} x ", searched.candidates.size(), searched.key);
  }
  for (const auto& [key, factor] : {std::pair("study.iterations", study.study.iterations),
                                    {"search.repeats", study.search.repeats},
                                    {"search.folds", study.search.folds},
                                    {"ensemble.members", study.ensemble.members}}) {
    keys.push_back(key);
    factors += fmt::format("{} = {} x ", key, factor);
  }
  factors.resize(factors.size() - 3);
  problems.add(keys, fmt::format("the study has more than {} iterations ({}). Reduce one of these numbers.",
                                 max_iterations, factors));
}

}  // namespace sheaf

// SPDX-License-Identifier: MIT
#include "study/key_defaults.hpp"
#include "study/metrics.hpp"
#include "study/run_value_types.hpp"
#include "study/settings_section.hpp"
#include "study/study.hpp"
#include "study/training_value_types.hpp"

namespace sheaf {

void add_study_keys(std::vector<Setting>& table) {
  Section<StudyOptions> study(table, "study", &Study::study);
  study
      .add("name", &StudyOptions::name, directory_name(), "Name of the results and of the run directory, runs/<name>.",
           Decides::no_results)
      .also_called({"study_name", "experiment_name"});
  study.add("seed", &StudyOptions::seed, any_unsigned_integer(), "Seed of all random numbers.")
      .also_called({"random_state", "random_seed", "manual_seed", "rng_seed"});
  study
      .add("iterations", &StudyOptions::iterations, integer(1, max_iterations),
           "Independent repeats of the whole study, each with its own random numbers.")
      .also_called({"n_runs", "num_runs"});
}

void add_ensemble_keys(std::vector<Setting>& table) {
  Section<EnsembleOptions> ensemble(table, "ensemble", &Study::ensemble);
  ensemble
      .add("members", &EnsembleOptions::members, integer(1, max_iterations),
           "Members of each ensemble. They differ in their random numbers; their predictions are averaged.")
      .also_called({"n_models", "num_models", "ensemble_size"});
  ensemble
      .add("bootstrap", &EnsembleOptions::bootstrap, flag(),
           "Train each member on a bootstrap sample of the training rows (bagging). With saved models, if data "
           "in memory are trained on cores, the end of the run also scores each training row by the members whose "
           "sample does not have it (out-of-bag score).")
      .also_called({"bagging"});
}

void add_search_keys(std::vector<Setting>& table) {
  Section<SearchOptions> search(table, "search", &Study::search);
  search
      .add("method", &SearchOptions::method, choice_or_auto(choices_of(search_method_table)),
           "auto: random with search.trials, or with ranges and search.time or search.patience; otherwise grid with "
           "candidates or folds; " +
               meanings_of(search_method_table) + ".")
      .also_called({"sampler", "search_method"})
      .values_also_called(other_names_of(search_method_table));
  search
      .add("trials", &SearchOptions::trials, integer_or("none", 1, max_iterations),
           "Number of trials that random, tpe, halving, hyperband and median draw; none: halving and median train all "
           "combinations, hyperband one pass of all brackets, and random and tpe go on until search.time or "
           "search.patience ends them. A search by random or tpe can be extended: sheaf resume RUN_DIR "
           "--search.trials=N. It may have other lists and ranges then, which hold for its new trials. A grid is "
           "extended by "
           "other lists: sheaf resume RUN_DIR --search.KEY=LIST.")
      .also_called({"n_iter", "n_trials", "num_samples", "n_candidates"});
  search
      .add("batch", &SearchOptions::batch, integer_or("auto", 1, max_iterations),
           "A trial that depends on results sees those of all trials that are at least this many before it, and begins "
           "when these have ended. A smaller number learns more from each trial; a larger one keeps more lanes busy. "
           "Results do not depend on the number of lanes. auto: a tenth of the trials, at least 8; 32 if their number "
           "is not "
           "known. A run that is extended keeps its value.")
      .only_if({{"search.method", "search.racing", "search.patience", "search.folds", "search.repeats"},
                {},
                [](const Study& study) { return study.search.depends_on_results(); },
                "no trial depends on the results of others",
                "search.method = tpe"})
      .also_called({"batch_trials", "max_concurrent", "max_concurrent_trials"});
  search
      .add("racing", &SearchOptions::racing,
           choice<Racing>({{"none", Racing::none}, {"forgiving", Racing::forgiving}, {"certain", Racing::certain}}),
           "Trains the folds of a trial one after another, in an order that is drawn once for all trials, and leaves "
           "out "
           "the rest (status pruned) when the trial has lost against the best complete trial of those at least "
           "search.batch before. forgiving: the mean of its folds is not better than the worst fold of the best trial; "
           "certain: it cannot become better than the best trial whatever its other folds are.")
      .only_if({{"search.folds", "search.repeats"},
                {},
                [](const Study& study) {
                  return study.search.folds * study.search.repeats > 1 || may_have_given_folds(study);
                },
                "a trial has one fold",
                "search.folds = 5"})
      .only_with("search.method", {"tpe", "random", "grid", "auto"})
      .also_called({"fold_pruning", "wilcoxonpruner"});
  search
      .add(
          "start", search_start(),
          [](const SearchOptions& options) {
            return SearchStart{options.start, options.start_run};
          },
          [](SearchOptions& options, const SearchStart& start) {
            options.start = start.trials;
            options.start_run = start.run;
          },
          "Trials that are trained first: values of searched keys, or the directory of an older run, whose five best "
          "complete trials are taken. Keys that are left out are drawn.",
          Decides::results, PathKind::input)
      .only_with("search.method", {"random", "tpe", "halving", "hyperband", "median"})
      .also_called({"enqueue_trial", "points_to_evaluate", "initial_points", "x0"});
  search
      .add("earlier", &SearchOptions::earlier, earlier_spaces(),
           "Lists and ranges of the first trials of a search that was extended with others: the trials below the first "
           "number have the first ones, and so on. sheaf resume writes this key.")
      .only_with("search.method", {"random", "tpe", "grid"});
  search
      .add("time", &SearchOptions::time, or_time(integer_or("none", 1, 1000000000)),
           "Time after which the search ends with the trials that it has, in seconds or such as 90s, 45m or 1h30m. "
           "Trainings that run then are cut: those with train.best_weights, and a schedule that does not depend on "
           "train.epochs, count with their best epoch so far (status cut); others have no result (status unfinished). "
           "The times of all jobs of the run count, and so do the refit and the selection of "
           "the ensemble: the search ends earlier by the time that they are expected to take. One trial is trained "
           "in any case. Without lists, ranges and any choice of a model, a table is searched with boosted trees, "
           "networks and a linear model. "
           "run.time_limit instead stops a job, whose run can be resumed.")
      .only_with("search.method", {"random", "tpe", "grid", "auto"})
      .also_called({"search.timeout", "search_time", "time_budget_s", "max_search_time", "time_left_for_this_task"});
  search
      .add("patience", &SearchOptions::patience, integer_or("none", 1, max_iterations),
           "Ends the search after this many trials, by their numbers, none of which is better than all before. Up to "
           "search.batch - 1 trials after them still end.")
      .only_with("search.method", {"random", "tpe", "grid", "auto"})
      .also_called({"early_stopping_trials", "n_trials_without_improvement"});
  search
      .add("factor", &SearchOptions::factor, integer(2, 1000),
           "halving, hyperband: each stage continues the best 1/factor of the trials for factor times the epochs. "
           "halving rounds their number up; hyperband rounds that of each bracket down.")
      .only_with("search.method", {"halving", "hyperband"})
      .also_called({"reduction_factor", "search.eta"});
  search
      .add("interval", &SearchOptions::interval, integer(1, max_epochs),
           "median: epochs per stage. Each stage continues the better half of the trials (rounded up) of the one "
           "before; the last stage has the remaining epochs of train.epochs.")
      .only_with("search.method", {"median"})
      .also_called({"interval_steps"});
  search
      .add("min_epochs", &SearchOptions::min_epochs, integer(1, max_epochs),
           "halving, hyperband: least epochs of the first stage. The last stage has train.epochs, the one before "
           "train.epochs / factor (rounded down), and so on. median: epochs of the first stage, if more than "
           "search.interval. Learning rate schedules extend over train.epochs in all stages.")
      .only_with("search.method", {"halving", "hyperband", "median"})
      .also_called({"min_resource", "min_resources", "grace_period", "n_warmup_steps"});
  search
      .add("folds", &SearchOptions::folds, integer(1, max_iterations),
           "Folds of the cross-validation of each combination; 1: no cross-validation. More than 1 works also without "
           "candidates.")
      .also_called(
          {"cv", "n_splits", "kfold", "k_fold", "kfolds", "k_folds", "n_folds", "num_folds", "nfold", "nfolds"});
  search
      .add("repeats", &SearchOptions::repeats, integer(1, max_iterations),
           "Repeats of the cross-validation, each with new folds. A grid or a random search without search.racing, "
           "search.patience and search.time can be extended by more repeats: sheaf resume RUN_DIR --search.repeats=N.")
      .also_called({"n_repeats", "num_repeats"});
  search.add(
      "earlier_repeats", &SearchOptions::earlier_repeats, integers(1, max_iterations, "1 3"),
      "The values of search.repeats before a search was extended by more repeats. Each extension is a stage of its "
      "own. sheaf resume writes this key.");
  search
      .add(
          "metric", &SearchOptions::metric, metric_or_loss_text(),
          "Metric that selects the best trial and the best model (CLASS: the name or number of a class, N: a number of "
          "classes, Q: a quantile between 0 and 1); loss: the validation loss, or the final loss "
          "if there are no validation rows. With loss, ensembles, and trials with different losses, are selected by "
          "accuracy, for regression by r2, or by the metric of the losses if they share it: mae for mae and huber, "
          "mean_pinball for quantile.")
      .also_called({"scoring", "eval_metric", "score_function"})
      .values_also_called(other_names_of_metrics());
  search
      .add("weighted", &SearchOptions::weighted, flag(),
           "Losses and metrics of validation and test rows weight the rows by data.weights and train.class_weights, as "
           "the training loss does, and divide by the sum of the weights.")
      .only_if({{"data.weights", "train.class_weights"},
                {},
                [](const Study& study) { return !study.data.weights.empty() || study.train.class_weights.any(); },
                "rows have no weights",
                "data.weights or train.class_weights"})
      .also_called({"score_sample_weight", "weighted_metrics"});
  search
      .add("ensemble", &SearchOptions::ensemble,
           choice_or_auto<EnsembleKind>({{"none", EnsembleKind::none}, {"greedy", EnsembleKind::greedy}}),
           "Ensemble of the trials of the search, which sheaf predict then uses instead of the best trial. greedy: at "
           "the end, 40 times add the trial of the 50 best ones with which the mean of the predictions for the "
           "validation rows has the least log loss or squared error; with fewer than 2000 of these rows, the mean of "
           "20 such selections, each on a sample of the rows. It needs predictions (run.predictions) and models "
           "(run.models) of at least two trials; auto: greedy, if these are kept, and if the predictions of all "
           "planned iterations need at most 256 MiB.")
      .also_called({"greedy_ensemble", "ensemble_selection", "weighted_ensemble", "search.ensemble_size"});
}

}  // namespace sheaf

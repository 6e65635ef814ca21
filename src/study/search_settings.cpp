// SPDX-License-Identifier: MIT
#include "study/metrics.hpp"
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
      .also_called({"n_estimators", "num_boost_round", "n_models", "num_models", "ensemble_size"});
  ensemble
      .add("bootstrap", &EnsembleOptions::bootstrap, flag(),
           "Train each member on a bootstrap sample of the training rows (bagging).")
      .also_called({"bagging"});
}

void add_search_keys(std::vector<Setting>& table) {
  Section<SearchOptions> search(table, "search", &Study::search);
  search
      .add("method", &SearchOptions::method, choice<SearchMethod>(choices_of(search_method_table)),
           meanings_of(search_method_table) +
               ". If the key is not set, it is random with search.trials, otherwise grid with candidates or folds.")
      .also_called({"sampler", "search_method"})
      .values_also_called(other_names_of(search_method_table));
  search
      .add("trials", &SearchOptions::trials, integer_or("none", 1, max_iterations),
           "Number of trials that random, halving, hyperband and median draw; none: halving and median train all "
           "combinations, hyperband one pass of all brackets. A random search can be extended: sheaf resume RUN_DIR "
           "--search.trials=N.")
      .also_called({"n_iter", "n_trials", "num_samples", "n_candidates"});
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
           "Repeats of the cross-validation, each with new folds.")
      .also_called({"n_repeats", "num_repeats"});
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
}

}  // namespace sheaf

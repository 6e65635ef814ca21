// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "study/key_defaults.hpp"
#include "study/losses.hpp"
#include "study/metrics.hpp"
#include "study/settings_section.hpp"
#include "study/study.hpp"
#include "study/training_value_types.hpp"

namespace sheaf {
namespace {

bool is_between_zero_and_one(double value) {
  return value > 0 && value < 1;
}

// The square of a delta in this range, and its products with targets of a similar size, are normal float32 numbers.
bool is_delta(double value) {
  return value >= 1e-12 && value <= 1e12;
}

ValueType<AutoOr<LossKind>> losses() {
  return choice_or_auto(choices_of(loss_table));
}

// The names of the optimizers for which `condition` holds.
template <class Condition>
std::vector<std::string> optimizers(const Condition& condition) {
  std::vector<std::string> names;
  for (const Optimizer& optimizer : optimizer_table)
    if (condition(optimizer)) names.emplace_back(optimizer.name);
  return names;
}

std::string learning_rate_help() {
  std::string text = "Learning rate; auto:";
  std::vector<double> rates;
  for (const Optimizer& one : optimizer_table) {
    const double rate = one.learning_rate;
    if (std::find(rates.begin(), rates.end(), rate) != rates.end()) continue;
    rates.push_back(rate);
    const auto names = optimizers([&](const Optimizer& optimizer) { return optimizer.learning_rate == rate; });
    text += fmt::format(" {} for {};", rate, fmt::join(names, ", "));
  }
  text.back() = '.';
  return text;
}

std::string weight_decay_help() {
  const auto with = [](WeightDecay kind) {
    return optimizers([=](const Optimizer& optimizer) { return optimizer.weight_decay == kind; });
  };
  return fmt::format(
      "Weight decay: an L2 penalty for {}; decoupled for {}. auto: 0.002 for an MLP on a small data file (fewer than "
      "1000 training rows) if train.epochs is not set and the training does not stop early; otherwise 0.",
      fmt::join(with(WeightDecay::l2), ", "), fmt::join(with(WeightDecay::decoupled), ", "));
}

std::string precision_help() {
  std::vector<std::string_view> of_libtorch;
  for (const PrecisionRow& precision : precision_table)
    if (precision.needs_libtorch) of_libtorch.push_back(precision.name);
  return fmt::format("Type of weights and arithmetic. {}. {} need LibTorch.", meanings_of(precision_table),
                     fmt::join(of_libtorch, " and "));
}

Condition can_have_classes() {
  return {{"data.task"},
          {},
          [](const Study& study) { return study.data.task == Task::classification || study.data.task == automatic; },
          "",
          "data.task = classification"};
}

// Adds a key of [train] that only some optimizers have (study/optimizers.hpp).
template <class Value>
SettingRow add_optimizer_key(Section<TrainOptions>& train, const std::string& name, Value TrainOptions::*value,
                             const ValueType<Value>& type, const std::string& meaning) {
  const auto names = optimizers([&](const Optimizer& optimizer) { return optimizer.has(name); });
  return train.add(name, value, type, fmt::format("{}: {}", fmt::join(names, ", "), meaning))
      .only_with("train.optimizer", names);
}

void add_schedule(Section<TrainOptions>& train) {
  train
      .add("schedule", &TrainOptions::schedule, choice<Schedule>(choices_of(schedule_table)),
           "Learning rate over the training. " + meanings_of(schedule_table) + ".")
      .also_called({"scheduler", "lr_scheduler", "lr_schedule", "learning_rate_schedule", "learning_rate_decay"})
      .values_also_called(other_names_of(schedule_table));
  train
      .add("warmup_epochs", &TrainOptions::warmup_epochs, number("number >= 0", is_not_negative),
           "Epochs, or a fraction of one, in which the learning rate rises linearly from 0, step by step; the schedule "
           "runs over the remaining steps.")
      .also_called({"warmup", "warmup_steps"});
  train
      .add("plateau_factor", &TrainOptions::plateau_factor, number("number > 0 and < 1", is_between_zero_and_one),
           "plateau: factor of the learning rate.")
      .only_with("train.schedule", {"plateau"});
  train
      .add("plateau_patience", &TrainOptions::plateau_patience, integer(0, max_epochs),
           "plateau: epochs without an improvement after which the learning rate is still the same.")
      .only_with("train.schedule", {"plateau"});
  train
      .add("step_factor", &TrainOptions::step_factor, number("number > 0 and < 1", is_between_zero_and_one),
           "step: factor of the learning rate.")
      .only_with("train.schedule", {"step"});
  train
      .add("step_epochs", &TrainOptions::step_epochs, integer(1, max_epochs),
           "step: epochs with the same learning rate.")
      .only_with("train.schedule", {"step"})
      .also_called({"step_size", "lr_step_size", "epochs_drop"});
  train
      .add("exponential_factor", &TrainOptions::exponential_factor,
           number("number > 0 and < 1", is_between_zero_and_one), "exponential: factor of the learning rate.")
      .only_with("train.schedule", {"exponential"})
      .also_called({"decay_rate"});
}

Condition compares_epochs() {
  return {{"train.patience", "train.best_weights"},
          {},
          [](const Study& study) { return study.train.patience != 0 || study.train.best_weights != false; },
          "the epochs are not compared",
          "train.patience"};
}

// Early stopping and the choice of the epoch whose weights are kept.
void add_best_epoch(Section<TrainOptions>& train) {
  train
      .add("patience", &TrainOptions::patience, or_auto(integer_or("none", 1, max_epochs)),
           "Early stopping: the training ends when this many epochs in a row have brought no improvement. auto: 20 "
           "(boosted_trees: 30) if "
           "train.epochs is not set and data.validation or data.validation_file holds out at least 150 rows in memory, "
           "or train.stop_fraction is set, and train.schedule does not lower the learning rate to 0; otherwise none.")
      .also_called({"early_stopping", "early_stopping_rounds", "early_stopping_patience", "n_iter_no_change",
                    "es_patience", "stopping_rounds", "od_wait"});
  train
      .add("best_weights", &TrainOptions::best_weights, or_auto(flag()),
           "The model, its validation loss and its metrics are those of the best epoch instead of the last one. auto: "
           "true if train.patience is set, or if that is none only because of train.schedule.")
      .also_called({"restore_best_weights", "use_best_model", "load_best", "load_best_model_at_end"});
  train
      .add("stop_on", &TrainOptions::stop_on, metric_or_loss(),
           "What train.patience and train.best_weights compare after each epoch: the loss of the validation rows, or a "
           "metric; with train.stop_fraction, of the rows that it holds out.")
      .only_if(compares_epochs())
      .also_called({"monitor", "early_stopping_metric", "metric_for_best_model"})
      .values_also_called(other_names_of_metrics());
  train
      .add("min_change", &TrainOptions::min_change, number("number >= 0", is_not_negative),
           "An epoch is an improvement if it is better than the best one by more than this.")
      .only_if(compares_epochs())
      .also_called({"min_delta", "tol", "early_stopping_min_delta", "early_stopping_threshold"});
}

void add_stop_fraction(Section<TrainOptions>& train) {
  train
      .add(
          "stop_fraction", &TrainOptions::stop_fraction,
          number("number >= 0 and < 1", [](double value) { return value >= 0 && value < 1; }),
          "Fraction of the training rows held out to decide when the training stops, which epoch is the best, and when "
          "plateau lowers the learning rate. 0: the validation rows decide, so their scores are slightly optimistic.")
      .only_if({{"train.patience", "train.best_weights", "train.schedule"},
                {},
                [](const Study& study) {
                  const TrainOptions& options = study.train;
                  return options.patience != 0 || options.best_weights != false ||
                         schedule_of(options.schedule).follows_losses;
                },
                "the epochs are not compared",
                "train.patience"})
      .also_called({"early_stopping_fraction", "inner_validation_fraction", "early_stopping_split"});
}

void add_clipping(Section<TrainOptions>& train) {
  const auto limit = number_or("none", 1e-12, 1e12);
  train
      .add(
          "clip_norm", &TrainOptions::clip_norm, limit,
          "Gradient clipping: a gradient with a larger norm, over all parameters, is scaled to this norm before weight "
          "decay is added, as with PyTorch's clip_grad_norm_.")
      .also_called({"clipnorm", "global_clipnorm", "max_grad_norm", "gradient_clip_val", "grad_clip", "clip_grad",
                    "clip_grad_norm", "gradient_clip", "gradient_clipping", "max_norm"});
  train
      .add("clip_value", &TrainOptions::clip_value, limit,
           "Gradient clipping: each element of the gradient is limited to this absolute value before weight decay is "
           "added, as with PyTorch's clip_grad_value_.")
      .only_with("train.clip_norm", {"none"})
      .also_called({"clipvalue", "clip_grad_value"});
}

void add_weight_rules(Section<TrainOptions>& train) {
  train
      .add("l1", &TrainOptions::l1, number("number >= 0", is_not_negative),
           "L1 penalty: this times the sum of the absolute weights is added to the loss that is minimized, without "
           "biases and the parameters of norms. Reported losses are without it.")
      .also_called({"l1_reg", "l1_penalty", "l1_lambda", "lambda_l1", "reg_alpha"});
  train
      .add("average", &TrainOptions::average, choice<Average>({{"none", Average::none}, {"ema", Average::ema}}),
           "Averaged weights. ema: an exponential moving average over the steps, as with PyTorch's AveragedModel and "
           "get_ema_avg_fn. The validation and the model use the averaged weights, the training does not.")
      .also_called({"ema", "use_ema", "model_ema", "weight_averaging"});
  train
      .add("average_decay", &TrainOptions::average_decay, number(below_one_in_words, is_below_one),
           "ema: share of the average that remains after each step.")
      .only_with("train.average", {"ema"})
      .also_called({"ema_decay", "ema_momentum", "model_ema_decay"});
}

void add_optimizer(std::vector<Setting>& table) {
  Section<TrainOptions> train(table, "train", &Study::train);
  train
      .add("optimizer", &TrainOptions::optimizer, choice<OptimizerKind>(choices_of(optimizer_table)),
           "Optimizer; its options have the same meaning as in PyTorch.")
      .also_called({"solver", "optim", "optimiser"});
  train
      .add("learning_rate", &TrainOptions::learning_rate, or_auto(number("number > 0", is_positive)),
           learning_rate_help())
      .also_called({"lr", "learning_rate_init", "init_lr", "max_lr", "eta0"});
  add_schedule(train);
  add_best_epoch(train);
  add_stop_fraction(train);
  add_clipping(train);
  add_weight_rules(train);
  const auto below_one = number(below_one_in_words, is_below_one);
  add_optimizer_key(train, "momentum", &TrainOptions::momentum, below_one, "momentum.");
  add_optimizer_key(train, "nesterov", &TrainOptions::nesterov, flag(), "Nesterov momentum.")
      .also_called({"nesterovs_momentum", "use_nesterov"});
  train
      .add("weight_decay", &TrainOptions::weight_decay, or_auto(number("number >= 0", is_not_negative)),
           weight_decay_help())
      .also_called({"l2", "l2_reg", "l2_regularization", "reg_lambda"});
  add_optimizer_key(train, "beta1", &TrainOptions::beta1, below_one, "decay rate of the running mean of the gradients.")
      .also_called({"beta_1"});
  add_optimizer_key(train, "beta2", &TrainOptions::beta2, below_one,
                    "decay rate of the running mean of the squared gradients.")
      .also_called({"beta_2"});
  add_optimizer_key(train, "alpha", &TrainOptions::alpha, below_one,
                    "decay rate of the running mean of the squared gradients.")
      .also_called({"rho"});
  add_optimizer_key(train, "epsilon", &TrainOptions::epsilon, number("number > 0", is_positive),
                    "constant added to the denominator.")
      .also_called({"eps", "adam_epsilon"});
}

}  // namespace

void add_train_keys(std::vector<Setting>& table) {
  Section<TrainOptions> train(table, "train", &Study::train);
  train
      .add("epochs", &TrainOptions::epochs, integer_or("auto", 1, max_epochs),
           "Number of passes over the training rows, the most with train.patience; boosted_trees: of rounds, each of "
           "which "
           "adds a tree, or one for each class or target. auto: 10 to 400, more for fewer rows; boosted_trees: 200, or "
           "2000 if the training can stop early.")
      .also_called({"max_iter", "n_epochs", "num_epochs", "nb_epoch", "nb_epochs", "max_epochs", "n_epoch",
                    "num_train_epochs", "num_boost_round", "num_rounds", "nrounds"});
  train
      .add("batch_size", &TrainOptions::batch_size, integer_or("full", 1, max_rows),
           "Rows per optimizer step; full: all training rows.")
      .also_called({"batchsize", "minibatch_size", "mini_batch_size"});
  train.add("shuffle", &TrainOptions::shuffle, flag(), "Shuffle the rows in each epoch.");
  train
      .add("loss", &TrainOptions::loss, losses(),
           "Training loss. " + meanings_of(loss_table) +
               "; auto: cross_entropy for classification, bce for multilabel, mse for regression.")
      .also_called({"objective", "criterion", "loss_function", "loss_fn"})
      .values_also_called(other_names_of(loss_table));
  train
      .add("huber_delta", &TrainOptions::huber_delta, number("number from 1e-12 to 1e12", is_delta),
           "huber: absolute error, in the units of the targets, above which the loss is linear.")
      .only_with("train.loss", {"huber"});
  train
      .add(
          "quantiles", &TrainOptions::quantiles, quantile_list(),
          "quantile: the quantiles of the target to predict, such as 0.1 0.5 0.9, one output for each. The loss is the "
          "mean of their pinball losses.")
      .only_with("train.loss", {"quantile"})
      .also_called({"quantile_levels", "quantile_alpha"});
  train
      .add("label_smoothing", &TrainOptions::label_smoothing, number(below_one_in_words, is_below_one),
           "cross_entropy: share of each target that is spread evenly over all classes, as in PyTorch. Only the "
           "training loss has it, not the validation loss and metrics.")
      .only_with("train.loss", {"cross_entropy", "auto"})
      .also_called({"smoothing", "label_smooth", "label_smoothing_factor"});
  train.add("reduction", &TrainOptions::reduction,
            choice<Reduction>({{"mean", Reduction::mean}, {"sum", Reduction::sum}}),
            "The loss to minimize for each batch: the mean of the losses of its rows, or their sum (all but "
            "cross_entropy: the sum over rows and outputs). Reported losses are always means over rows.");
  train
      .add("class_weights", &TrainOptions::class_weights, class_weights(),
           "Weights of the classes in the training loss. balanced: n / (K n_k) for each of the n_k rows of class k, of "
           "n training rows with K classes, as in scikit-learn. A list such as cat:2, dog:0.5: the weights of these "
           "classes, by name or number; the others have 1. They multiply data.weights; as there, the mean divides by "
           "the number of rows. Losses and metrics of validation and test rows use them with search.weighted.")
      .only_if(can_have_classes())
      .also_called({"class_weight", "is_unbalance", "auto_class_weights", "scale_pos_weight"});
  train.add("precision", &TrainOptions::precision, choice<Precision>(choices_of(precision_table)), precision_help())
      .also_called({"dtype", "amp", "mixed_precision", "bf16"})
      .values_also_called(other_names_of(precision_table));
  add_optimizer(table);
}

}  // namespace sheaf

// The table of learning rate schedules: names, and properties that several modules use. training/learning_rate has the
// formulas. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <string_view>

#include "study/kind_table.hpp"

namespace sheaf {

/// The learning rate over the steps of a training.
enum class Schedule { constant, cosine, plateau, step, exponential, linear, one_cycle, coslog };

struct ScheduleRow {
  Schedule kind;
  std::string_view name;
  std::string_view meaning;      ///< for the help; empty: the name says it
  bool follows_losses;           ///< the rate depends on validation losses: every epoch is validated
  bool has_horizon;              ///< the rate depends on the number of all steps and ends near 0
  std::string_view other_names;  ///< in other tools, separated by spaces
};

/// In the order of Schedule.
inline constexpr std::array schedule_table = {
    ScheduleRow{Schedule::constant, "constant", "", false, false, "none"},
    ScheduleRow{Schedule::cosine, "cosine", "falls to 0 along half a cosine, step by step", false, true,
                "cosineannealinglr cosine_annealing"},
    ScheduleRow{Schedule::plateau, "plateau",
                "is multiplied by train.plateau_factor when the validation loss has not improved by a factor of 1e-4 "
                "for more than train.plateau_patience epochs, as with PyTorch's ReduceLROnPlateau (all epochs are "
                "then validated)",
                true, false, "reducelronplateau reduce_on_plateau"},
    ScheduleRow{Schedule::step, "step",
                "is multiplied by train.step_factor after every train.step_epochs epochs, as with PyTorch's StepLR",
                false, false, "steplr step_decay"},
    ScheduleRow{Schedule::exponential, "exponential",
                "is multiplied by train.exponential_factor after every epoch, as with PyTorch's ExponentialLR", false,
                false, "exponentiallr exponential_decay exp"},
    ScheduleRow{Schedule::linear, "linear", "falls linearly to 0, step by step", false, true,
                "linear_decay linear_with_warmup"},
    ScheduleRow{
        Schedule::one_cycle, "one_cycle",
        "rises from 1/25 of train.learning_rate to all of it in the first 30 % of the steps, then falls to 1/250000, "
        "along half cosines, as with PyTorch's OneCycleLR without its momentum cycle",
        false, true, "onecyclelr onecycle 1cycle"},
    ScheduleRow{
        Schedule::coslog, "coslog",
        "rises from 0 to train.learning_rate and falls to 0 again in four cycles, each twice as long as the one "
        "before, as with RealMLP",
        false, true, "coslog4"},
};
static_assert(is_in_order(schedule_table));

constexpr const ScheduleRow& schedule_of(Schedule kind) {
  return row_of(schedule_table, kind);
}

}  // namespace sheaf

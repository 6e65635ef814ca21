// The table of learning rate schedules: names, and properties that several modules use. training/learning_rate has the
// formulas. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <string_view>

#include "study/kind_table.hpp"

namespace sheaf {

/// The learning rate over the steps of a training.
enum class Schedule { constant, cosine, plateau };

struct ScheduleRow {
  Schedule kind;
  std::string_view name;
  std::string_view meaning;      ///< for the help; empty: the name says it
  bool follows_losses;           ///< the rate depends on validation losses: every epoch is validated
  std::string_view other_names;  ///< in other tools, separated by spaces
};

/// In the order of Schedule.
inline constexpr std::array schedule_table = {
    ScheduleRow{Schedule::constant, "constant", "", false, ""},
    ScheduleRow{Schedule::cosine, "cosine", "falls to 0 along half a cosine, step by step", false,
                "cosineannealinglr cosine_annealing"},
    ScheduleRow{Schedule::plateau, "plateau",
                "is multiplied by train.plateau_factor when the validation loss has not improved by a factor of 1e-4 "
                "for more than train.plateau_patience epochs, as with PyTorch's ReduceLROnPlateau. All epochs are "
                "then validated",
                true, "reducelronplateau reduce_on_plateau"},
};
static_assert(is_in_order(schedule_table));

constexpr const ScheduleRow& schedule_of(Schedule kind) {
  return row_of(schedule_table, kind);
}

}  // namespace sheaf

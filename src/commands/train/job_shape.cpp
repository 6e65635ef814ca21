// SPDX-License-Identifier: MIT
#include "commands/train/job_shape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace sheaf {
namespace {

constexpr std::int64_t minute = 60, hour = 60 * minute, day = 24 * hour;

std::int64_t quotient_up(std::int64_t value, std::int64_t divisor) {
  return (value + divisor - 1) / divisor;
}

std::int64_t at_least_one(std::int64_t value) {
  return std::max<std::int64_t>(1, value);
}

JobShape shape_on_gpus(const MachineFacts& machine, const RunOptions& run, std::int64_t iterations) {
  JobShape shape;
  const std::int64_t lanes = at_least_one(run.lanes), all_tasks = machine.gpus * run.ranks_per_gpu;
  shape.nodes = std::min(machine.hosts, quotient_up(iterations, all_tasks * lanes));
  shape.tasks_per_node = std::min(all_tasks, quotient_up(iterations, shape.nodes * lanes));
  shape.gpus_per_node = quotient_up(shape.tasks_per_node, run.ranks_per_gpu);
  shape.cpus_per_task = at_least_one(machine.cores / all_tasks);
  shape.gpu_lanes = shape.nodes * shape.tasks_per_node * lanes;
  shape.core_lanes = shape.nodes * shape.tasks_per_node * run.core_lanes;
  return shape;
}

JobShape shape_on_cores(const MachineFacts& machine, const RunOptions& run, std::int64_t iterations) {
  JobShape shape;
  const std::int64_t sockets = at_least_one(machine.sockets), socket_cores = at_least_one(machine.cores / sockets);
  const auto lanes_on = [&](std::int64_t cores) {
    return run.lanes > 0 ? run.lanes : at_least_one(cores / run.threads);
  };
  shape.nodes = std::min(machine.hosts, quotient_up(iterations, sockets * lanes_on(socket_cores)));
  const std::int64_t of_node = quotient_up(iterations, shape.nodes);
  shape.tasks_per_node = std::min(sockets, quotient_up(of_node, lanes_on(socket_cores)));
  const std::int64_t of_task = quotient_up(of_node, shape.tasks_per_node);
  shape.cpus_per_task = std::min(socket_cores, (run.lanes > 0 ? run.lanes : of_task) * run.threads);
  shape.core_lanes = shape.nodes * shape.tasks_per_node * lanes_on(shape.cpus_per_task);
  return shape;
}

std::int64_t rounded_up(std::int64_t seconds, std::int64_t unit) {
  return quotient_up(seconds, unit) * unit;
}

}  // namespace

JobShape job_shape(const MachineFacts& machine, const RunOptions& run, std::int64_t iterations) {
  const std::int64_t count = at_least_one(iterations);
  return machine.gpus > 0 ? shape_on_gpus(machine, run, count) : shape_on_cores(machine, run, count);
}

std::optional<TrainingTime> training_time(const Study& study, const StudyCost& cost, const JobShape& shape) {
  constexpr double margin = 3;  // estimates of the example studies were up to 2.4 times too low on a busy machine
  const auto limit = static_cast<double>(study.search.time);
  const bool is_limited = limit > 0;
  if (!cost.seconds) return is_limited ? std::optional(TrainingTime{limit, limit}) : std::nullopt;
  IterationSeconds lanes = cost.lanes;
  lanes.gpu_lanes = shape.gpu_lanes;
  lanes.core_lanes = shape.core_lanes;
  const double seconds = std::max(expected_seconds(lanes, cost.iterations), cost.longest_seconds);
  if (!is_limited) return TrainingTime{seconds, margin * seconds};
  return TrainingTime{std::min(seconds, limit), std::min(margin * seconds, limit + margin * cost.longest_seconds)};
}

std::vector<std::string> early_ends(const Study& study, const Plan& plan) {
  std::vector<std::string> keys;
  const SearchOptions& search = study.search;
  bool any_patience = false;
  plan.for_each_distinct(
      [](const std::string& key) { return key == "train.patience"; },
      [&](const Trial& trial, double) { any_patience = any_patience || trial.train.patience.value_or(0) > 0; });
  if (any_patience) keys.emplace_back("train.patience");
  if (search.racing != Racing::none && search.folds * search.repeats > 1) keys.emplace_back("search.racing");
  if (search.patience > 0) keys.emplace_back("search.patience");
  if (search.time > 0) keys.emplace_back("search.time");
  return keys;
}

std::int64_t requested_seconds(double seconds) {
  constexpr double most = 365.0 * day;
  const auto wanted = static_cast<std::int64_t>(std::ceil(std::min(seconds, most))) + 5 * minute;
  if (wanted <= hour) return std::max(rounded_up(wanted, 5 * minute), 10 * minute);
  if (wanted <= 6 * hour) return rounded_up(wanted, 15 * minute);
  if (wanted <= 2 * day) return rounded_up(wanted, hour);
  return rounded_up(wanted, 6 * hour);
}

std::string slurm_time(std::int64_t seconds) {
  const std::string clock =
      fmt::format("{:02}:{:02}:{:02}", seconds % day / hour, seconds % hour / minute, seconds % minute);
  return seconds < day ? clock : fmt::format("{}-{}", seconds / day, clock);
}

}  // namespace sheaf

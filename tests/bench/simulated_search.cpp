// SPDX-License-Identifier: MIT
#include "bench/simulated_search.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <queue>
#include <set>
#include <utility>

#include "core/random/random_stream.hpp"
#include "parallel/partition/chunk_rules.hpp"
#include "parallel/partition/range_dispenser.hpp"
#include "runs/search_stages.hpp"
#include "search/halving.hpp"
#include "search/hyperband.hpp"
#include "search/search_table.hpp"
#include "study/brackets.hpp"

namespace sheaf::bench {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Of an iteration, in its stage.
double training_seconds(const Study& study, const Plan& plan, const Iteration& iteration) {
  RandomStream stream(iteration.seed, Purpose::batch_order);
  const IndexRange epochs = plan.stage(iteration.stage).epochs_of(iteration.trial, study.train.epochs);
  return static_cast<double>(epochs.count()) * std::exp(0.5 * stream.normal());
}

// The iterations of a stage, handed out as by WorkSource with one node.
class Node {
 public:
  Node(std::int64_t lanes, std::int64_t total, bool is_open)
      : lanes_(lanes), dispenser_(PartitionKind::factoring, total, lanes, {NodeState{lanes}}, is_open) {}

  IndexRange claim(std::int64_t waiting) {
    constexpr double iteration_seconds = 1;
    if (left_.empty()) {
      NodeReport report;
      report.wanted = wanted_lanes(waiting, lanes_, lanes_, iteration_seconds);
      range_ = left_ = dispenser_.answer(0, report, 0).range;
    }
    const std::int64_t size =
        chunk_size(PartitionKind::factoring, range_.count(), left_.begin - range_.begin, lanes_, 1);
    left_.begin += size;
    return {left_.begin - size, left_.begin};
  }
  bool is_short() const { return left_.empty() && dispenser_.is_short(); }
  void add(const IndexRange& positions) { dispenser_.add(positions); }
  std::int64_t lanes() const { return lanes_; }

 private:
  std::int64_t lanes_;
  RangeDispenser<> dispenser_;
  IndexRange range_, left_;
};

// Decides what a stage releases, as positions for lanes.
class Release {
 public:
  virtual ~Release() = default;
  /// Begins the training of an iteration, or continues it after work ahead. Returns the seconds left.
  virtual double begin(std::int64_t position) = 0;
  virtual void end(std::int64_t position) = 0;
  /// Stops a training when the stage is over.
  virtual void leave(std::int64_t position, double seconds_left) = 0;
  virtual bool is_over() const = 0;
  /// Adds work. Lanes wait since `short_since`, infinity: none does. Returns the time at which it wants to be called
  /// again without a new result.
  virtual double add_work(Node& node, double now, double short_since) = 0;
};

// Lanes train until the stage is over. Returns the time.
double train_stage(Node& node, Release& release, double now) {
  struct Lane {
    IndexRange claim{};
    double end = infinity;  // of its first iteration
  };
  std::vector<Lane> lanes(static_cast<std::size_t>(node.lanes()));
  double short_since = infinity;
  while (true) {
    const double called_at = release.add_work(node, now, short_since);
    auto waiting = std::count_if(lanes.begin(), lanes.end(), [](const Lane& lane) { return lane.claim.empty(); });
    for (Lane& lane : lanes) {
      if (lane.claim.empty()) {
        lane.claim = node.claim(waiting);
        waiting -= lane.claim.empty() ? 0 : 1;
      }
      if (!lane.claim.empty() && lane.end == infinity) lane.end = now + release.begin(lane.claim.begin);
    }
    if (!node.is_short())
      short_since = infinity;
    else if (short_since == infinity) {
      short_since = now;
      continue;
    }
    const auto next =
        std::min_element(lanes.begin(), lanes.end(), [](const Lane& a, const Lane& b) { return a.end < b.end; });
    if (called_at < next->end) {
      now = called_at;
      continue;
    }
    if (next->end == infinity) return now;
    now = std::exchange(next->end, infinity);
    release.end(next->claim.begin++);
    if (!release.is_over()) continue;
    for (const Lane& lane : lanes)
      if (lane.end < infinity) release.leave(lane.claim.begin, lane.end - now);
    return now;
  }
}

using SecondsAhead = std::map<IterationKey, double>;

// A stage with all of its trials, and work ahead as in commands/train/training/work_ahead.
class ReleaseOfStage : public Release {
 public:
  ReleaseOfStage(const Study& study, SearchStages& stages, const ResultOf& result_of, SecondsAhead& ahead,
                 std::vector<TimedIteration>& ended)
      : study_(study),
        stages_(stages),
        own_(stages.last_iterations()),
        order_(longest_first(stages.plan())),
        plan_(stages.plan()),
        result_of_(result_of),
        ahead_(ahead),
        ended_(ended) {
    for (const Stage& stage : stages.possible_stages()) plan_.add(stage);
    for (std::int64_t number = own_.end; number < plan_.iteration_count();) {
      const Iteration iteration = plan_.iteration(number);
      if (plan_.stage(iteration.stage).begins(iteration.trial)) add_trial(number);
      number = plan_.iterations_of_trial(iteration.stage, iteration.trial).end;
    }
  }

  bool has_possible_stages() const { return plan_.iteration_count() > own_.end; }

  double begin(std::int64_t position) override {
    const Iteration iteration = iteration_at(position);
    return training_seconds(study_, plan_, iteration) - ahead_[iteration];
  }
  void end(std::int64_t position) override {
    const Iteration iteration = iteration_at(position);
    const double seconds = training_seconds(study_, plan_, iteration);
    if (!own_.has(iteration.number)) {
      ahead_[iteration] = seconds;
      return;
    }
    ended_.push_back({iteration.number, seconds});
    stages_.add(iteration.number, result_of_(plan_, iteration));
    ++heard_;
  }
  void leave(std::int64_t position, double seconds_left) override {
    const Iteration iteration = iteration_at(position);
    ahead_[iteration] = training_seconds(study_, plan_, iteration) - seconds_left;
  }
  bool is_over() const override { return heard_ == own_.count(); }

  double add_work(Node& node, double now, double short_since) override {
    constexpr double min_waiting_seconds = 0.1;
    if (!has_possible_stages() || short_since == infinity) return infinity;
    has_waited_ = has_waited_ || now >= short_since + min_waiting_seconds;
    if (!has_waited_) return short_since + min_waiting_seconds;
    if (not_added_.empty() && decided_at_ != heard_) find_certain_trials();
    for (std::int64_t added = 0; !not_added_.empty() && added < node.lanes();) {
      const auto last = std::prev(not_added_.end());
      const Iteration iteration = plan_.iteration(*last);
      const IndexRange numbers = plan_.iterations_of_trial(iteration.stage, iteration.trial);
      node.add({numbers.begin - own_.begin, numbers.end - own_.begin});
      added += numbers.count();
      not_added_.erase(last);
    }
    return infinity;
  }

 private:
  // Iterations of the stage in the order of its work, then those of later stages by their numbers.
  Iteration iteration_at(std::int64_t position) const {
    std::int64_t left = position;
    for (const IndexRange& range : order_) {
      if (left < range.count()) return plan_.iteration(range.begin + left);
      left -= range.count();
    }
    return plan_.iteration(own_.begin + position);
  }
  void add_trial(std::int64_t first_iteration) {
    if (found_.insert(first_iteration).second) not_added_.insert(first_iteration);
  }
  void find_certain_trials() {
    for (const IndexRange& trials : stages_.certain())
      for (std::int64_t trial = trials.begin; trial < trials.end; ++trial)
        add_trial(plan_.iterations_of_trial(stages_.plan().stage_count(), trial).begin);
    decided_at_ = heard_;
  }

  const Study& study_;
  SearchStages& stages_;
  const IndexRange own_;
  const std::vector<IndexRange> order_;  // of its iterations
  Plan plan_;                            // with possible stages
  const ResultOf& result_of_;
  SecondsAhead& ahead_;
  std::vector<TimedIteration>& ended_;
  std::int64_t heard_ = 0, decided_at_ = -1;
  std::set<std::int64_t> found_, not_added_;  // first iterations of trials
  bool has_waited_ = false;
};

// Gradual trials, as in commands/train/training/gradual_stage.
class ReleaseOfTrials : public Release {
 public:
  ReleaseOfTrials(const Study& study, SearchStages& stages, const ResultOf& result_of, SimulatedSearch& search)
      : study_(study), plan_(stages.plan()), trials_(*stages.gradual()), result_of_(result_of), search_(search) {}

  double begin(std::int64_t position) override { return training_seconds(study_, plan_, plan_.iteration(position)); }
  void end(std::int64_t position) override {
    ++ended_;
    const Iteration iteration = plan_.iteration(position);
    search_.iterations.push_back({position, training_seconds(study_, plan_, iteration)});
    trials_.add(position, result_of_(plan_, iteration));
  }
  void leave(std::int64_t, double) override {}
  bool is_over() const override { return false; }
  double add_work(Node& node, double, double) override {
    constexpr std::int64_t reserve_per_lane = 2;
    for (const IndexRange& released : trials_.release(reserve_per_lane * node.lanes() - (added_ - ended_))) {
      node.add(released);
      added_ += released.count();
    }
    for (const IndexRange& pruned : trials_.take_pruned()) search_.pruned += pruned.count();
    return infinity;
  }

 private:
  const Study& study_;
  const Plan& plan_;
  GradualTrials& trials_;
  const ResultOf& result_of_;
  SimulatedSearch& search_;
  std::int64_t added_ = 0, ended_ = 0;  // iterations
};

// Tasks with predecessors. A task of 0 seconds needs no lane.
class TaskGraph {
 public:
  std::size_t add(double seconds) {
    tasks_.push_back({seconds});
    return tasks_.size() - 1;
  }
  void order(std::size_t before, std::size_t after) {
    tasks_[before].successors.push_back(after);
    ++tasks_[after].predecessors;
  }

  /// The time at which lanes have ended all tasks: a free lane takes the ready task with the lowest priority.
  double schedule(std::int64_t lanes, const std::function<double(std::size_t task)>& priority) const {
    using Entry = std::pair<double, std::size_t>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready, running;
    std::vector<std::size_t> missing;
    for (const Task& task : tasks_) missing.push_back(task.predecessors);
    double now = 0;
    const std::function<void(std::size_t)> make_ready = [&](std::size_t task) {
      if (tasks_[task].seconds > 0)
        ready.emplace(priority(task), task);
      else
        for (const std::size_t next : tasks_[task].successors)
          if (--missing[next] == 0) make_ready(next);
    };
    for (std::size_t task = 0; task < tasks_.size(); ++task)
      if (tasks_[task].predecessors == 0) make_ready(task);
    while (!ready.empty() || !running.empty()) {
      for (; !ready.empty() && running.size() < static_cast<std::size_t>(lanes); ready.pop())
        running.emplace(now + tasks_[ready.top().second].seconds, ready.top().second);
      now = running.top().first;
      const std::size_t ended = running.top().second;
      running.pop();
      for (const std::size_t next : tasks_[ended].successors)
        if (--missing[next] == 0) make_ready(next);
    }
    return now;
  }

 private:
  struct Task {
    double seconds = 0;
    std::size_t predecessors = 0;
    std::vector<std::size_t> successors{};
  };
  std::vector<Task> tasks_;
};

// Adds, for each rung of each bracket, the task that its trainings have ended.
void order_rungs(const Study& study, const Plan& plan, const std::map<std::int64_t, std::size_t>& tasks,
                 TaskGraph& graph) {
  const SearchOptions& search = study.search;
  const auto rungs = rung_epochs(study.train.epochs, search.factor, search.min_epochs);
  const auto brackets =
      search.method == SearchMethod::hyperband
          ? bracket_trials(bracket_sizes(static_cast<std::int64_t>(rungs.size()), search.factor), plan.trial_count())
          : one_bracket(plan.trial_count());
  const auto bracket_of = [&](std::int64_t trial) {
    std::int64_t number = 0;
    for (const auto& [trials, size] : brackets) {
      if (trials.has(trial)) return number + (trial - trials.begin) / size;
      number += trials.count();
    }
    return number;
  };
  std::map<std::pair<std::int64_t, std::int64_t>, std::size_t> ended;  // by stage and bracket
  for (const auto& [number, task] : tasks) {
    const Iteration iteration = plan.iteration(number);
    const std::int64_t bracket = bracket_of(iteration.trial);
    if (!plan.stage(iteration.stage).begins(iteration.trial))
      graph.order(ended.at({iteration.stage - 1, bracket}), task);
    const std::pair rung{iteration.stage, bracket};
    if (ended.count(rung) == 0) ended[rung] = graph.add(0);
    graph.order(task, ended[rung]);
  }
}

// Adds, for each trial, the task that it and all trials before it have ended.
void order_trials(const Study& study, const Plan& plan, const std::map<std::int64_t, std::size_t>& tasks,
                  TaskGraph& graph) {
  const GradualRules rules = gradual_rules(study);
  std::vector<std::size_t> ended;
  for (std::int64_t trial = 0; trial < plan.trial_count(); ++trial) {
    const IndexRange iterations = plan.iterations_of_trial(0, trial);
    const std::size_t end = graph.add(0);
    if (trial > 0) graph.order(ended.back(), end);
    ended.push_back(end);
    std::optional<std::size_t> before;
    for (std::int64_t step = 0; step < iterations.count(); ++step) {
      const bool races = rules.racing != Racing::none;
      const auto task =
          tasks.find(iterations.begin + (races ? rules.race_order[static_cast<std::size_t>(step)] : step));
      if (task == tasks.end()) break;  // pruned
      if (before && races) graph.order(*before, task->second);
      if (trial >= rules.batch) graph.order(ended[static_cast<std::size_t>(trial - rules.batch)], task->second);
      graph.order(task->second, end);
      before = task->second;
    }
  }
}

}  // namespace

double idle_share(const std::vector<TimedIteration>& iterations, double seconds, std::int64_t lanes) {
  const double busy = std::accumulate(iterations.begin(), iterations.end(), 0.0,
                                      [](double sum, const TimedIteration& of) { return sum + of.seconds; });
  return 1 - busy / (seconds * static_cast<double>(lanes));
}

SimulatedSearch simulate_search(const Study& study, std::int64_t lanes, const ResultOf& result_of) {
  SimulatedSearch search{Plan(study)};
  const auto searcher = make_searcher(study);
  SearchStages stages(*searcher, search.plan);
  SecondsAhead ahead;
  while (stages.choose_next()) {
    if (stages.gradual() != nullptr) {
      ReleaseOfTrials release(study, stages, result_of, search);
      Node node(lanes, 0, true);
      search.seconds = train_stage(node, release, search.seconds);
    } else {
      ReleaseOfStage release(study, stages, result_of, ahead, search.iterations);
      Node node(lanes, stages.last_iterations().count(), release.has_possible_stages());
      search.seconds = train_stage(node, release, search.seconds);
    }
  }
  return search;
}

double list_schedule_seconds(const Study& study, const SimulatedSearch& search, std::int64_t lanes) {
  TaskGraph graph;
  std::map<std::int64_t, std::size_t> tasks;  // by iteration
  for (const auto& [number, seconds] : search.iterations) tasks[number] = graph.add(seconds);
  if (search_method_of(study.search.method).divides_epochs) order_rungs(study, search.plan, tasks, graph);
  if (study.search.depends_on_results()) order_trials(study, search.plan, tasks, graph);
  const auto number_of = [&](std::size_t task) { return search.iterations[task].number; };
  const auto in_order = [&](std::size_t task) { return static_cast<double>(number_of(task)); };
  const auto by_epochs = [&](std::size_t task) {
    const Iteration iteration = search.plan.iteration(number_of(task));
    const Stage& stage = search.plan.stage(iteration.stage);
    return -static_cast<double>(stage.epochs_of(iteration.trial, study.train.epochs).count());
  };
  return std::min(graph.schedule(lanes, in_order), graph.schedule(lanes, by_epochs));
}

}  // namespace sheaf::bench

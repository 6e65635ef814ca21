// Measures the cost of the journal: many very short iterations with and without one. See README.md.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "core/allocator.hpp"
#include "core/clock.hpp"
#include "engines/lane_engine.hpp"
#include "parallel/mpi/session.hpp"
#include "runs/journal/journal_files.hpp"
#include "support/one_stage.hpp"
#include "support/regression_study.hpp"
#include "support/settled.hpp"
#include "support/whole_plan.hpp"

using namespace sheaf;

namespace {

Study tiny_study(std::int64_t iterations) {
  Study study = test::regression_study();
  study.study.iterations = iterations;
  study.data.source = DataSource::synthetic;
  study.data.rows = 100;
  study.run.progress = ProgressKind::none;
  return study;
}

// Seconds from the first claim to the last iteration.
double run_seconds(const TrainingContext& context, JournalWriter* journal, const Communicator& self) {
  const RemainingIterations work({{0, context.plan.iteration_count()}});
  const EngineFactory lane_engine = [&](int) { return make_engine(context, {-1, 1}); };
  const auto start = Clock::now();
  test::train_one_stage({context.study->run, lane_engine, {{core_lane}, ""}, journal}, PartitionKind::factoring, work,
                        self, self);
  return seconds_since(start);
}

// The median of a sample with its 95 % confidence interval, from the normal approximation of the binomial distribution.
struct Median {
  explicit Median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const auto count = static_cast<double>(values.size());
    const auto at = [&](double index) {
      return values[static_cast<std::size_t>(std::clamp(std::round(index), 0.0, count - 1))];
    };
    middle = at((count - 1) / 2);
    low = at((count - 1) / 2 - 0.98 * std::sqrt(count));
    high = at((count - 1) / 2 + 0.98 * std::sqrt(count));
  }
  double middle, low, high;
};

}  // namespace

int main(int argc, char** argv) {
  keep_freed_memory();
  MpiSession session(argc, argv);
  const std::int64_t iterations = argc > 1 ? std::atoll(argv[1]) : 10000;
  const int pairs = argc > 2 ? std::max(1, std::atoi(argv[2])) : 41;
  const std::string directory = "journal_cost.run";
  std::filesystem::remove_all(directory);
  const SettledStudy study = test::settled(tiny_study(iterations));
  const Plan plan = test::whole_plan(study);
  const TrainingContext context{study, plan};
  const Communicator self = Communicator::self();
  std::vector<double> off, on, more, ends;
  const auto run_without = [&] { off.push_back(run_seconds(context, nullptr, self)); };
  const auto run_with = [&] {
    JournalWriter journal(journal_path(begin_attempt(directory), 0), {"bench", "study", "data"});
    on.push_back(run_seconds(context, &journal, self));
    const auto start = Clock::now();
    journal.close();
    ends.push_back(seconds_since(start));
  };
  run_seconds(context, nullptr, self);        // to warm up
  for (int pair = 0; pair < pairs; ++pair) {  // alternates which kind goes first
    if (pair % 2 == 0) run_without();
    run_with();
    if (pair % 2 == 1) run_without();
    more.push_back(100 * (on.back() / off.back() - 1));
  }
  std::filesystem::remove_all(directory);
  const double each = 1e6 / static_cast<double>(iterations);
  const Median ratio(more);
  std::printf(
      "%lld iterations, %d pairs of runs: per iteration %.2f us without a journal, %.2f us with one; %.2f %% more "
      "(%.2f to %.2f); closing the journal takes %.1f ms\n",
      static_cast<long long>(iterations), pairs, Median(off).middle * each, Median(on).middle * each, ratio.middle,
      ratio.low, ratio.high, 1e3 * Median(ends).middle);
}

// What keeping a journal costs: many iterations that take next to no time, journaled and not. See README.md.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "core/allocator.hpp"
#include "journal/journal_files.hpp"
#include "mpi/session.hpp"
#include "run/train_share.hpp"

using namespace sheaf;

namespace {

using Clock = std::chrono::steady_clock;

Study tiny_study(std::int64_t iterations) {
  Study study;
  study.study.iterations = iterations;
  study.data.source = DataSource::synthetic;
  study.data.rows = 100;
  study.run.progress = ProgressKind::none;
  return study;
}

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// From the first claim to the last iteration.
double run_seconds(const TrainingContext& context, JournalWriter* journal, const Communicator& self) {
  const WorkList work({{0, context.plan.iteration_count()}});
  const EngineFactory lane_engine = [&] { return make_engine(context, {-1, 1}); };
  const auto start = Clock::now();
  train_share({context.study.run, work, lane_engine, Placement{}, journal, never_stop}, self, self);
  return seconds_since(start);
}

}  // namespace

int main(int argc, char** argv) {
  keep_freed_memory();
  MpiSession session(argc, argv);
  const std::int64_t iterations = argc > 1 ? std::atoll(argv[1]) : 10000;
  const std::string directory = "journal_cost.run";
  std::filesystem::remove_all(directory);
  const Study study = tiny_study(iterations);
  const Plan plan(study);
  const TrainingContext context{study, plan};
  const Communicator self = Communicator::self();
  double off = 1e300, on = 1e300, end = 1e300;
  for (int round = 0; round < 5; ++round) {
    off = std::min(off, run_seconds(context, nullptr, self));
    JournalWriter journal(journal_path(begin_attempt(directory), 0), {"bench", "study", "data"});
    on = std::min(on, run_seconds(context, &journal, self));
    const auto start = Clock::now();
    journal.close();
    end = std::min(end, seconds_since(start));
  }
  std::filesystem::remove_all(directory);
  const double each = 1e6 / static_cast<double>(iterations);
  std::printf(
      "%lld iterations: without a journal %.2f us each, with one %.2f us, %.1f %% more; its end takes %.1f ms\n",
      static_cast<long long>(iterations), off * each, on * each, 100 * (on / off - 1), 1e3 * end);
}

// Measures the cost of the end of a run (results are gathered from all ranks and written) and of a resume (journals are
// replayed). See README.md.
// SPDX-License-Identifier: MIT
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "commands/train/training/final_gather.hpp"
#include "core/allocator.hpp"
#include "core/clock.hpp"
#include "parallel/mpi/session.hpp"
#include "runs/journal/journal_files.hpp"
#include "runs/journal/journal_writer.hpp"
#include "runs/journal/replay.hpp"
#include "runs/results/result_stream.hpp"
#include "support/regression_study.hpp"
#include "support/settled.hpp"
#include "support/whole_plan.hpp"

using namespace sheaf;

namespace {

double peak_megabytes() {
  struct rusage usage {};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

// A result like that of a linear model from the native engine.
TrainedIteration sample(std::int64_t number, int rank) {
  TrainedIteration iteration;
  auto& result = iteration.result;
  result.iteration = number;
  result.status = IterationStatus::finished;
  result.rank = rank;
  result.lane = 0;
  result.engine = "native";
  result.final_loss = 1 + 1 / (3.0 + static_cast<double>(number));
  result.epochs = result.steps = 5;
  result.seconds = 1e-6 / (1 + static_cast<double>(number % 7));
  result.start_seconds = 3e-6 * static_cast<double>(number);
  return iteration;
}

void gather(std::int64_t count, const Communicator& world, const std::string& directory) {
  Study study = test::regression_study();
  study.study.iterations = count;
  study.data.source = DataSource::synthetic;
  const Plan plan = test::whole_plan(study);
  ResultStore own;
  TableExtent extent;
  for (std::int64_t number = world.rank(); number < count; number += world.size()) {
    const auto iteration = sample(number, world.rank());
    own.append(iteration, {}, 0);
    extent.add(iteration);
  }
  own.settle();
  const double before = peak_megabytes();
  world.barrier();
  const auto start = Clock::now();
  const Communicator node = world.split_by_node();
  const Communicator leaders = world.split(node.is_root() ? 0 : -1);
  const GatherRoute route(world, node, leaders, without_limit());
  std::unique_ptr<ResultStream> stream;
  const SettledStudy settled = test::settled(study);
  ResultTally tally(study, plan, [](const Trial&) { return TrialEngine{}; });
  if (world.is_root()) stream = std::make_unique<ResultStream>(directory, settled, plan, extent);
  double writing = 0;
  gather_results(own, {}, 0, {0, count}, {}, route, [&](const std::vector<GatheredResult>& window) {
    const auto begin = Clock::now();
    std::vector<TrainedIteration> iterations;
    for (const auto& result : window) {
      iterations.push_back(result.unpack().trained);
      tally.add(iterations.back(), nullptr);
    }
    stream->append(iterations);
    writing += seconds_since(begin);
  });
  if (!world.is_root()) return;
  const double gathered = seconds_since(start);
  stream->finish(tally.finish());
  const double each = 1e6 / static_cast<double>(count);
  std::printf(
      "%lld results of %d ranks: per result %.2f us to gather, %.2f us to make rows, %.2f us to write the files to "
      "disk; peak memory of rank 0 %.0f MB, before %.0f MB\n",
      static_cast<long long>(count), world.size(), (gathered - writing) * each, writing * each,
      (seconds_since(start) - gathered) * each, peak_megabytes(), before);
}

void replay(std::int64_t count, const std::string& directory) {
  const JournalHeader header{"bench", "study", "data"};
  const auto start = Clock::now();
  JournalWriter journal(journal_path(begin_attempt(directory), 0), header);
  for (std::int64_t number = 0; number < count; ++number) journal.append(sample(number, 0));
  journal.close();
  const double written = seconds_since(start);
  const double before = peak_megabytes();
  const auto begin = Clock::now();
  const Replay replayed = replay_journals(directory, header, {count, count}, false);
  const double each = 1e6 / static_cast<double>(count);
  std::printf(
      "%zu results replayed: per result %.2f us, peak memory %.0f MB higher than before; writing the journal took %.2f "
      "us per result\n",
      replayed.iterations.size(), seconds_since(begin) * each, peak_megabytes() - before, written * each);
}

}  // namespace

int main(int argc, char** argv) {
  keep_freed_memory();
  MpiSession session(argc, argv);
  const std::int64_t count = argc > 1 ? std::atoll(argv[1]) : 1000000;
  const Communicator world = Communicator::world();
  const std::string directory = "gather_speed.run";
  if (world.is_root()) {
    std::filesystem::remove_all(directory);
    std::filesystem::create_directories(directory);
  }
  gather(count, world, directory);
  if (world.is_root()) {
    replay(count, directory);
    std::filesystem::remove_all(directory);
  }
  world.patient_barrier(without_limit());
}

// Measures how long a lane waits for work while rank 0 computes, and how many empty iterations per second are assigned.
// See README.md. Requires two ranks.
// SPDX-License-Identifier: MIT
#include <mpi.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "core/clock.hpp"
#include "core/error.hpp"
#include "parallel/mpi/communicator.hpp"
#include "parallel/mpi/session.hpp"
#include "parallel/partition/range_exchange.hpp"
#include "parallel/partition/work_source.hpp"

using namespace sheaf;

namespace {

void sleep_seconds(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

// Keeps a core busy, like a training lane.
void compute(double seconds) {
  volatile double value = 1;
  for (const auto start = Clock::now(); seconds_since(start) < seconds;)
    for (int step = 0; step < 1000; ++step) value = value * 1.0000001 + 1e-9;
}

// Prints statistics of the waiting times of rank 1, on rank 0. Collective.
void print_waits(const char* name, std::vector<double> waits, const Communicator& world) {
  waits = world.gather(waits);
  if (!world.is_root() || waits.empty()) return;
  std::sort(waits.begin(), waits.end());
  const auto quantile = [&](double q) { return 1e6 * waits[static_cast<std::size_t>(q * double(waits.size() - 1))]; };
  std::printf("%-20s %10zu, waiting: median %9.2f us, 99 %% %9.2f us, max %9.2f us\n", name, waits.size(),
              quantile(0.5), quantile(0.99), quantile(1));
}

// Runs `lane` in a thread and serves the source until the lanes of all ranks have ended. Collective.
template <class Lane>
void run_lane(WorkSource& source, const Communicator& world, const Lane& lane) {
  std::atomic<bool> running{true};
  std::thread thread([&] {
    lane();
    running = false;
  });
  while (running) sleep_seconds(std::min(source.service(), 1e-3));
  thread.join();
  world.patient_barrier([&](double) { return source.service(); });
}

void measure_claims(double seconds, const Communicator& world) {
  const Communicator alone = Communicator::self();
  WorkSource source(1, world, alone);
  source.begin(PartitionKind::self, (std::int64_t{1} << 32) - 1);
  std::vector<double> waits;
  waits.reserve(std::size_t{1} << 26);
  run_lane(source, world, [&] {
    if (world.is_root()) {
      source.claim(0);
      compute(seconds);
    } else {
      for (const auto start = Clock::now(); seconds_since(start) < seconds && waits.size() < waits.capacity();) {
        const auto start_of_claim = Clock::now();
        source.claim(0);
        waits.push_back(seconds_since(start_of_claim));
      }
    }
    source.stop();
  });
  print_waits("claims of one", std::move(waits), world);
}

void measure_requests(double seconds, const Communicator& world) {
  constexpr double pause = 1e-4;  // the pause that WorkSource::service returns while a rank waits
  RangeExchange exchange(PartitionKind::self, (std::int64_t{1} << 32) - 1, 2, 1, world);
  std::vector<double> waits;
  if (world.is_root()) {
    std::thread lane([&] { compute(seconds); });
    while (!exchange.is_over()) {
      exchange.poll();
      sleep_seconds(pause);
    }
    lane.join();
  } else {
    NodeReport report;
    report.wanted = 1;
    for (const auto start = Clock::now(); !report.leaving;) {
      report.leaving = seconds_since(start) > seconds;
      const auto start_of_request = Clock::now();
      exchange.send(report);
      while (!exchange.poll()) sleep_seconds(pause);
      waits.push_back(seconds_since(start_of_request));
    }
  }
  print_waits("requests alone", std::move(waits), world);
}

// Returns the iterations per second that the lanes of both ranks claim from the pool of one node. Collective.
double pool_rate(PartitionKind kind, std::int64_t total, const Communicator& world, const Communicator& node) {
  WorkSource source(1, world, node);
  source.begin(kind, total);
  std::int64_t count = 0;
  double seconds = 0;
  world.barrier();
  run_lane(source, world, [&] {
    const auto start = Clock::now();
    for (IndexRange range = source.claim(0); !range.empty(); range = source.claim(0)) count += range.count();
    seconds = seconds_since(start);
  });
  const std::int64_t assigned = world.sum(count);
  require(assigned == total, "Iterations were lost or assigned twice (" + std::to_string(assigned) + " of " +
                                 std::to_string(total) + " were assigned).");
  return static_cast<double>(total) / world.maximum(seconds);
}

// Returns the iterations per second of a simple manager-worker loop with one message per iteration. Collective.
double manager_rate(double seconds, const Communicator& world) {
  constexpr int request = 1, answer = 2;
  world.barrier();
  const auto start = Clock::now();
  std::int64_t iteration = 0, count = 0;
  while (iteration >= 0) {
    if (world.is_root()) {
      MPI_Status status;
      check_mpi(MPI_Recv(&iteration, 1, MPI_INT64_T, MPI_ANY_SOURCE, request, world.handle(), &status), "MPI_Recv");
      iteration = seconds_since(start) < seconds ? count++ : -1;
      check_mpi(MPI_Send(&iteration, 1, MPI_INT64_T, status.MPI_SOURCE, answer, world.handle()), "MPI_Send");
    } else {
      check_mpi(MPI_Send(&iteration, 1, MPI_INT64_T, 0, request, world.handle()), "MPI_Send");
      check_mpi(MPI_Recv(&iteration, 1, MPI_INT64_T, 0, answer, world.handle(), MPI_STATUS_IGNORE), "MPI_Recv");
    }
  }
  return static_cast<double>(world.maximum(count)) / seconds;
}

void run(double seconds, const Communicator& world) {
  require(world.size() == 2, "This program needs two ranks (it has " + std::to_string(world.size()) + ").");
  const Communicator node = world.split_by_node();
  measure_claims(seconds, world);
  measure_requests(seconds, world);
  const auto total = static_cast<std::int64_t>(5e6 * seconds);
  const double self = pool_rate(PartitionKind::self, total, world, node);
  const double factoring = pool_rate(PartitionKind::factoring, total, world, node);
  const double manager = manager_rate(seconds, world);
  if (!world.is_root()) return;
  std::printf("one node, self       %12.4g iterations/s\n", self);
  std::printf("one node, factoring  %12.4g iterations/s\n", factoring);
  std::printf("manager loop         %12.4g iterations/s: self is %.1f times as fast, factoring %.3g times\n", manager,
              self / manager, factoring / manager);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const MpiSession session(argc, argv);
    run(argc > 1 ? std::atof(argv[1]) : 2.0, Communicator::world());
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    MpiSession::abort(1);
  }
}

// SPDX-License-Identifier: MIT
#include "commands/train/lanes.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <utility>

#include "core/clock.hpp"
#include "core/error.hpp"
#include "core/thread_group.hpp"
#include "engines/engine_table.hpp"

namespace sheaf {
namespace {

// The engine gets larger claims in pieces, because it lists their iterations.
constexpr std::int64_t max_listed_iterations = 65536;

}  // namespace

struct Lanes::State {
  State(const StageWork& part, WorkSource& work, int rank_number) : stage(part), source(work), rank(rank_number) {}

  const StageWork& stage;
  WorkSource& source;
  const int rank;

  std::atomic<std::int64_t> failed_count{0};

  mutable std::mutex mutex;
  std::condition_variable changed;
  std::size_t ended = 0;
  std::exception_ptr failure;
  bool begun = false;
  std::atomic<bool> stopping{false};

  ThreadGroup threads{"training"};

  ~State() {
    {
      const std::lock_guard lock(mutex);
      if (ended < threads.size()) {  // only while an exception is thrown
        stopping = true;
        source.stop();
      }
    }
    changed.notify_all();
    threads.join();
  }

  double now() const { return seconds_since(stage.start); }

  bool is_stopping() const { return stopping || source.is_stopped(); }

  void train(int lane) {
    const auto engine = stage.make_engine(lane);
    const auto sink = [&](TrainedIteration&& iteration) {
      iteration.result.rank = rank;
      iteration.result.lane = lane;
      const EngineName& name = iteration.result.engine;
      const bool on_gpu = name != no_engine && engine_named(name.view()).uses_gpus;
      iteration.result.gpu = on_gpu ? stage.placement.lanes[static_cast<std::size_t>(lane)].gpu : -1;
      iteration.result.start_seconds = now() - (iteration.result.seconds - iteration.earlier_seconds);
      const bool failed = iteration.result.status == IterationStatus::failed;
      failed_count += failed;
      if (failed && stage.options.on_failure == OnFailure::stop) source.stop();
      const double seconds = iteration.result.seconds;
      const double cost = cost_of(stage.progress_value, iteration.result);
      if (stage.journal) stage.journal->append(std::move(iteration));
      source.report(lane, 1, seconds, cost);
    };
    // The engine runs to its end even when the job stops, since other lanes may wait for this one. Claims are empty
    // then.
    const auto stop_requested = [this] { return is_stopping(); };
    IndexRange claim;  // positions that the engine has not got yet
    const auto next_iterations = [&] {
      if (claim.empty()) claim = source.claim(lane);
      const IndexRange piece{claim.begin, std::min(claim.end, claim.begin + max_listed_iterations)};
      claim.begin = piece.end;
      return stage.work.iterations_at_positions(piece);
    };
    while (engine->train(next_iterations(), sink, stop_requested)) {
    }
  }

  // Returns false if the lanes must end before begin() is called.
  bool await_begin() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [this] { return begun || stopping; });
    return begun;
  }

  void run_lane(int lane) {
    try {
      if (await_begin()) train(lane);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
      stopping = true;
    }
    {
      const std::lock_guard lock(mutex);
      ++ended;
    }
    changed.notify_all();
  }
};

Lanes::Lanes(const StageWork& stage, WorkSource& source, int rank)
    : state_(std::make_unique<State>(stage, source, rank)) {
  state_->threads.start(stage.placement.lane_count(),
                        [state = state_.get()](std::int64_t lane) { state->run_lane(static_cast<int>(lane)); });
}

Lanes::~Lanes() = default;

void Lanes::begin() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->begun = true;
  }
  state_->changed.notify_all();
}

bool Lanes::wait(double seconds) {
  std::unique_lock lock(state_->mutex);
  state_->changed.wait_for(lock, std::chrono::duration<double>(seconds),
                           [this] { return state_->ended == state_->threads.size() || state_->failure; });
  return state_->ended == state_->threads.size();
}

std::optional<std::string> Lanes::failure() const {
  const std::lock_guard lock(state_->mutex);
  return failure_message(state_->failure);
}

std::int64_t Lanes::failed_count() const {
  return state_->failed_count;
}

}  // namespace sheaf

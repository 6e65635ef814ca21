// SPDX-License-Identifier: MIT
#include "commands/train/training/lanes.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <utility>

#include "commands/train/training/gradual_stage.hpp"
#include "commands/train/training/work_ahead.hpp"
#include "core/clock.hpp"
#include "core/error.hpp"
#include "core/thread_group.hpp"
#include "engines/engine_table.hpp"
#include "parallel/partition/chunk_rules.hpp"
#include "training/gpu_error.hpp"

namespace sheaf {
namespace {

// The engine gets larger claims in pieces, because it lists their iterations.
constexpr std::int64_t max_listed_iterations = 65536;

}  // namespace

struct Lanes::State {
  State(const LaneSetup& lane_setup, WorkSource& work, int rank_number)
      : setup(lane_setup), source(work), rank(rank_number) {}

  const LaneSetup& setup;
  WorkSource& source;
  const int rank;

  std::atomic<std::int64_t> failed_count{0};

  mutable std::mutex mutex;
  double busy_seconds = 0;  // of all lanes, in the stages that they have ended
  std::condition_variable changed;
  const StageWork* stage = nullptr;  // the current one, or the last one
  std::int64_t begun = 0;            // stages
  std::size_t ended = 0;             // lanes, in the current stage
  std::exception_ptr failure;
  std::atomic<bool> stopping{false};

  ThreadGroup threads{"training"};

  ~State() {
    {
      const std::lock_guard lock(mutex);
      stopping = true;
      if (begun > 0 && ended < threads.size()) source.stop();  // only while an exception is thrown
    }
    changed.notify_all();
    threads.join();
  }

  double now() const { return seconds_since(setup.start); }

  bool is_stopping() const { return stopping || source.is_stopped(); }

  void train_ahead(const IndexRange& claim, Engine& engine) {
    engine.train_ahead(stage->ahead->plan(), stage->ahead->iterations_at_positions(claim),
                       [this] { return is_stopping() || source.is_closed(); });
  }

  // Returns the seconds that the lane has waited for work.
  double train(int lane, Engine& engine) {
    const auto sink = [&](TrainedIteration&& iteration) {
      iteration.result.rank = rank;
      iteration.result.lane = lane;
      const LaneDevice device =
          engine.has_lost_gpu() ? core_lane : setup.placement.lanes[static_cast<std::size_t>(lane)];
      iteration.result.gpu = gpu_of(iteration.result.engine, device);
      iteration.result.start_seconds = now() - (iteration.result.seconds - iteration.result.earlier_seconds);
      const bool failed = iteration.result.status == IterationStatus::failed;
      failed_count += failed;
      if (failed && setup.options.on_failure == OnFailure::stop) source.stop();
      const IterationResult result = iteration.result;
      if (setup.plan && setup.plan->draws_from_results())
        iteration.values = setup.plan->given(setup.plan->iteration(result.iteration).trial);
      if (setup.journal) setup.journal->append(std::move(iteration));
      source.report(lane, 1, result.seconds, cost_of(setup.progress_value, result));
      if (stage->observer) stage->observer->add(result);
    };
    // The engine runs to its end even when the job stops, since other lanes may wait for this one. Claims are empty
    // then.
    const auto stop_requested = [this] { return is_stopping(); };
    IndexRange claim;  // positions that the engine has not got yet
    double waited = 0;
    const auto wait_for = [&](const auto& work) {
      const auto start = Clock::now();
      const auto result = work();
      waited += seconds_since(start);
      return result;
    };
    const auto next_claim = [&] { return wait_for([&] { return source.claim(lane, engine.width()); }); };
    // The next iterations of the claim.
    const auto take_iterations = [&] {
      const IndexRange piece{claim.begin, std::min(claim.end, claim.begin + max_listed_iterations)};
      claim.begin = piece.end;
      auto iterations = stage->work.iterations_at_positions(piece);
      if (stage->gradual && !wait_for([&] { return stage->gradual->await_values(iterations, stop_requested); }))
        iterations.clear();
      return iterations;
    };
    const auto next_iterations = [&] {
      if (claim.empty()) claim = next_claim();
      for (; stage->ahead && stage->ahead->has(claim); claim = next_claim()) train_ahead(claim, engine);
      return take_iterations();
    };
    const auto more_iterations = [&](std::int64_t room) {
      std::vector<IndexRange> all;
      do {  // static claims may have one iteration each
        if (claim.empty()) claim = source.claim_if_ready(lane, room);
        if (claim.empty() || (stage->ahead && stage->ahead->has(claim)))
          break;  // work ahead is for a lane without work
        room -= claim.count();
        const std::vector<IndexRange> found = take_iterations();
        all.insert(all.end(), found.begin(), found.end());
      } while (room > 0 && !is_dynamic(stage->partition));
      return all;
    };
    const EngineCalls calls{sink, stop_requested, more_iterations};
    while (engine.train(next_iterations(), calls)) {
    }
    return waited;
  }

  // Returns false if no stage follows the `trained` ones.
  bool await_stage(std::int64_t trained) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return begun > trained || stopping; });
    return begun > trained;
  }

  void end_stage(double seconds) {
    {
      const std::lock_guard lock(mutex);
      busy_seconds += seconds;
      ++ended;
    }
    changed.notify_all();
  }

  void run_lane(int lane) {
    try {
      std::unique_ptr<Engine> engine;
      for (std::int64_t trained = 0; await_stage(trained); ++trained) {
        const auto start = Clock::now();
        if (!engine) engine = setup.make_engine(lane);
        const double waited = train(lane, *engine);
        end_stage(seconds_since(start) - waited);
      }
    } catch (...) {
      {
        const std::lock_guard lock(mutex);
        if (!failure) failure = std::current_exception();
        stopping = true;
      }
      end_stage(0);
    }
  }
};

Lanes::Lanes(const LaneSetup& setup, WorkSource& source, int rank)
    : state_(std::make_unique<State>(setup, source, rank)) {
  state_->threads.start(setup.placement.lane_count(),
                        [state = state_.get()](std::int64_t lane) { state->run_lane(static_cast<int>(lane)); });
}

Lanes::~Lanes() = default;

const LaneSetup& Lanes::setup() const {
  return state_->setup;
}

void Lanes::begin(const StageWork& stage) {
  {
    const std::lock_guard lock(state_->mutex);
    state_->stage = &stage;
    state_->ended = 0;
    ++state_->begun;
  }
  state_->changed.notify_all();
}

bool Lanes::wait(double seconds) {
  std::unique_lock lock(state_->mutex);
  state_->changed.wait_for(lock, std::chrono::duration<double>(seconds),
                           [this] { return state_->ended == state_->threads.size() || state_->failure; });
  return state_->ended == state_->threads.size();
}

std::optional<Lanes::Failure> Lanes::failure() const {
  const std::lock_guard lock(state_->mutex);
  if (!state_->failure) return std::nullopt;
  try {
    std::rethrow_exception(state_->failure);
  } catch (const GpuError& error) {
    return Failure{error.what(), true};
  } catch (const std::exception& error) {
    return Failure{message_of(error), false};
  }
}

double Lanes::busy_seconds() const {
  const std::lock_guard lock(state_->mutex);
  return state_->busy_seconds;
}

std::int64_t Lanes::failed_count() const {
  return state_->failed_count;
}

}  // namespace sheaf

// SPDX-License-Identifier: MIT
#include "run/lanes.hpp"

#include <chrono>
#include <condition_variable>
#include <exception>
#include <iterator>
#include <mutex>
#include <new>
#include <thread>
#include <utility>

namespace sheaf {

using Clock = std::chrono::steady_clock;

struct Lanes::State {
  State(EngineFactory factory, const Placement& where, WorkSource& work, int rank_number)
      : make_engine(std::move(factory)), placement(where), source(work), rank(rank_number) {}

  const EngineFactory make_engine;
  const Placement placement;
  WorkSource& source;
  const int rank;
  const Clock::time_point start = Clock::now();

  std::vector<std::thread> threads;
  std::vector<std::vector<TrainedIteration>> trained;  // of each lane; touched by it alone until it ends

  mutable std::mutex mutex;
  std::condition_variable changed;
  std::size_t ended = 0;
  std::optional<std::string> failure;
  bool stopping = false;

  double now() const { return std::chrono::duration<double>(Clock::now() - start).count(); }

  bool is_stopping() const {
    const std::lock_guard lock(mutex);
    return stopping;
  }

  void fail(const std::string& message) {
    const std::lock_guard lock(mutex);
    if (!failure) failure = message;
    stopping = true;
  }

  void train(int lane) {
    const auto engine = make_engine();
    auto& kept = trained[static_cast<std::size_t>(lane)];
    const auto keep = [&](TrainedIteration&& iteration) {
      iteration.record.rank = rank;
      iteration.record.lane = lane;
      iteration.record.gpu = placement.gpu;
      iteration.record.start_seconds = now() - iteration.record.seconds;
      source.report(lane, 1, iteration.record.seconds);
      kept.push_back(std::move(iteration));
    };
    while (!is_stopping() && engine->train(source.claim(lane), keep, [this] { return is_stopping(); })) {
    }
  }

  void run_lane(int lane) {
    try {
      train(lane);
    } catch (const std::bad_alloc&) {
      fail("a lane is out of memory (an allocation failed). Use fewer lanes (run.lanes) or a smaller model or batch.");
    } catch (const std::exception& error) {
      fail(error.what());
    }
    {
      const std::lock_guard lock(mutex);
      ++ended;
    }
    changed.notify_all();
  }
};

Lanes::Lanes(const EngineFactory& make_engine, const Placement& placement, WorkSource& source, int rank)
    : state_(std::make_unique<State>(make_engine, placement, source, rank)) {
  const auto count = static_cast<std::size_t>(placement.lanes);
  state_->trained.resize(count);
  for (std::size_t lane = 0; lane < count; ++lane)
    state_->threads.emplace_back([state = state_.get(), lane] { state->run_lane(static_cast<int>(lane)); });
}

Lanes::~Lanes() {
  if (!wait(0)) {  // only when an exception is on its way
    const std::lock_guard lock(state_->mutex);
    state_->stopping = true;
    state_->source.stop();
  }
  for (auto& thread : state_->threads) thread.join();
}

bool Lanes::wait(double seconds) {
  std::unique_lock lock(state_->mutex);
  state_->changed.wait_for(lock, std::chrono::duration<double>(seconds),
                           [this] { return state_->ended == state_->threads.size() || state_->failure; });
  return state_->ended == state_->threads.size();
}

std::optional<std::string> Lanes::failure() const {
  const std::lock_guard lock(state_->mutex);
  return state_->failure;
}

std::vector<TrainedIteration> Lanes::take() {
  std::vector<TrainedIteration> all;
  for (auto& lane : state_->trained)
    all.insert(all.end(), std::make_move_iterator(lane.begin()), std::make_move_iterator(lane.end()));
  return all;
}

}  // namespace sheaf

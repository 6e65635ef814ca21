// SPDX-License-Identifier: MIT
#include "runs/journal/journal_writer.hpp"

#include <cassert>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <filesystem>
#include <mutex>
#include <utility>
#include <vector>

#include "core/clock.hpp"
#include "core/error.hpp"
#include "core/thread_group.hpp"
#include "files/checksum.hpp"
#include "files/output_file.hpp"
#include "runs/journal/journal_files.hpp"

namespace sheaf {
namespace {

constexpr auto write_period = std::chrono::milliseconds(100);
constexpr auto sync_period = std::chrono::milliseconds(800);  // at most a second, including the write before it
constexpr double long_iteration_seconds = 1;
constexpr std::size_t max_waiting_bytes = std::size_t{256} << 20;

std::size_t predictions_bytes(const TrainedIteration& iteration) {
  return iteration.predictions.size() * sizeof(float);
}

}  // namespace

struct JournalWriter::State {
  State(const std::string& path, const JournalHeader& header, std::function<void(const IterationResult&)> callback)
      : seed(header.seed()), on_disk(std::move(callback)), lines(path) {
    lines.write(header_line(header));
    lines.sync();
    sync_directory(std::filesystem::path(path).parent_path().string());
  }

  void work();
  void write(const std::vector<TrainedIteration>& batch);
  PredictionsLocation write_predictions(const std::vector<float>& values);
  void sync();

  // Used only by the writing thread.
  const std::uint32_t seed;
  const std::function<void(const IterationResult&)> on_disk;
  std::vector<IterationResult> unsynced;  // written, but perhaps not on disk
  OutputFile lines;
  std::optional<OutputFile> predictions;
  std::int64_t predictions_end = 0;
  ResultStore results;  // all written results
  bool is_synced = true;
  Clock::time_point synced_at = Clock::now();

  mutable std::mutex mutex;
  std::condition_variable wake;
  std::condition_variable room;
  std::vector<TrainedIteration> waiting;
  std::size_t waiting_bytes = 0;
  bool urgent = false;    // write and sync the waiting results at once
  bool hurrying = false;  // all later results are urgent
  bool draining = false;  // results_so_far() waits until all results are on disk
  bool closing = false;
  std::string stage;  // line of a stage, to be written before the waiting results
  std::exception_ptr failure;
  ThreadGroup thread{"writing the journal"};
};

void JournalWriter::State::work() {
  std::vector<TrainedIteration> batch;
  for (bool last = false; !last; batch.clear()) {
    bool at_once = false, drains = false;
    std::string stage_begun;
    {
      std::unique_lock lock(mutex);
      wake.wait_for(lock, write_period, [this] { return urgent || closing; });
      batch.swap(waiting);
      stage_begun.swap(stage);
      drains = draining;
      waiting_bytes = 0;
      at_once = std::exchange(urgent, false) || closing;
      last = closing;
    }
    room.notify_all();
    try {
      if (!stage_begun.empty()) {
        lines.write(stage_begun);
        is_synced = false;
      }
      write(batch);
      if (!is_synced && (at_once || Clock::now() - synced_at >= sync_period)) sync();
    } catch (...) {
      const std::lock_guard lock(mutex);
      failure = std::current_exception();
      waiting.clear();
      last = true;
    }
    if (!drains) continue;
    {
      const std::lock_guard lock(mutex);
      draining = false;
    }
    room.notify_all();
  }
  room.notify_all();
}

void JournalWriter::State::write(const std::vector<TrainedIteration>& batch) {
  if (batch.empty()) return;
  is_synced = false;
  std::string text;
  for (const auto& iteration : batch) {
    const PredictionsLocation location = write_predictions(iteration.predictions);
    text += journal_line(iteration, location, seed);
    results.append(iteration, location, static_cast<std::size_t>(iteration.result.rank));
    if (iteration.predictions.empty()) continue;
    lines.write(text);  // now, since the predictions of the next iteration may fill the disk
    text.clear();
  }
  if (!text.empty()) lines.write(text);
  if (!on_disk) return;
  for (const auto& iteration : batch) unsynced.push_back(iteration.result);
}

PredictionsLocation JournalWriter::State::write_predictions(const std::vector<float>& values) {
  if (values.empty()) return {};
  if (!predictions) predictions.emplace(predictions_path(lines.path()));
  const std::size_t size = values.size() * sizeof(float);
  predictions->write(values.data(), size);
  const PredictionsLocation location{predictions_end, static_cast<std::int64_t>(size), checksum(values.data(), size)};
  predictions_end += location.bytes;
  return location;
}

void JournalWriter::State::sync() {
  if (predictions) predictions->sync();
  lines.sync();
  is_synced = true;
  synced_at = Clock::now();
  for (const auto& result : unsynced) on_disk(result);
  unsynced.clear();
}

JournalWriter::JournalWriter(const std::string& path, const JournalHeader& header,
                             std::function<void(const IterationResult&)> on_disk)
    : state_(std::make_unique<State>(path, header, std::move(on_disk))) {
  state_->thread.start(1, [state = state_.get()](std::int64_t) { state->work(); });
}

JournalWriter::~JournalWriter() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->closing = true;
  }
  state_->wake.notify_one();
  state_->thread.join();
}

void JournalWriter::append(TrainedIteration&& iteration) {
  State& state = *state_;
  std::unique_lock lock(state.mutex);
  state.room.wait(lock, [&] { return state.waiting_bytes < max_waiting_bytes || state.failure; });
  if (state.failure) return;
  state.waiting_bytes += predictions_bytes(iteration);
  const bool urgent = state.hurrying || iteration.result.seconds >= long_iteration_seconds;
  state.urgent |= urgent;
  state.waiting.push_back(std::move(iteration));
  lock.unlock();
  if (urgent) state.wake.notify_one();
}

void JournalWriter::begin_stage(const RecordedStage& recorded) {
  const std::lock_guard lock(state_->mutex);
  assert(state_->waiting.empty());
  state_->stage = stage_line(recorded, state_->seed);
}

const ResultStore& JournalWriter::results_so_far() {
  State& state = *state_;
  std::unique_lock lock(state.mutex);
  state.urgent = state.draining = true;
  state.wake.notify_one();
  state.room.wait(lock, [&] { return !state.draining || state.failure; });
  if (state.failure) std::rethrow_exception(state.failure);
  state.results.settle();  // safe: the writing thread uses them only while it writes results
  return state.results;
}

void JournalWriter::hurry() {
  {
    const std::lock_guard lock(state_->mutex);
    if (std::exchange(state_->hurrying, true)) return;
    state_->urgent = true;
  }
  state_->wake.notify_one();
}

std::optional<std::string> JournalWriter::failure() const {
  const std::lock_guard lock(state_->mutex);
  return failure_message(state_->failure);
}

void JournalWriter::close() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->closing = true;
  }
  state_->wake.notify_one();
  state_->thread.join();
  if (state_->failure) std::rethrow_exception(state_->failure);
  if (state_->predictions) state_->predictions->sync_and_close();
  state_->lines.sync_and_close();
}

ResultStore JournalWriter::take_results() {
  state_->results.settle();
  return std::move(state_->results);
}

const std::string& JournalWriter::path() const {
  return state_->lines.path();
}

}  // namespace sheaf

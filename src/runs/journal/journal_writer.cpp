// SPDX-License-Identifier: MIT
#include "runs/journal/journal_writer.hpp"

#include <cassert>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <utility>
#include <vector>

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
constexpr double first_time_seconds = 1, max_time_period = 64;     // between lines of the time of a job
constexpr std::size_t full_batch_bytes = std::size_t{1} << 20;     // of packed results: written at once
constexpr std::size_t max_waiting_bytes = std::size_t{8} << 20;    // of packed results and predictions
constexpr std::size_t piece_bytes = std::size_t{256} << 10;        // of text per write
constexpr std::size_t max_unsynced_bytes = std::size_t{32} << 20;  // of text, so that the last sync is short

// Results that lanes have finished and the thread has not written yet.
struct Batch {
  std::vector<std::byte> results;               // packed
  std::vector<std::vector<float>> predictions;  // of the results that have some, in the same order
  std::size_t predictions_bytes = 0;

  bool empty() const { return results.empty(); }
  std::size_t bytes() const { return results.size() + predictions_bytes; }
  // Keeps the memory for the next results.
  void clear() {
    results.clear();
    predictions.clear();
    predictions_bytes = 0;
  }
};

}  // namespace

struct JournalWriter::State {
  State(const std::string& path, const JournalHeader& header, std::function<void(std::int64_t)> callback)
      : seed(header.seed()), on_disk(std::move(callback)), lines(path), seed_of_stage(seed) {
    lines.write(header_line(header));
    lines.sync();
  }

  void work();
  void write(const Batch& batch);
  void write_text();
  void add_due_time();
  void write_predictions(const std::vector<float>& values);
  void sync();
  bool is_sync_due() const { return unsynced_bytes >= max_unsynced_bytes || Clock::now() - synced_at >= sync_period; }

  // Used only by the writing thread.
  std::uint32_t seed;
  const std::function<void(std::int64_t)> on_disk;
  std::vector<std::int64_t> unsynced;  // iterations whose lines are written, but perhaps not on disk
  OutputFile lines;
  std::optional<OutputFile> predictions;
  std::string text;     // lines that are not written yet
  ResultStore results;  // all written results
  bool is_synced = true;
  std::size_t unsynced_bytes = 0;  // of lines
  Clock::time_point synced_at = Clock::now();

  mutable std::mutex mutex;
  std::condition_variable wake;
  std::condition_variable room;
  Batch waiting;
  std::int64_t predictions_end = 0;  // where the file of predictions will end
  bool urgent = false;               // write and sync the waiting results at once
  bool hurrying = false;             // all later results are urgent
  bool draining = false;             // results_so_far() waits until all results are on disk
  bool closing = false;
  std::uint32_t seed_of_stage;  // of the results that have not been taken yet
  std::string next_line;        // of a stage, or of the end of a search or a job: is written before the waiting results
  std::optional<Clock::time_point> start;  // of the training, if its time is recorded
  double next_time = first_time_seconds;   // after the start
  std::exception_ptr failure;
  ThreadGroup thread{"writing the journal"};
};

void JournalWriter::State::work() {
  Batch batch;
  for (bool last = false; !last; batch.clear()) {
    bool at_once = false, drains = false;
    {
      std::unique_lock lock(mutex);
      wake.wait_for(lock, write_period, [this] { return urgent || closing || waiting.bytes() >= full_batch_bytes; });
      std::swap(batch, waiting);
      text.swap(next_line);
      next_line.clear();
      seed = seed_of_stage;
      add_due_time();
      drains = draining;
      at_once = std::exchange(urgent, false) || closing;
      last = closing;
    }
    room.notify_all();
    try {
      write(batch);
      if (!is_synced && (at_once || is_sync_due())) sync();
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

// Adds the line of the time, if it is due. Before the waiting results, as all other lines that are not results.
void JournalWriter::State::add_due_time() {
  if (!start) return;
  const double seconds = seconds_since(*start);
  if (seconds < next_time) return;
  text += time_line({seconds, false}, seed);
  while (next_time <= seconds) next_time += std::min(next_time, max_time_period);
}

// Writes `text` and the lines of the batch.
void JournalWriter::State::write(const Batch& batch) {
  auto values = batch.predictions.begin();
  for (std::size_t at = 0; at < batch.results.size();) {
    const PackedResult result(batch.results.data() + at);
    const JournaledIteration iteration = result.unpack();
    const bool has_predictions = iteration.predictions.bytes > 0;
    if (has_predictions) write_predictions(*values++);
    append_journal_line(text, iteration.trained, iteration.predictions, seed);
    results.append(result);
    if (on_disk) unsynced.push_back(iteration.trained.result.iteration);
    // At once, since the predictions of the next iteration may fill the disk.
    if (has_predictions || text.size() >= piece_bytes) write_text();
    at += result.size();
  }
  write_text();
}

void JournalWriter::State::write_text() {
  if (text.empty()) return;
  is_synced = false;
  lines.write(text);
  unsynced_bytes += text.size();
  text.clear();
}

void JournalWriter::State::write_predictions(const std::vector<float>& values) {
  if (!predictions) predictions.emplace(predictions_path(lines.path()));
  predictions->write(values.data(), values.size() * sizeof(float));
}

void JournalWriter::State::sync() {
  if (predictions) predictions->sync();
  lines.sync();
  is_synced = true;
  unsynced_bytes = 0;
  synced_at = Clock::now();
  for (const std::int64_t iteration : unsynced) on_disk(iteration);
  unsynced.clear();
}

JournalWriter::JournalWriter(const std::string& path, const JournalHeader& header,
                             std::function<void(std::int64_t)> on_disk)
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
  PredictionsLocation location;
  location.bytes = static_cast<std::int64_t>(iteration.predictions.size() * sizeof(float));
  if (location.bytes > 0)
    location.checksum = checksum(iteration.predictions.data(), static_cast<std::size_t>(location.bytes));
  std::unique_lock lock(state.mutex);
  state.room.wait(lock, [&] { return state.waiting.bytes() < max_waiting_bytes || state.failure; });
  if (state.failure) return;
  Batch& waiting = state.waiting;
  const bool was_full = waiting.bytes() >= full_batch_bytes;
  location.offset = state.predictions_end;
  state.predictions_end += location.bytes;
  pack_result(iteration, location, static_cast<std::size_t>(iteration.result.rank), waiting.results);
  if (location.bytes > 0) {
    waiting.predictions_bytes += static_cast<std::size_t>(location.bytes);
    waiting.predictions.push_back(std::move(iteration.predictions));
  }
  const bool urgent = state.hurrying || iteration.result.seconds >= long_iteration_seconds;
  state.urgent |= urgent;
  const bool wakes = urgent || (!was_full && waiting.bytes() >= full_batch_bytes);
  lock.unlock();
  if (wakes) state.wake.notify_one();
}

void JournalWriter::begin_stage(const RecordedStage& recorded) {
  const std::lock_guard lock(state_->mutex);
  assert(state_->waiting.empty());
  State& state = *state_;
  state.next_line = stage_line(recorded, state.seed_of_stage);
  state.seed_of_stage = seed_after(recorded, state.seed_of_stage);
}

void JournalWriter::end_search(const RecordedEnd& recorded) {
  results_so_far();
  const std::lock_guard lock(state_->mutex);
  state_->next_line = end_line(recorded, state_->seed_of_stage);
}

void JournalWriter::record_time_since(Clock::time_point start) {
  const std::lock_guard lock(state_->mutex);
  state_->start = start;
}

void JournalWriter::end_job(double seconds) {
  results_so_far();
  const std::lock_guard lock(state_->mutex);
  state_->start.reset();
  state_->next_line = time_line({seconds, true}, state_->seed_of_stage);
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

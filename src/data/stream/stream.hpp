// Streams a data set that is larger than memory, window by window, through the shared memory of a node.
//
// The lanes of a node train in rounds. In a round, each lane trains the models that it has claimed, and all models use
// the same windows: a pass reads the file once, for any number of models, lanes and ranks. A round begins at the first
// window that any of its models needs; a model that continues from a checkpoint skips windows until its own. A round
// ends early when no lane needs more windows. Reading threads of all ranks take blocks from a common counter. They are
// ahead of the lanes by up to as many windows as there are slots in memory. Waiting threads sleep until an event.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/index_range.hpp"
#include "data/dataset.hpp"
#include "data/feature_reader.hpp"
#include "data/storage.hpp"
#include "data/stream/stream_plan.hpp"
#include "parallel/mpi/communicator.hpp"

namespace sheaf {

/// The rows that are in memory at the same time.
struct Window {
  struct Block {
    IndexRange rows;          ///< rows of the file
    std::int64_t offset = 0;  ///< the first of them in `data`
  };
  Pass pass;
  std::int64_t number = 0;  ///< index of the window in the pass
  bool last = false;        ///< whether it is the last window of the pass
  std::vector<Block> blocks;
  DataSet data;  ///< row r of a block is row r - rows.begin + offset of `data`
};

struct StreamState;  // stream_state.hpp

/// The stream of one data file, shared by the ranks of a node, with the reading threads of this rank.
class Stream {
 public:
  /// `reader` and `shape` belong to the file; `targets` is its data set without features (load_targets()). Reading
  /// begins with the first round. Throws AgreedError if the node does not have enough shared memory. Collective over
  /// `node`, as is the destructor.
  Stream(std::unique_ptr<const FeatureReader> reader, const RowShape& shape, const DataSet& targets,
         const StreamOptions& options, const Communicator& node);
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  const StreamOptions& options() const;

  /// Lets new StreamLanes begin rounds after a lane has left one. No StreamLane may exist on any rank. Throws RunError
  /// if a thread cannot be started. Collective over the node.
  void restart();

  /// Bytes of features that this rank has read from the file.
  std::int64_t bytes_read() const;

 private:
  friend class StreamLane;
  std::unique_ptr<StreamState> state_;
};

/// The access of one lane to a stream. Every lane of the node takes part in every round, with or without models. The
/// stream ends for all lanes when a round has no models or when a lane leaves a round. Used by one thread only. Methods
/// throw RunError if this rank failed to read the file.
class StreamLane {
 public:
  /// Joins after the rounds so far. After a round without models, new StreamLanes can replace all previous ones. Create
  /// all of them before the next round, which waits for all lanes of the node.
  explicit StreamLane(Stream& stream);

  /// Waits for all lanes of the node, then begins a round. `epochs` is the maximum number of epochs that the lane's
  /// models need, 0 without models. `from` is the first window that one of them needs, counted from the first pass.
  /// Returns the number of epochs of the round, or 0 if no lane has models or a lane has left.
  std::int64_t begin_round(std::int64_t epochs, std::int64_t from = 0);

  /// Waits for the next window of the round. Returns null at the end of the round, if a lane has left, or if
  /// should_stop(), called while waiting, returns true. Invalidates the previous window.
  const Window* next(const std::function<bool()>& should_stop = {});

  /// Declares that the lane's models need no more windows of this round. When all lanes have called it, the round ends
  /// after the windows that are in memory or being read; until then, next() returns windows. Can be called repeatedly.
  void need_no_more();

  /// Leaves the round before its end.
  void leave();
  /// Whether a lane of the node has left.
  bool is_left() const;

  /// The number of windows that next() has returned in this round, and the number still to come.
  std::int64_t windows_given() const { return next_window_ - first_window_; }
  std::int64_t windows_left() const { return end_window_ - next_window_; }

  /// Seconds that next() has waited for data, in total.
  double waited_seconds() const { return waited_; }

 private:
  void release();
  void update_end();

  StreamState& stream_;
  std::int64_t round_ = 0;                          // the current round, from 1
  std::int64_t epochs_ = 0;                         // epochs of the round
  std::int64_t begin_ = 0;                          // first window of the round, counted from its first pass
  std::int64_t next_window_ = 0;                    // counted from the beginning of the stream, as the next two
  std::int64_t first_window_ = 0, end_window_ = 0;  // range of the round's windows
  bool holds_ = false;                              // whether window_ is in use
  bool needs_more_ = false;                         // until need_no_more() is called in a round
  Window window_;
  std::vector<std::int64_t> order_;  // order of the blocks in the current pass
  double waited_ = 0;
};

}  // namespace sheaf

// A data set larger than memory, passing through the memory that the ranks of a node share.
//
// The node's lanes train in rounds: each brings the models that it has claimed, a round begins where the one that is
// least far begins, and every window of rows that is read serves them all, so that a pass reads the file once however
// many models, lanes and ranks there are; a model that goes on from a checkpoint lets pass what it has had. Reading
// threads of all ranks take block by block from one counter, ahead of the lanes by as many windows as memory has slots.
// A round ends early when no lane needs more of it. Who waits, waits asleep.
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
#include "study/study.hpp"

namespace sheaf {

/// Rows in memory, for a while.
struct Window {
  struct Block {
    IndexRange rows;         ///< of the file
    std::int64_t place = 0;  ///< of the first in `data`
  };
  Pass pass;
  std::int64_t number = 0;  ///< in the pass
  bool last = false;        ///< of the pass
  std::vector<Block> blocks;
  DataSet data;  ///< a row where a block says so
};

struct StreamState;  // what the ranks of a node share: stream_state.hpp

class Stream {
 public:
  /// `reader` and `shape`: of the file, which this does not open. `targets`: its data set without features
  /// (load_targets). Reading begins with the first round. Throws AgreedError when the node lacks the shared memory.
  /// Collective over `node`, as is the destructor.
  Stream(std::unique_ptr<const FeatureReader> reader, const RowShape& shape, const DataSet& targets,
         const StreamOptions& options, const Communicator& node);
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  const StreamOptions& options() const;

  /// Bytes of features that this rank has read.
  std::int64_t bytes_read() const;

 private:
  friend class StreamLane;
  std::unique_ptr<StreamState> state_;
};

/// One lane's way through the stream. Every lane of the node takes part in every round, with models or without, until
/// a round has none or a lane leaves one, which ends the stream for all. Not shared between threads. Functions throw
/// RunError when this rank's reading has failed.
class StreamLane {
 public:
  /// Begins after the rounds so far: once all lanes have had a round without models, others may take their places. They
  /// are made before the next round begins, which waits for all of them.
  explicit StreamLane(Stream& stream);

  /// Waits for all lanes of the node, then begins a round; `epochs` is what the lane's models want at most, 0 without
  /// models, `from` the first window that one of them needs, counted from the first pass on. Returns how many epochs
  /// the round has; 0: no lane has models any more, or one has left.
  std::int64_t begin_round(std::int64_t epochs, std::int64_t from = 0);

  /// The next window of the round; nothing at its end, once a lane has left it, or when `gives_up`, asked while there
  /// is nothing to train on, says so. What was returned before is no longer valid.
  const Window* next(const std::function<bool()>& gives_up = {});

  /// Says that the lane's models need no more windows of this round. Once all lanes have said so, the round ends after
  /// the windows that are in memory or being read; until then next() goes on. To be called any number of times.
  void need_no_more();

  /// Leaves the round before its end.
  void leave();
  /// Whether a lane has.
  bool is_left() const;

  /// Windows that next() has given in this round, and that it has still to give.
  std::int64_t windows_given() const { return next_window_ - first_window_; }
  std::int64_t windows_left() const { return end_window_ - next_window_; }

  /// Seconds that next() has waited for data, since the lane began.
  double waited_seconds() const { return waited_; }

 private:
  void release();
  void update_end();

  StreamState& stream_;
  std::int64_t round_ = 0;                          // that it is in, from 1
  std::int64_t epochs_ = 0;                         // of the round
  std::int64_t begin_ = 0;                          // of the round, counted from the first pass on
  std::int64_t next_window_ = 0;                    // counted from the beginning of the stream, as are the next two
  std::int64_t first_window_ = 0, end_window_ = 0;  // of the round
  bool holds_ = false;
  bool needs_more_ = false;  // of the round
  Window window_;
  std::vector<std::int64_t> order_;  // of the pass's blocks
  double waited_ = 0;
};

}  // namespace sheaf

// Results of iterations in a compact binary form. Ranks store their results in memory while they train and send them to
// rank 0 at the end; replay reads journals into the same form.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/index_range.hpp"
#include "runs/journal/journal_line.hpp"
#include "training/iteration_result.hpp"

namespace sheaf {

/// An iteration as stored in a journal.
struct JournaledIteration {
  TrainedIteration trained;  ///< without its predictions
  PredictionsLocation predictions;
  std::size_t file = 0;  ///< index of its journal: in Replay::files for replayed results, otherwise the rank

  bool has_result() const { return is_result(trained.result.status); }
};

/// A view of a packed result in memory owned by the caller, which need not be aligned. Pure.
class PackedResult {
 public:
  explicit PackedResult(const std::byte* bytes) : bytes_(bytes) {}

  const std::byte* data() const { return bytes_; }
  std::size_t size() const;  ///< in bytes; 68 for the simplest results of the native engine
  std::int64_t iteration() const;
  bool has_result() const;
  /// Whether a later entry of the same iteration replaces this one: the first entry with a result counts, otherwise the
  /// last.
  bool is_replaceable() const { return !has_result(); }
  JournaledIteration unpack() const;

 private:
  const std::byte* bytes_;
};

/// Appends a packed result to `bytes`, without the predictions themselves. Results in `bytes` follow each other without
/// gaps. Pure.
void pack_result(const TrainedIteration& iteration, const PredictionsLocation& predictions, std::size_t file,
                 std::vector<std::byte>& bytes);

/// Packed results in blocks of memory that are never copied or moved. A settled store also has 16 bytes per result for
/// their order. Local.
class ResultStore {
 public:
  /// Adds a result, without the predictions themselves. settle() must be called before results are read.
  void append(const TrainedIteration& iteration, const PredictionsLocation& predictions, std::size_t file);
  void append(PackedResult result);
  /// Sorts by iteration and keeps one result per iteration (PackedResult::is_replaceable).
  void settle();

  /// Number of results. This and all functions below require a settled store, whose results are in ascending order of
  /// their iterations.
  std::size_t size() const { return index_.size(); }
  bool empty() const { return index_.empty(); }
  /// How many of `iterations` are in the store, and how many of these have a result.
  std::int64_t count(IndexRange iterations) const { return positions_of(iterations).count(); }
  std::int64_t count_results(IndexRange iterations) const;
  PackedResult packed(std::size_t position) const { return at(index_[position]); }
  JournaledIteration operator[](std::size_t position) const { return packed(position).unpack(); }
  /// The positions of the results of `iterations`.
  IndexRange positions_of(IndexRange iterations) const;
  /// Size in bytes of the results of `iterations`.
  std::int64_t bytes_of(IndexRange iterations) const;

  /// Unpacks the results one by one.
  class Iterator {
   public:
    Iterator(const ResultStore& store, std::size_t position) : store_(&store), position_(position) {}
    JournaledIteration operator*() const { return (*store_)[position_]; }
    Iterator& operator++() {
      ++position_;
      return *this;
    }
    bool operator!=(const Iterator& other) const { return position_ != other.position_; }

   private:
    const ResultStore* store_;
    std::size_t position_;
  };
  Iterator begin() const { return {*this, 0}; }
  Iterator end() const { return {*this, size()}; }

 private:
  // Results without gaps.
  struct Block {
    std::unique_ptr<std::byte[]> memory;
    std::size_t size = 0, used = 0;  // in bytes
  };

  // Where a result is. Later results have larger places.
  struct Entry {
    std::int64_t iteration;
    std::uint32_t block, offset;
  };

  std::byte* allocate(std::size_t bytes);
  PackedResult at(const Entry& entry) const { return PackedResult(blocks_[entry.block].memory.get() + entry.offset); }

  std::vector<Block> blocks_;
  std::size_t count_ = 0;     // of results in the blocks
  std::vector<Entry> index_;  // of the settled results
};

}  // namespace sheaf

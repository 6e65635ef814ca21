// Records of finished iterations in a compact binary form. Ranks keep them in memory while they train and send them to
// rank 0 at the end; replay reads journals into them.
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

/// An iteration as its journal results it.
struct JournaledIteration {
  TrainedIteration trained;  ///< without its predictions
  PredictionsPlace predictions;
  std::size_t file = 0;  ///< which journal: for replayed results the place in Replay::files, otherwise the rank

  bool has_result() const { return trained.result.status != IterationStatus::failed; }
};

/// A packed result in memory that somebody else owns. It need not be aligned. Pure.
class PackedResult {
 public:
  explicit PackedResult(const std::byte* bytes) : bytes_(bytes) {}

  const std::byte* data() const { return bytes_; }
  std::size_t size() const;  ///< in bytes; 120 unless it has a message, a curve or predictions
  std::int64_t iteration() const;
  bool has_result() const;
  /// Whether a later entry of the same iteration takes its place: the first entry with a result counts, otherwise
  /// the last.
  bool gives_way() const { return !has_result(); }
  JournaledIteration unpack() const;

 private:
  const std::byte* bytes_;
};

/// Records in blocks of memory that are never copied or moved. Local.
class ResultStore {
 public:
  /// Adds a result; the predictions themselves are not kept. The store must be settled (again) before it is read.
  void append(const TrainedIteration& iteration, const PredictionsPlace& predictions, std::size_t file);
  /// Sorts by iteration and keeps one result of each (PackedResult::gives_way).
  void settle();

  /// Number of results. This and everything below: of a settled store, in ascending order of the iterations.
  std::size_t size() const { return index_.size(); }
  bool empty() const { return index_.empty(); }
  /// How many of some iterations are there, and how many of them have a result.
  std::int64_t count(IndexRange iterations) const { return places_of(iterations).count(); }
  std::int64_t count_results(IndexRange iterations) const;
  PackedResult packed(std::size_t place) const { return PackedResult(index_[place].at); }
  JournaledIteration operator[](std::size_t place) const { return packed(place).unpack(); }
  /// The places of the results of some iterations.
  IndexRange places_of(IndexRange iterations) const;
  /// Size in bytes of the results of some iterations.
  std::int64_t bytes_of(IndexRange iterations) const;

  /// Unpacks one result after the other.
  class Iterator {
   public:
    Iterator(const ResultStore& store, std::size_t place) : store_(&store), place_(place) {}
    JournaledIteration operator*() const { return (*store_)[place_]; }
    Iterator& operator++() {
      ++place_;
      return *this;
    }
    bool operator!=(const Iterator& other) const { return place_ != other.place_; }

   private:
    const ResultStore* store_;
    std::size_t place_;
  };
  Iterator begin() const { return {*this, 0}; }
  Iterator end() const { return {*this, size()}; }

 private:
  struct Entry {
    std::int64_t iteration;
    const std::byte* at;
  };

  std::byte* allocate(std::size_t bytes);

  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  std::byte* free_ = nullptr;  // in the last block
  std::size_t free_bytes_ = 0;
  std::vector<Entry> index_;
};

}  // namespace sheaf

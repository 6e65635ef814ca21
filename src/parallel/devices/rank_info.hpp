// The ranks of a job with their hosts, devices and lanes.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <unordered_map>
#include <vector>

namespace sheaf {

/// The host, device and lanes of one rank, for the log and the table /ranks of results.h5.
struct RankInfo {
  std::string host;
  std::string device;  ///< "cpu", "cuda:0 NVIDIA H200", or both, joined by "and"
  std::int64_t cores = 0;
  std::int64_t lanes = 0;
  std::int64_t threads = 0;
  std::string note;
};

/// The information on the ranks of a job, in rank order. Stores equal texts once, since a job may have many ranks and
/// few hosts and devices.
class RankTable {
 public:
  RankTable() = default;
  RankTable(std::initializer_list<RankInfo> ranks) {
    for (const RankInfo& rank : ranks) add(rank);
  }

  void add(const RankInfo& rank) {
    rows_.push_back(
        {number_of(rank.host), number_of(rank.device), number_of(rank.note), rank.cores, rank.lanes, rank.threads});
  }

  std::size_t size() const { return rows_.size(); }
  RankInfo operator[](std::size_t rank) const {
    const Row& row = rows_[rank];
    return {texts_[row.host], texts_[row.device], row.cores, row.lanes, row.threads, texts_[row.note]};
  }
  /// Of all ranks.
  std::int64_t lane_count() const {
    std::int64_t lanes = 0;
    for (const Row& row : rows_) lanes += row.lanes;
    return lanes;
  }

  /// The distinct hosts, in the order of their first ranks.
  std::vector<std::string> hosts() const {
    std::vector<std::string> hosts;
    std::vector<bool> known(texts_.size());
    for (const Row& row : rows_) {
      if (!known[row.host]) hosts.push_back(texts_[row.host]);
      known[row.host] = true;
    }
    return hosts;
  }

  /// Whether all information on two ranks is equal.
  bool are_equal(std::size_t one, std::size_t other) const { return rows_[one] == rows_[other]; }

 private:
  struct Row {
    std::uint32_t host, device, note;  // indices of texts_
    std::int64_t cores, lanes, threads;

    bool operator==(const Row& other) const {
      return host == other.host && device == other.device && note == other.note && cores == other.cores &&
             lanes == other.lanes && threads == other.threads;
    }
  };

  std::uint32_t number_of(const std::string& text) {
    const auto [found, is_new] = numbers_.emplace(text, static_cast<std::uint32_t>(texts_.size()));
    if (is_new) texts_.push_back(text);
    return found->second;
  }

  std::vector<Row> rows_;
  std::vector<std::string> texts_;
  std::unordered_map<std::string, std::uint32_t> numbers_;  // of the texts
};

}  // namespace sheaf

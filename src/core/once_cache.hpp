// A cache of values that several threads use and one of them computes.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace sheaf {

/// Computes the value of a key at the first get(), once even if several threads call it. Threads that get other keys do
/// not wait. Keeps the `capacity` newest values; a value that was dropped is computed again. Thread-safe.
template <class Key, class Value>
class OnceCache {
 public:
  explicit OnceCache(std::size_t capacity) : capacity_(capacity) {}

  /// Returns the value of `key`, which `make()` computes. If `make` throws, get throws the same, and the next call
  /// retries.
  template <class Make>
  std::shared_ptr<const Value> get(const Key& key, Make make) {
    const std::shared_ptr<Entry> entry = entry_of(key);
    std::call_once(entry->once, [&] { entry->value = make(); });
    return {entry, &entry->value};
  }

 private:
  struct Entry {
    std::once_flag once;
    Value value;
  };

  std::shared_ptr<Entry> entry_of(const Key& key) {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::shared_ptr<Entry>& entry = entries_[key];
    if (entry) return entry;
    entry = std::make_shared<Entry>();
    std::shared_ptr<Entry> added = entry;  // `entry` refers into the map, which may drop it
    order_.push_back(key);
    if (order_.size() > capacity_) {
      entries_.erase(order_.front());
      order_.pop_front();
    }
    return added;
  }

  const std::size_t capacity_;
  std::mutex mutex_;
  std::map<Key, std::shared_ptr<Entry>> entries_;
  std::deque<Key> order_;  // oldest first
};

}  // namespace sheaf

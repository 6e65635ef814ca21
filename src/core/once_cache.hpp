// Values that several threads want and one makes.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace sheaf {

/// Makes each key's value when it is first asked for, once however many threads ask, and without holding up those who
/// ask for another. Keeps the `capacity` values made last; what was dropped is made again when asked for. Thread-safe.
template <class Key, class Value>
class OnceCache {
 public:
  explicit OnceCache(std::size_t capacity) : capacity_(capacity) {}

  /// `make()` returns the value of `key`; if it throws, so does get, and the next caller makes it.
  template <class Make>
  std::shared_ptr<const Value> get(const Key& key, Make make) {
    const std::shared_ptr<Entry> entry = entry_of(key);
    std::call_once(entry->made, [&] { entry->value = make(); });
    return {entry, &entry->value};
  }

 private:
  struct Entry {
    std::once_flag made;
    Value value;
  };

  std::shared_ptr<Entry> entry_of(const Key& key) {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::shared_ptr<Entry>& entry = entries_[key];
    if (entry) return entry;
    entry = std::make_shared<Entry>();
    std::shared_ptr<Entry> made = entry;
    order_.push_back(key);
    if (order_.size() > capacity_) {
      entries_.erase(order_.front());
      order_.pop_front();
    }
    return made;
  }

  const std::size_t capacity_;
  std::mutex mutex_;
  std::map<Key, std::shared_ptr<Entry>> entries_;
  std::deque<Key> order_;  // oldest first
};

}  // namespace sheaf

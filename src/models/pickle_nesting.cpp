// SPDX-License-Identifier: MIT
#include "models/pickle_nesting.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "files/byte_order.hpp"

namespace sheaf {
namespace {

// Runs the instructions of a pickle on numbers of values instead of the values. Source: Python's pickletools.
class Machine {
 public:
  explicit Machine(std::string_view pickle) : rest_(pickle) {}

  void run() {
    while (!rest_.empty() && step()) continue;
  }

  std::size_t value_count() const { return count_; }
  /// Pairs of a value and a value in it.
  std::vector<std::pair<std::size_t, std::size_t>>& parts() { return parts_; }

 private:
  // Returns false at the end and after an instruction that is not valid.
  bool step() {
    const auto code = static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
    switch (code) {
      case 0x80:  // PROTO
        return skip(1);
      case '(':
        marks_.push_back(stack_.size());
        return true;
      case ']':
      case ')':
      case '}':
      case 'N':
      case 0x88:
      case 0x89:
        return push();
      case 'K':
        return skip(1) && push();
      case 'M':
        return skip(2) && push();
      case 'J':
        return skip(4) && push();
      case 'G':
        return skip(8) && push();
      case 0x8a:
      case 'U':  // LONG1, SHORT_BINSTRING
        return skip_counted(1) && push();
      case 'X':
      case 'T':
        return skip_counted(4) && push();
      case 0x8d:
        return skip_counted(8) && push();
      case 'c':  // GLOBAL
        return skip_line() && skip_line() && push();
      case 'q':
        return store(1);
      case 'r':
        return store(4);
      case 'h':
        return recall(1);
      case 'j':
        return recall(4);
      case 't':
        return combine(since_mark());
      case 0x85:
      case 0x86:
      case 0x87:
        return combine(code - 0x84u);
      case 'R':
      case 0x81:  // REDUCE, NEWOBJ
        return combine(2);
      case 'Q':  // BINPERSID
        return combine(1);
      case 'e':
      case 'u':
        return add(since_mark());
      case 'a':
      case 'b':
        return add(1);
      case 's':
        return add(2);
      case '0':
        if (stack_.empty()) return false;
        stack_.pop_back();
        return true;
      default:
        return false;
    }
  }

  bool skip(std::uint64_t bytes) {
    if (bytes > rest_.size()) return false;
    rest_.remove_prefix(static_cast<std::size_t>(bytes));
    return true;
  }
  bool read(std::size_t bytes, std::uint64_t& value) {
    if (bytes > rest_.size()) return false;
    value = read_unsigned(rest_.data(), bytes, false);
    return skip(bytes);
  }
  bool skip_counted(std::size_t bytes) {
    std::uint64_t count = 0;
    return read(bytes, count) && skip(count);
  }
  bool skip_line() {
    const std::size_t end = rest_.find('\n');
    return end != rest_.npos && skip(end + 1);
  }

  bool push() {
    stack_.push_back(count_++);
    return true;
  }
  bool store(std::size_t bytes) {
    std::uint64_t place = 0;
    if (!read(bytes, place) || stack_.empty()) return false;
    memo_[place] = stack_.back();
    return true;
  }
  bool recall(std::size_t bytes) {
    std::uint64_t place = 0;
    if (!read(bytes, place) || memo_.count(place) == 0) return false;
    stack_.push_back(memo_[place]);
    return true;
  }

  // The number of values after the latest mark, which is removed.
  std::size_t since_mark() {
    if (marks_.empty() || marks_.back() > stack_.size()) return stack_.size() + 1;  // not valid
    const std::size_t begin = marks_.back();
    marks_.pop_back();
    return stack_.size() - begin;
  }
  // Makes the last values parts of `whole`.
  void move_into(std::size_t whole, std::size_t count) {
    for (; count > 0; --count) {
      parts_.emplace_back(whole, stack_.back());
      stack_.pop_back();
    }
  }
  // Replaces the last values by a new one that contains them.
  bool combine(std::size_t count) {
    if (count > stack_.size()) return false;
    move_into(count_, count);
    return push();
  }
  // Adds the last values to the value before them.
  bool add(std::size_t count) {
    if (count >= stack_.size()) return false;
    move_into(stack_[stack_.size() - 1 - count], count);
    return true;
  }

  std::string_view rest_;
  std::size_t count_ = 0;
  std::vector<std::size_t> stack_;
  std::vector<std::size_t> marks_;
  std::unordered_map<std::uint64_t, std::size_t> memo_;
  std::vector<std::pair<std::size_t, std::size_t>> parts_;
};

}  // namespace

std::int64_t pickle_nesting(std::string_view pickle) {
  Machine machine(pickle);
  machine.run();
  auto& parts = machine.parts();
  std::sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  // Values whose parts are all known, from the innermost outwards.
  std::vector<std::size_t> unknown_parts(machine.value_count()), known;
  std::vector<std::int64_t> depth(machine.value_count(), 1);
  for (const auto& [whole, part] : parts) ++unknown_parts[whole];
  for (std::size_t value = 0; value < unknown_parts.size(); ++value)
    if (unknown_parts[value] == 0) known.push_back(value);
  std::int64_t deepest = 0;
  while (!known.empty()) {
    const std::size_t value = known.back();
    known.pop_back();
    deepest = std::max(deepest, depth[value]);
    const auto first = std::lower_bound(parts.begin(), parts.end(), value,
                                        [](const auto& pair, std::size_t number) { return pair.second < number; });
    for (auto pair = first; pair != parts.end() && pair->second == value; ++pair) {
      depth[pair->first] = std::max(depth[pair->first], depth[value] + 1);
      if (--unknown_parts[pair->first] == 0) known.push_back(pair->first);
    }
  }
  // What contains a cycle never becomes known.
  const bool has_cycle =
      std::any_of(unknown_parts.begin(), unknown_parts.end(), [](std::size_t count) { return count > 0; });
  return has_cycle ? std::numeric_limits<std::int64_t>::max() : deepest;
}

}  // namespace sheaf

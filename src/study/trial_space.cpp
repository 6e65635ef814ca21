// SPDX-License-Identifier: MIT
#include "study/trial_space.hpp"

#include <fmt/format.h>

#include <cassert>
#include <charconv>
#include <cstddef>
#include <mutex>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "core/random/random_stream.hpp"
#include "core/random/range_draw.hpp"
#include "study/effect.hpp"
#include "study/range_value.hpp"
#include "study/searched_keys.hpp"
#include "study/settings.hpp"
#include "study/study.hpp"

namespace sheaf {
namespace {

// FNV-1a.
std::uint32_t hash_of(std::string_view name) {
  std::uint32_t hash = 2166136261u;
  for (const char letter : name) hash = (hash ^ static_cast<unsigned char>(letter)) * 16777619u;
  return hash;
}

std::int64_t integer_in(const std::string& text) {
  std::int64_t value = 0;
  [[maybe_unused]] const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  assert(read.ec == std::errc{});
  return value;
}

std::string drawn_from_range(Sampling sampling, const std::string& low, const std::string& high, RandomStream stream) {
  if (sampling == Sampling::integer) {
    const std::int64_t first = integer_in(low);
    const auto count = static_cast<std::uint64_t>(integer_in(high) - first) + 1;
    return fmt::format("{}", first + static_cast<std::int64_t>(stream.below(count)));
  }
  // Each integer has the part of a logarithmic scale that rounds to it.
  const double margin = sampling == Sampling::log_integer ? 0.5 : 0;
  const double least = range_number(low) - margin, most = range_number(high) + margin;
  const double position = stream.uniform_double();
  return range_value(
      sampling, low, high,
      sampling == Sampling::uniform ? uniform_on(least, most, position) : log_uniform_on(least, most, position));
}

// The image of `number` under a random permutation of 0..count-1: a Feistel network on the least even number of bits
// that suffices, applied until the result is below `count`.
std::int64_t permuted(std::int64_t number, std::int64_t count, std::uint64_t seed) {
  unsigned half_bits = 1;
  while ((std::int64_t{1} << (2 * half_bits)) < count) ++half_bits;
  const std::uint64_t mask = (std::uint64_t{1} << half_bits) - 1;
  auto value = static_cast<std::uint64_t>(number);
  do {
    std::uint64_t left = value >> half_bits, right = value & mask;
    for (std::uint64_t round = 0; round < 6; ++round) {
      RandomStream stream(seed, Purpose::combination_order, (round << 32) | right);
      const std::uint64_t mixed = (left ^ stream.bits()) & mask;
      left = right;
      right = mixed;
    }
    value = (left << half_bits) | right;
  } while (value >= static_cast<std::uint64_t>(count));
  return static_cast<std::int64_t>(value);
}

}  // namespace

// Readers are lanes, which look up each trial once.
struct TrialSpace::Given {
  mutable std::mutex mutex;
  std::unordered_map<std::int64_t, std::vector<std::string>> values;
};

TrialSpace::TrialSpace(const Study& study) : seed_(study.study.seed), base_(study), combinations_(study) {
  base_.search.keys.clear();
  for (const auto& searched : study.search.keys) {
    std::vector<std::size_t>& deciding = deciding_.emplace_back();
    for (std::size_t other = 0; other < study.search.keys.size(); ++other)
      if (is_decided_by(*find_setting(searched.key), study.search.keys[other].key)) deciding.push_back(other);
    samplings_.push_back(searched.sampling);
  }
  for (const StartTrial& trial : study.search.start) {
    auto& values = start_.emplace_back(samplings_.size());
    for (const auto& [key, value] : trial)
      for (std::size_t number = 0; number < samplings_.size(); ++number)
        if (study.search.keys[number].key == key) values[number] = searched_value(study.search.keys[number], value);
  }
  const bool is_random = study.search.draws_trials();
  // Among so many combinations, equal draws are unlikely.
  const bool is_huge = combinations_.count() > max_iterations;
  order_ = !is_random ? Order::grid : has_ranges(study.search) || is_huge ? Order::drawn : Order::shuffled;
  trials_ = trial_count(study);
  if (search_method_of(study.search.method).learns) given_ = std::make_shared<Given>();
}

bool TrialSpace::may_have(const std::vector<std::string>& values) const {
  if (values.size() != samplings_.size()) return false;
  for (std::size_t key = 0; key < values.size(); ++key)
    if (searched_value({combinations_.key(key), combinations_.candidates(key), samplings_[key]}, values[key]) !=
        values[key])
      return false;
  return true;
}

void TrialSpace::give(std::int64_t trial, std::vector<std::string> values) {
  assert(given_ && values.size() == samplings_.size());
  const std::lock_guard lock(given_->mutex);
  given_->values.emplace(trial, std::move(values));
}

std::vector<std::string> TrialSpace::given(std::int64_t trial) const {
  if (!given_) return {};
  const std::lock_guard lock(given_->mutex);
  const auto found = given_->values.find(trial);
  return found == given_->values.end() ? std::vector<std::string>() : found->second;
}

// The value of a key in a random search, as if it had an effect.
std::string TrialSpace::drawn(std::int64_t trial, std::size_t key) const {
  if (is_start(trial))
    if (const auto& value = start_[static_cast<std::size_t>(trial)][key]) return *value;
  if (order_ == Order::shuffled) return combinations_.value(permuted(trial, combinations_.count(), seed_), key);
  const auto& candidates = combinations_.candidates(key);
  const std::uint64_t name = hash_of(combinations_.key(key));
  RandomStream stream(seed_, Purpose::drawn_value, (name << 32) | static_cast<std::uint64_t>(trial));
  if (samplings_[key] == Sampling::list) return candidates[stream.below(candidates.size())];
  return drawn_from_range(samplings_[key], candidates.front(), candidates.back(), stream);
}

bool TrialSpace::has_effect(std::size_t key, const ValueOfKey& value_of) const {
  if (deciding_[key].empty()) return true;
  Study point = base_;
  for (const std::size_t other : deciding_[key]) apply_setting(point, combinations_.key(other), value_of(other));
  return failed_condition(*find_setting(combinations_.key(key)), point) == nullptr;
}

std::vector<bool> TrialSpace::effects(const std::vector<std::string>& values) const {
  std::vector<bool> effects;
  for (std::size_t key = 0; key < values.size(); ++key)
    effects.push_back(has_effect(key, [&](std::size_t other) { return values[other]; }));
  return effects;
}

std::string TrialSpace::value(std::int64_t trial, std::size_t key) const {
  assert(trial >= 0 && trial < trials_);
  if (order_ == Order::grid) return combinations_.value(trial, key);
  if (const auto values = given(trial); !values.empty()) return values[key];
  const bool is_used = has_effect(key, [&](std::size_t other) { return drawn(trial, other); });
  return is_used ? drawn(trial, key) : combinations_.candidates(key).front();
}

std::vector<std::string> TrialSpace::apply(std::int64_t trial, Study& study) const {
  std::vector<std::string> values = given(trial);
  values.reserve(samplings_.size());
  while (values.size() < samplings_.size()) values.push_back(value(trial, values.size()));
  if (order_ == Order::grid) {
    combinations_.apply(trial, study);
    return values;
  }
  for (std::size_t key = 0; key < samplings_.size(); ++key) apply_setting(study, combinations_.key(key), values[key]);
  return values;
}

}  // namespace sheaf

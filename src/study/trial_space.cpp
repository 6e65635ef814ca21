// SPDX-License-Identifier: MIT
#include "study/trial_space.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <string_view>

#include "core/random/random_stream.hpp"
#include "core/random/range_draw.hpp"
#include "study/effect.hpp"
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

template <class Number>
Number number_in(const std::string& text) {
  Number value{};
  [[maybe_unused]] const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  assert(read.ec == std::errc{});
  return value;
}

// The text of a drawn value. Rounding may leave the range.
std::string rounded(double value, const std::string& low, const std::string& high) {
  const auto short_value = number_in<double>(fmt::format("{:.6g}", value));
  if (short_value <= number_in<double>(low)) return low;
  if (short_value >= number_in<double>(high)) return high;
  return fmt::format("{}", short_value);
}

std::string drawn_from_range(Sampling sampling, const std::string& low, const std::string& high, RandomStream stream) {
  const auto least = number_in<double>(low), most = number_in<double>(high);
  switch (sampling) {
    case Sampling::uniform:
      return rounded(uniform_on(least, most, stream.uniform_double()), low, high);
    case Sampling::log_uniform:
      return rounded(log_uniform_on(least, most, stream.uniform_double()), low, high);
    case Sampling::integer: {
      const auto first = number_in<std::int64_t>(low);
      const auto count = static_cast<std::uint64_t>(number_in<std::int64_t>(high) - first) + 1;
      return fmt::format("{}", first + static_cast<std::int64_t>(stream.below(count)));
    }
    default: {  // each integer has the part of the scale that rounds to it
      const double value = std::round(log_uniform_on(least - 0.5, most + 0.5, stream.uniform_double()));
      return fmt::format("{}", static_cast<std::int64_t>(std::clamp(value, least, most)));
    }
  }
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

TrialSpace::TrialSpace(const Study& study) : seed_(study.study.seed), base_(study), combinations_(study) {
  base_.search.keys.clear();
  bool has_ranges = false;
  for (const auto& searched : study.search.keys) {
    std::vector<std::size_t>& deciding = deciding_.emplace_back();
    for (std::size_t other = 0; other < study.search.keys.size(); ++other)
      if (is_decided_by(*find_setting(searched.key), study.search.keys[other].key)) deciding.push_back(other);
    samplings_.push_back(searched.sampling);
    has_ranges = has_ranges || searched.sampling != Sampling::list;
  }
  const bool is_random = study.search.draws_trials();
  // Among so many combinations, equal draws are unlikely.
  const bool is_huge = combinations_.count() > max_iterations;
  order_ = !is_random ? Order::grid : has_ranges || is_huge ? Order::drawn : Order::shuffled;
  trials_ = is_random ? drawn_trials(study) : combinations_.count();
}

// The value of a key in a random search, as if it had an effect.
std::string TrialSpace::drawn(std::int64_t trial, std::size_t key) const {
  if (order_ == Order::shuffled) return combinations_.value(permuted(trial, combinations_.count(), seed_), key);
  const auto& candidates = combinations_.candidates(key);
  const std::uint64_t name = hash_of(combinations_.key(key));
  RandomStream stream(seed_, Purpose::drawn_value, (name << 32) | static_cast<std::uint64_t>(trial));
  if (samplings_[key] == Sampling::list) return candidates[stream.below(candidates.size())];
  return drawn_from_range(samplings_[key], candidates.front(), candidates.back(), stream);
}

bool TrialSpace::has_effect(std::int64_t trial, std::size_t key) const {
  if (deciding_[key].empty()) return true;
  Study point = base_;
  for (const std::size_t other : deciding_[key]) apply_setting(point, combinations_.key(other), drawn(trial, other));
  return failed_condition(*find_setting(combinations_.key(key)), point) == nullptr;
}

std::string TrialSpace::value(std::int64_t trial, std::size_t key) const {
  assert(trial >= 0 && trial < trials_);
  if (order_ == Order::grid) return combinations_.value(trial, key);
  return has_effect(trial, key) ? drawn(trial, key) : combinations_.candidates(key).front();
}

std::vector<std::string> TrialSpace::apply(std::int64_t trial, Study& study) const {
  std::vector<std::string> values;
  values.reserve(samplings_.size());
  for (std::size_t key = 0; key < samplings_.size(); ++key) values.push_back(value(trial, key));
  if (order_ == Order::grid) {
    combinations_.apply(trial, study);
    return values;
  }
  for (std::size_t key = 0; key < samplings_.size(); ++key) apply_setting(study, combinations_.key(key), values[key]);
  return values;
}

}  // namespace sheaf

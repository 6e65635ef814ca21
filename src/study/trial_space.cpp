// SPDX-License-Identifier: MIT
#include "study/trial_space.hpp"

#include <fmt/format.h>

#include <algorithm>
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
#include "study/search_spaces.hpp"
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

// A random permutation of 0..count-1: a Feistel network on the least even number of bits
// that suffices, applied until the result is below `count`.
class Permutation {
 public:
  Permutation(std::int64_t count, std::uint64_t seed) : count_(static_cast<std::uint64_t>(count)), seed_(seed) {
    while ((std::uint64_t{1} << (2 * half_bits_)) < count_) ++half_bits_;
  }

  std::int64_t image(std::int64_t number) const {
    auto value = static_cast<std::uint64_t>(number);
    do {
      std::uint64_t left = value >> half_bits_, right = value & mask();
      for (std::uint64_t round = 0; round < rounds; ++round) left = std::exchange(right, left ^ mixed(round, right));
      value = (left << half_bits_) | right;
    } while (value >= count_);
    return static_cast<std::int64_t>(value);
  }

  /// The number whose image is `image`.
  std::int64_t preimage(std::int64_t image) const {
    auto value = static_cast<std::uint64_t>(image);
    do {
      std::uint64_t left = value >> half_bits_, right = value & mask();
      for (std::uint64_t round = rounds; round-- > 0;) right = std::exchange(left, right ^ mixed(round, left));
      value = (left << half_bits_) | right;
    } while (value >= count_);
    return static_cast<std::int64_t>(value);
  }

 private:
  static constexpr std::uint64_t rounds = 6;

  std::uint64_t mask() const { return (std::uint64_t{1} << half_bits_) - 1; }
  std::uint64_t mixed(std::uint64_t round, std::uint64_t half) const {
    return RandomStream(seed_, Purpose::combination_order, (round << 32) | half).bits() & mask();
  }

  std::uint64_t count_, seed_;
  unsigned half_bits_ = 1;
};

// The place number `number` of those that are not taken. `taken`: ascending.
std::int64_t free_place(const std::vector<std::int64_t>& taken, std::int64_t number) {
  // Before the taken place at `index`, there are taken[index] - index free ones.
  std::size_t begin = 0, end = taken.size();
  while (begin < end) {
    const std::size_t index = begin + (end - begin) / 2;
    if (taken[index] - static_cast<std::int64_t>(index) <= number)
      begin = index + 1;
    else
      end = index;
  }
  return number + static_cast<std::int64_t>(begin);
}

}  // namespace

// Readers are lanes, which look up each trial once.
struct TrialSpace::Given {
  mutable std::mutex mutex;
  std::unordered_map<std::int64_t, std::vector<std::string>> values;
};

TrialSpace::TrialSpace(const Study& study) : seed_(study.study.seed), base_(study) {
  base_.search.keys.clear();
  base_.search.earlier.clear();
  for (const auto& searched : study.search.keys) {
    std::vector<std::size_t>& deciding = deciding_.emplace_back();
    for (std::size_t other = 0; other < study.search.keys.size(); ++other)
      if (is_decided_by(*find_setting(searched.key), study.search.keys[other].key)) deciding.push_back(other);
  }
  for (const StartTrial& trial : study.search.start) {
    const std::vector<SearchedKey>& keys = keys_of_space(study.search, 0);
    auto& values = start_.emplace_back(keys.size());
    for (const auto& [key, value] : trial)
      for (std::size_t number = 0; number < keys.size(); ++number)
        if (keys[number].key == key) values[number] = searched_value(keys[number], value);
  }
  for (std::size_t number = 0; number < sheaf::space_count(study.search); ++number) {
    const Study extended = study_of_space(study, number);
    Space space{first_trial_of_space(study.search, number), extended.search.keys, Combinations(extended), Order::grid};
    // Among so many combinations, equal draws are unlikely.
    const bool is_huge = space.combinations.count() > max_iterations;
    if (study.search.draws_trials())
      space.order = has_ranges(extended.search) || is_huge ? Order::drawn : Order::shuffled;
    if (space.order == Order::shuffled && number > 0) space.taken = taken_places(space);
    spaces_.push_back(std::move(space));
  }
  trials_ = study.search.trials > 0 ? trial_count(study) : std::min(trial_count(study), most());
  if (study.search.method_row().learns) given_ = std::make_shared<Given>();
}

// The places of the combinations of earlier trials, ascending. Called before the space is added.
std::vector<std::int64_t> TrialSpace::taken_places(const Space& space) const {
  const Permutation permutation(space.combinations.count(), seed_);
  std::vector<std::int64_t> places;
  for (std::int64_t trial = 0; trial < space.first_trial; ++trial) {
    std::vector<std::string> values;
    for (std::size_t key = 0; key < space.keys.size(); ++key) values.push_back(drawn(trial, key));
    if (const auto number = space.combinations.number_of(values)) places.push_back(permutation.preimage(*number));
  }
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  return places;
}

std::int64_t TrialSpace::most() const {
  const Space& last = spaces_.back();
  if (last.order == Order::drawn) return max_iterations;
  return std::min(max_iterations + 1,
                  last.first_trial + last.combinations.count() - static_cast<std::int64_t>(last.taken.size()));
}

std::size_t TrialSpace::space_of(std::int64_t trial) const {
  std::size_t space = spaces_.size() - 1;
  while (spaces_[space].first_trial > trial) --space;
  return space;
}

IndexRange TrialSpace::trials_of(std::size_t space) const {
  const std::int64_t end = space + 1 < spaces_.size() ? std::min(spaces_[space + 1].first_trial, trials_) : trials_;
  return {std::min(spaces_[space].first_trial, end), end};
}

bool TrialSpace::has(std::size_t space, std::int64_t trial) const {
  if (space == space_of(trial)) return true;
  std::vector<std::string> values;
  for (std::size_t key = 0; key < spaces_[space].keys.size(); ++key) values.push_back(value(trial, key));
  const std::vector<bool> used = effects(values);
  for (std::size_t key = 0; key < values.size(); ++key)
    if (used[key] && !searched_value(spaces_[space].keys[key], values[key])) return false;
  return true;
}

bool TrialSpace::may_have(std::int64_t trial, const std::vector<std::string>& values) const {
  const std::vector<SearchedKey>& keys = spaces_[space_of(trial)].keys;
  if (values.size() != keys.size()) return false;
  for (std::size_t key = 0; key < values.size(); ++key)
    if (searched_value(keys[key], values[key]) != values[key]) return false;
  return true;
}

void TrialSpace::give(std::int64_t trial, std::vector<std::string> values) {
  assert(given_ && values.size() == deciding_.size());
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
  const Space& space = spaces_[space_of(trial)];
  if (space.order == Order::shuffled) {
    const auto place = free_place(space.taken, trial - space.first_trial);
    return space.combinations.value(Permutation(space.combinations.count(), seed_).image(place), key);
  }
  const auto& [name_of_key, candidates, sampling] = space.keys[key];
  const std::uint64_t name = hash_of(name_of_key);
  RandomStream stream(seed_, Purpose::drawn_value, (name << 32) | static_cast<std::uint64_t>(trial));
  if (sampling == Sampling::list) return candidates[stream.below(candidates.size())];
  return drawn_from_range(sampling, candidates.front(), candidates.back(), stream);
}

bool TrialSpace::has_effect(std::size_t key, const ValueOfKey& value_of) const {
  if (deciding_[key].empty()) return true;
  Study point = base_;
  const std::vector<SearchedKey>& keys = spaces_.front().keys;  // all spaces have the same keys
  for (const std::size_t other : deciding_[key]) apply_setting(point, keys[other].key, value_of(other));
  return failed_condition(*find_setting(keys[key].key), point) == nullptr;
}

std::vector<bool> TrialSpace::effects(const std::vector<std::string>& values) const {
  std::vector<bool> effects;
  for (std::size_t key = 0; key < values.size(); ++key)
    effects.push_back(has_effect(key, [&](std::size_t other) { return values[other]; }));
  return effects;
}

std::string TrialSpace::value(std::int64_t trial, std::size_t key) const {
  assert(trial >= 0 && trial < trials_);
  const Space& space = spaces_[space_of(trial)];
  if (space.order == Order::grid) return space.combinations.value(trial - space.first_trial, key);
  if (const auto values = given(trial); !values.empty()) return values[key];
  const bool is_used = has_effect(key, [&](std::size_t other) { return drawn(trial, other); });
  return is_used ? drawn(trial, key) : space.keys[key].candidates.front();
}

std::vector<std::string> TrialSpace::apply(std::int64_t trial, Study& study) const {
  std::vector<std::string> values = given(trial);
  const Space& space = spaces_[space_of(trial)];
  values.reserve(space.keys.size());
  while (values.size() < space.keys.size()) values.push_back(value(trial, values.size()));
  if (space.order == Order::grid) {
    space.combinations.apply(trial - space.first_trial, study);
    return values;
  }
  for (std::size_t key = 0; key < values.size(); ++key) apply_setting(study, space.keys[key].key, values[key]);
  return values;
}

}  // namespace sheaf

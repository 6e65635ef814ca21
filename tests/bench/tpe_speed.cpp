// Measures the time to draw a trial by TPE. See README.md.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "core/clock.hpp"
#include "core/random/random_stream.hpp"
#include "search/tpe.hpp"

using namespace sheaf;

namespace {

struct Space {
  const char* name;
  std::vector<SearchedKey> keys;
};

std::vector<Space> spaces() {
  const SearchedKey rate{"", {"1e-4", "0.1"}, Sampling::log_uniform}, dropout{"", {"0", "0.5"}, Sampling::uniform},
      hidden{"", {"16", "1024"}, Sampling::log_integer}, layers{"", {"1", "5"}, Sampling::integer},
      optimizer{"", {"sgd", "adam", "adamw"}}, rows{"", {"1", "100000"}, Sampling::log_integer};
  return {{"mixed", {rate, dropout, rate, hidden, layers, optimizer}},
          {"numbers", {rate, dropout, rate, dropout, rate, dropout}},
          {"integers", {hidden, hidden, hidden, layers, layers, layers}},
          {"wide integers", {rows, rows, rows, rows, rows, rows}},
          {"lists", {optimizer, optimizer, optimizer, optimizer, optimizer, optimizer}}};
}

// Values around a point: half of the trials of a search are near its best ones.
TrialValues values_near(const Tpe& tpe, const std::vector<SearchedKey>& keys, RandomStream& stream) {
  TrialValues values;
  const bool is_near = stream.uniform() < 0.5f;
  for (std::size_t key = 0; key < keys.size(); ++key) {
    if (keys[key].sampling == Sampling::list) {
      values.emplace_back(keys[key].candidates[stream.below(keys[key].candidates.size())]);
      continue;
    }
    const double position = is_near ? 0.4 + 0.05 * stream.normal() : stream.uniform_double();
    values.emplace_back(tpe.value(key, std::clamp(position, 0.0, 1.0)));
  }
  return values;
}

void measure(const Space& space, std::int64_t trials, int draws) {
  Tpe tpe(space.keys, 1);
  RandomStream stream(1, Purpose::drawn_value);
  const auto start = Clock::now();
  for (std::int64_t trial = 0; trial < trials; ++trial)
    tpe.add(values_near(tpe, space.keys, stream), {stream.normal(), {}});
  const double adding = seconds_since(start);
  std::vector<TrialValues> pending;
  for (int trial = 0; trial < 64; ++trial) pending.push_back(values_near(tpe, space.keys, stream));
  std::vector<double> times;
  for (int draw = 0; draw < draws; ++draw) {
    const auto begin = Clock::now();
    const auto values = tpe.draw(tpe.finished_count() + static_cast<std::int64_t>(pending.size()), pending);
    pending.back() = TrialValues(values.begin(), values.end());
    times.push_back(1e3 * seconds_since(begin));
  }
  std::sort(times.begin(), times.end());
  std::printf("%-14s %8lld trials: draw %8.3f ms (median), %8.3f ms (least); add %8.4f ms (mean)\n", space.name,
              static_cast<long long>(trials), times[times.size() / 2], times.front(),
              1e3 * adding / static_cast<double>(trials));
}

}  // namespace

int main(int argc, char** argv) {
  const int draws = argc > 1 ? std::atoi(argv[1]) : 50;
  for (const Space& space : spaces())
    for (const std::int64_t trials : {100, 1000, 10000}) measure(space, trials, draws);
  return 0;
}

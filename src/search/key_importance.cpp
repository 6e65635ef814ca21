// SPDX-License-Identifier: MIT
#include "search/key_importance.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

#include "search/normal_mass.hpp"
#include "study/range_value.hpp"

namespace sheaf {
namespace {

constexpr double best_part = 0.1;
constexpr std::int64_t max_cells = 50;

using Numbers = std::vector<double>;

// How many of the trials are in each cell.
Numbers counts_of(const KeyCells& key, const std::vector<std::size_t>& trials) {
  Numbers counts(static_cast<std::size_t>(key.count));
  for (const std::size_t trial : trials) ++counts[static_cast<std::size_t>(*key.of_trials[trial])];
  return counts;
}

double sum_of(const Numbers& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), 0.0);
}

// The mixture of one kernel for each cell with trials, weighted by their number, and of the prior, which is uniform and
// has the weight of one trial.
Numbers list_density(const Numbers& counts) {
  const double cells = static_cast<double>(counts.size());
  const double kernels =
      1 + static_cast<double>(std::count_if(counts.begin(), counts.end(), [](double count) { return count > 0; }));
  const double total = sum_of(counts) + 1;
  // A kernel has 1 / kernels in each cell and 1 more in its own.
  const double kernel_sum = cells / kernels + 1;
  Numbers density(counts.size());
  for (std::size_t cell = 0; cell < counts.size(); ++cell)
    density[cell] = ((total - 1) / kernels + counts[cell]) / (kernel_sum * total) + 1 / (cells * total);
  return density;
}

// Scott's rule: 1.059 times the smaller one of the standard deviation and the quartile distance divided by 1.34, times
// n^-0.2; at least so much that 90 % of a kernel are in its cell.
double deviation_of(const Numbers& counts) {
  constexpr double least = 0.5 / 1.64;
  const double total = sum_of(counts);
  double mean = 0, squares = 0;
  for (std::size_t cell = 0; cell < counts.size(); ++cell) mean += counts[cell] * static_cast<double>(cell) / total;
  for (std::size_t cell = 0; cell < counts.size(); ++cell)
    squares += counts[cell] * std::pow(static_cast<double>(cell) - mean, 2);
  // The first cell up to which at least, or more than, `number` trials are.
  const auto quantile = [&](double number, bool more) {
    double trials = 0;
    std::size_t last = 0;
    for (std::size_t cell = 0; cell < counts.size(); ++cell) {
      if (counts[cell] == 0) continue;
      trials += counts[cell];
      last = cell;
      if (more ? trials > number : trials >= number) break;
    }
    return static_cast<double>(last);
  };
  const double quartiles = quantile(std::floor(total * 3 / 4), true) - quantile(std::floor(total / 4), false);
  const double deviation = std::sqrt(squares / std::max(1.0, total - 1));
  return std::max(least, 1.059 * std::min(quartiles / 1.34, deviation) * std::pow(total, -0.2));
}

// Adds a normal distribution that is truncated to the cells.
void add_kernel(double weight, double center, double deviation, Numbers& density) {
  const double inverse = 1 / deviation, end = static_cast<double>(density.size()) - 0.5;
  const double mass = 1 - normal_tail((center + 0.5) * inverse) - normal_tail((end - center) * inverse);
  for (std::size_t cell = 0; cell < density.size(); ++cell)
    density[cell] += weight * inverse / mass *
                     std::exp(log_mean_normal_density((static_cast<double>(cell) - center) * inverse, inverse));
}

// The mixture of one normal kernel for each cell with trials, weighted by their number, and of a wide one in the
// middle, which has the weight of one trial.
Numbers range_density(const Numbers& counts) {
  const double total = sum_of(counts) + 1, cells = static_cast<double>(counts.size());
  const double deviation = deviation_of(counts);
  Numbers density(counts.size());
  for (std::size_t cell = 0; cell < counts.size(); ++cell)
    if (counts[cell] > 0) add_kernel(counts[cell] / total, static_cast<double>(cell), deviation, density);
  add_kernel(1 / total, (cells - 1) / 2, cells, density);
  return density;
}

Numbers density_of(const KeyCells& key, const std::vector<std::size_t>& trials) {
  const Numbers counts = counts_of(key, trials);
  return key.is_list ? list_density(counts) : range_density(counts);
}

double divergence(const Numbers& best, const Numbers& all) {
  constexpr double least = 1e-12;
  double sum = 0;
  for (std::size_t cell = 0; cell < all.size(); ++cell)
    sum += (all[cell] + least) * std::pow((best[cell] + least) / (all[cell] + least) - 1, 2);
  return sum;
}

// Those of `trials` in which the key has an effect.
std::vector<std::size_t> with_effect(const KeyCells& key, std::vector<std::size_t> trials) {
  trials.erase(std::remove_if(trials.begin(), trials.end(), [&](std::size_t trial) { return !key.of_trials[trial]; }),
               trials.end());
  return trials;
}

std::vector<std::size_t> finite_trials(const Numbers& costs) {
  std::vector<std::size_t> trials;
  for (std::size_t trial = 0; trial < costs.size(); ++trial)
    if (std::isfinite(costs[trial])) trials.push_back(trial);
  return trials;
}

// Those with one of the best costs, or with an equal one.
std::vector<std::size_t> best_of(const std::vector<std::size_t>& trials, const Numbers& costs) {
  Numbers sorted;
  for (const std::size_t trial : trials) sorted.push_back(costs[trial]);
  std::sort(sorted.begin(), sorted.end());
  const double last = sorted[static_cast<std::size_t>(std::ceil(best_part * static_cast<double>(sorted.size()))) - 1];
  std::vector<std::size_t> best;
  std::copy_if(trials.begin(), trials.end(), std::back_inserter(best),
               [&](std::size_t trial) { return costs[trial] <= last; });
  return best;
}

}  // namespace

KeyCells cells_of(const SearchedKey& key, const std::vector<std::optional<std::string>>& values) {
  KeyCells cells;
  cells.of_trials.resize(values.size());
  cells.is_list = key.sampling == Sampling::list;
  if (cells.is_list) {
    cells.count = static_cast<std::int64_t>(key.candidates.size());
    for (std::size_t trial = 0; trial < values.size(); ++trial) {
      if (!values[trial]) continue;
      const auto found = std::find(key.candidates.begin(), key.candidates.end(), *values[trial]);
      assert(found != key.candidates.end());
      cells.of_trials[trial] = found - key.candidates.begin();
    }
    return cells;
  }
  const double first = range_number(key.candidates.front()), last = range_number(key.candidates.back());
  const auto on_scale = [&](double value) { return is_logarithmic(key.sampling) ? std::log(value) : value; };
  const double low = on_scale(first), high = on_scale(last);
  double count = static_cast<double>(max_cells);
  if (key.sampling == Sampling::integer) count = std::min(count, last - first + 1);
  if (key.sampling == Sampling::log_integer)
    count = std::min(count, std::ceil(std::log(last - first + 1) / std::log(2.0)) + 1);
  cells.count = static_cast<std::int64_t>(count);
  const double width = (high - low) / (count - 1);
  for (std::size_t trial = 0; trial < values.size(); ++trial) {
    if (!values[trial]) continue;
    const double cell = std::ceil((on_scale(range_number(*values[trial])) - low) / width - 0.5);
    cells.of_trials[trial] = static_cast<std::int64_t>(std::clamp(cell, 0.0, count - 1));
  }
  return cells;
}

std::vector<double> key_importances(const std::vector<KeyCells>& keys, const std::vector<double>& costs) {
  std::vector<double> importances(keys.size());
  if (const std::vector<std::size_t> all = finite_trials(costs); all.size() > 1) {
    const std::vector<std::size_t> best = best_of(all, costs);
    for (std::size_t key = 0; key < keys.size(); ++key) {
      const auto all_with = with_effect(keys[key], all), best_with = with_effect(keys[key], best);
      if (all_with.size() < 2 || best_with.empty() || keys[key].count < 2) continue;
      const double best_share = static_cast<double>(best_with.size()) / static_cast<double>(best.size());
      const double all_share = static_cast<double>(all_with.size()) / static_cast<double>(all.size());
      importances[key] = best_share * best_share / all_share *
                         divergence(density_of(keys[key], best_with), density_of(keys[key], all_with));
    }
  }
  const double sum = sum_of(importances);
  for (double& importance : importances)
    importance = sum > 0 ? importance / sum : 1 / static_cast<double>(importances.size());
  return importances;
}

std::vector<double> variance_shares(const std::vector<KeyCells>& keys, const std::vector<double>& scores) {
  std::vector<double> shares(keys.size());
  const std::vector<std::size_t> trials = finite_trials(scores);
  double mean = 0, squares = 0;
  for (const std::size_t trial : trials) mean += scores[trial] / static_cast<double>(trials.size());
  for (const std::size_t trial : trials) squares += std::pow(scores[trial] - mean, 2);
  if (!(squares > 0)) return shares;
  for (std::size_t key = 0; key < keys.size(); ++key) {
    const std::vector<std::size_t> having = with_effect(keys[key], trials);
    const Numbers counts = counts_of(keys[key], having);
    Numbers sums(counts.size());
    for (const std::size_t trial : having)
      sums[static_cast<std::size_t>(*keys[key].of_trials[trial])] += scores[trial] - mean;
    for (std::size_t cell = 0; cell < counts.size(); ++cell)
      if (counts[cell] > 0) shares[key] += sums[cell] * sums[cell] / counts[cell] / squares;
  }
  return shares;
}

}  // namespace sheaf

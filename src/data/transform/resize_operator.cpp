// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

#include "data/transform/band_matrix.hpp"

namespace sheaf {
namespace {

// Mirrors a position outside of 0..count-1: 3 2 1 | 0 1 2 3 | 2 1 0
std::int64_t mirrored(std::int64_t position, std::int64_t count) {
  if (count == 1) return 0;
  const std::int64_t period = 2 * (count - 1);
  position = ((position % period) + period) % period;
  return std::min(position, period - position);
}

// The normalized weights of a Gaussian filter from -radius to radius; {1} for small sigma.
std::vector<double> gaussian(double sigma) {
  const auto radius = static_cast<std::int64_t>(4 * sigma + 0.5);
  std::vector<double> weights;
  double sum = 0;
  for (std::int64_t tap = -radius; tap <= radius; ++tap) {
    const double distance = radius == 0 ? 0 : static_cast<double>(tap) / sigma;
    weights.push_back(std::exp(-0.5 * distance * distance));
    sum += weights.back();
  }
  for (double& weight : weights) weight /= sum;
  return weights;
}

// Appends `line` as a row, without leading and trailing zeros.
void append_row(const std::vector<double>& line, BandMatrix& matrix) {
  const auto is_used = [](double weight) { return weight != 0; };
  const auto first = std::find_if(line.begin(), line.end(), is_used);
  const auto end = std::find_if(line.rbegin(), line.rend(), is_used).base();
  matrix.starts.push_back(first - line.begin());
  matrix.weights.insert(matrix.weights.end(), first, end);
  matrix.offsets.push_back(static_cast<std::int64_t>(matrix.weights.size()));
}

}  // namespace

std::vector<BandRows> split_rows(const BandMatrix& matrix, std::int64_t max_rows) {
  std::vector<BandRows> parts;
  for (std::int64_t begin = 0; begin < matrix.rows(); begin += max_rows) {
    BandRows part{{begin, std::min(matrix.rows(), begin + max_rows)}, matrix.columns, {}};
    for (std::int64_t row = begin; row < part.rows.end; ++row)
      part.first_column = std::min(part.first_column, matrix.starts[static_cast<std::size_t>(row)]);
    for (auto row = static_cast<std::size_t>(begin); row < static_cast<std::size_t>(part.rows.end); ++row) {
      const auto first = matrix.weights.begin() + matrix.offsets[row];
      const auto end = matrix.weights.begin() + matrix.offsets[row + 1];
      part.matrix.starts.push_back(matrix.starts[row] - part.first_column);
      part.matrix.weights.insert(part.matrix.weights.end(), first, end);
      part.matrix.offsets.push_back(static_cast<std::int64_t>(part.matrix.weights.size()));
      part.matrix.columns = std::max(part.matrix.columns, part.matrix.starts.back() + (end - first));
    }
    parts.push_back(std::move(part));
  }
  return parts;
}

BandMatrix resize_operator(std::int64_t from, std::int64_t to) {
  assert(from > 0 && to > 0);
  const double factor = static_cast<double>(from) / static_cast<double>(to);
  const std::vector<double> blur = gaussian(std::max(0.0, (factor - 1) / 2));
  const auto radius = static_cast<std::int64_t>(blur.size() / 2);
  BandMatrix matrix;
  matrix.columns = from;
  std::vector<double> line(static_cast<std::size_t>(from));
  for (std::int64_t pixel = 0; pixel < to; ++pixel) {
    const double center = (static_cast<double>(pixel) + 0.5) * factor - 0.5;
    const auto left = static_cast<std::int64_t>(std::floor(center));
    const double fraction = center - static_cast<double>(left);
    std::fill(line.begin(), line.end(), 0.0);
    // Outside of the line, the mirrored pixel is interpolated after the blur, so the position is mirrored first.
    for (const auto& [position, weight] : {std::pair{left, 1 - fraction}, std::pair{left + 1, fraction}}) {
      const std::int64_t middle = mirrored(position, from);
      for (std::int64_t tap = -radius; tap <= radius; ++tap)
        line[static_cast<std::size_t>(mirrored(middle + tap, from))] +=
            weight * blur[static_cast<std::size_t>(tap + radius)];
    }
    append_row(line, matrix);
  }
  return matrix;
}

}  // namespace sheaf

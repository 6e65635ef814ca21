// A searched key as an axis of a search space. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "study/search_options.hpp"

namespace sheaf {

/// Maps the values of a searched key to positions. The position of a list's candidate is its index. The positions of a
/// range are in [0, 1] and uniformly distributed in a random search: on a logarithmic scale, they are those of the
/// logarithms. An integer has a cell, the positions that round to it: the scale begins half a step below the range and
/// ends half a step above it.
class SearchAxis {
 public:
  /// Requires at least one candidate; of a range, two ends in ascending order.
  explicit SearchAxis(const SearchedKey& key);

  bool is_list() const { return sampling_ == Sampling::list; }
  bool is_integer() const { return draws_integers(sampling_); }

  /// The candidates of a list.
  std::int64_t candidate_count() const { return candidate_count_; }

  /// The position of a number in the range.
  double position(double value) const;
  /// The number at a position of a range, to about 14 digits; not rounded to an integer.
  double value(double position) const;

  struct Cell {
    double center = 0;  ///< the middle of the cell; on a logarithmic scale not the position of the integer
    double width = 0;
  };
  /// The integer whose cell has `position`.
  double integer(double position) const;
  Cell cell(double integer) const;

 private:
  double on_scale(double value) const;

  Sampling sampling_;
  std::int64_t candidate_count_ = 0;
  double low_ = 0, high_ = 0;     // with the half steps
  double begin_ = 0, width_ = 0;  // on the scale
};

}  // namespace sheaf

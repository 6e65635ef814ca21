// SPDX-License-Identifier: MIT
#include "search/search_axis.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "core/random/range_draw.hpp"
#include "study/range_value.hpp"

namespace sheaf {

SearchAxis::SearchAxis(const SearchedKey& key) : sampling_(key.sampling) {
  if (is_list()) {
    candidate_count_ = static_cast<std::int64_t>(key.candidates.size());
    assert(candidate_count_ > 0);
    return;
  }
  const double margin = is_integer() ? 0.5 : 0;
  low_ = range_number(key.candidates.front()) - margin;
  high_ = range_number(key.candidates.back()) + margin;
  assert(low_ < high_ && (low_ > 0 || !is_logarithmic(sampling_)));
  begin_ = on_scale(low_);
  width_ = on_scale(high_) - begin_;
}

// Half of the value on a linear scale: the width of a range may overflow.
double SearchAxis::on_scale(double value) const {
  return is_logarithmic(sampling_) ? std::log(value) : 0.5 * value;
}

double SearchAxis::position(double value) const {
  assert(value >= low_ && value <= high_);
  return std::clamp((on_scale(value) - begin_) / width_, 0.0, 1.0);
}

double SearchAxis::value(double position) const {
  return is_logarithmic(sampling_) ? log_uniform_on(low_, high_, position) : uniform_on(low_, high_, position);
}

double SearchAxis::integer(double position) const {
  assert(is_integer());
  return std::clamp(std::round(value(position)), low_ + 0.5, high_ - 0.5);
}

SearchAxis::Cell SearchAxis::cell(double integer) const {
  assert(is_integer() && integer > low_ && integer < high_);
  const double begin = integer - 0.5;
  const double width = (is_logarithmic(sampling_) ? std::log1p(1 / begin) : 0.5) / width_;
  return {(on_scale(begin) - begin_) / width_ + 0.5 * width, width};
}

}  // namespace sheaf

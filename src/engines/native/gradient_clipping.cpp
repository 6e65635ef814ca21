// SPDX-License-Identifier: MIT
#include "engines/native/gradient_clipping.hpp"

namespace sheaf {

template <class Value>
void GradientClipping<Value>::operator()(Value* gradient, std::int64_t count) const {
  if (value_ > 0) return kernels_.clamp(static_cast<Value>(value_), count, gradient);
  const double factor = norm_ / (kernels_.norm(gradient, count) + clip_norm_epsilon);
  if (!(factor >= 1)) kernels_.scale(static_cast<Value>(factor), count, gradient);  // also NaN
}

template class GradientClipping<float>;
template class GradientClipping<double>;

}  // namespace sheaf

// SPDX-License-Identifier: MIT
#include "engines/native/gradient_terms.hpp"

namespace sheaf {

template <class Value>
void GradientTerms<Value>::operator()(const Parameters<Value>& parameters) const {
  Value* gradient = parameters.gradients_at(0);
  const std::int64_t count = parameters.count();
  if (l1_ > 0)
    for (const IndexRange& weights : parameters.weights())
      kernels_.add_signs(static_cast<Value>(l1_), parameters.at(weights.begin), weights.count(),
                         gradient + weights.begin);
  if (value_ > 0) return kernels_.clamp(static_cast<Value>(value_), count, gradient);
  if (norm_ == 0) return;
  const double factor = norm_ / (kernels_.norm(gradient, count) + clip_norm_epsilon);
  if (!(factor >= 1)) kernels_.scale(static_cast<Value>(factor), count, gradient);  // also NaN
}

template class GradientTerms<float>;
template class GradientTerms<double>;

}  // namespace sheaf

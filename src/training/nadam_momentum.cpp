// SPDX-License-Identifier: MIT
#include "training/nadam_momentum.hpp"

#include <cmath>

namespace sheaf {
namespace {

constexpr double momentum_decay = 4e-3;
constexpr double least_product = 0x1p-54;  // 1 minus a smaller number is 1

}  // namespace

// The first momenta are about half of beta1, so there are less than 60 products.
NadamMomentum::NadamMomentum(double beta1) : beta1_(beta1) {
  double product = 1;
  while (product >= least_product) {
    product *= momentum(static_cast<std::int64_t>(products_.size()));
    products_.push_back(product);
  }
}

NadamMomentum::Weights NadamMomentum::weights(std::int64_t step) const {
  return {(1 - momentum(step)) / rest(step), momentum(step + 1) / rest(step + 1)};
}

double NadamMomentum::momentum(std::int64_t step) const {
  return beta1_ * (1 - 0.5 * std::pow(0.96, static_cast<double>(step + 1) * momentum_decay));
}

// 1 minus the product of the momenta up to this step.
double NadamMomentum::rest(std::int64_t step) const {
  return step < static_cast<std::int64_t>(products_.size()) ? 1 - products_[static_cast<std::size_t>(step)] : 1;
}

}  // namespace sheaf

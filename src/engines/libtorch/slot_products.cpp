// SPDX-License-Identifier: MIT
#include "engines/libtorch/slot_products.hpp"

#include <cstdint>

namespace sheaf {

void slot_products_out(torch::Tensor& products, const torch::Tensor& one, const torch::Tensor& other) {
  // MKL computes a batch of products in other ways for other numbers of products.
  const bool each_alone = products.is_cpu() && at::hasMKL();
  if (!each_alone) {
    torch::bmm_out(products, one, other);
    return;
  }
  for (std::int64_t slot = 0; slot < products.size(0); ++slot) {
    torch::Tensor product = products.select(0, slot);
    torch::mm_out(product, one.select(0, slot), other.select(0, slot));
  }
}

torch::Tensor slot_products(const torch::Tensor& one, const torch::Tensor& other) {
  torch::Tensor products = torch::empty({one.size(0), one.size(1), other.size(2)}, one.options());
  slot_products_out(products, one, other);
  return products;
}

}  // namespace sheaf

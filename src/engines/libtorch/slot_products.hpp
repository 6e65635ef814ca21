// Products of matrices for each slot of a stack.
// SPDX-License-Identifier: MIT
#pragma once

#include <torch/torch.h>

namespace sheaf {

/// The product of two matrices for each slot: `one` [slots, rows, inner] times `other` [slots, inner, columns]. The
/// bits of a slot do not depend on the other slots or their number on a CPU.
torch::Tensor slot_products(const torch::Tensor& one, const torch::Tensor& other);

/// Same, into `products` [slots, rows, columns].
void slot_products_out(torch::Tensor& products, const torch::Tensor& one, const torch::Tensor& other);

}  // namespace sheaf

// Constants of the kernel in fused_update.cl, for the kernel and for the host: C, OpenCL C and C++.
// SPDX-License-Identifier: MIT
#pragma once

enum { update_group_size = 256, update_values_of_item = 4 };

// The columns of StackBatch::numbers that the kernel reads, as in StackNumber.
enum {
  update_rate = 0,
  update_corrected_rate = 1,
  update_gradient_rate = 2,
  update_root_scale = 3,
  update_weight_decay = 4,
  update_shrink = 5,
  update_momentum = 6,
  update_velocity_weight = 7,
  update_gradient_weight = 8,
  update_beta1 = 9,
  update_beta1_rest = 10,
  update_beta2 = 11,
  update_beta2_rest = 12,
  update_alpha = 13,
  update_alpha_rest = 14,
  update_epsilon = 15,
  update_average_share = 21,
  update_number_count = 27
};

// The rules of optimizers.
enum { update_by_sgd, update_by_adam, update_by_rmsprop, update_by_nadam };

// What is rounded once instead of twice: a + b * c as by addcmul() of LibTorch, and the means of lerp(). Which of them
// LibTorch fuses depends on its version and on the device.
enum { update_fuses_products = 1, update_fuses_means = 2 };

// The kernel of fused_update.cl for one precision. UPDATE_REAL is the type of the values, UPDATE_NAME(name) appends the
// precision to a name. The operations, their order and their roundings are those of update_parameters().
// SPDX-License-Identifier: MIT

// The values of one parameter. `gradient` includes the weight decay.
typedef struct {
  UPDATE_REAL parameter, gradient, first, second;
} UPDATE_NAME(UpdateValues);

// a + b * c
GPU_FUNCTION UPDATE_REAL UPDATE_NAME(plus_product)(UPDATE_REAL a, UPDATE_REAL b, UPDATE_REAL c, int is_fused) {
  return is_fused ? fma(b, c, a) : a + b * c;
}

// from + share * (to - from), exact for a share of 0 and of 1.
GPU_FUNCTION UPDATE_REAL UPDATE_NAME(mean_of)(UPDATE_REAL from, UPDATE_REAL to, UPDATE_REAL share, int is_fused) {
  const UPDATE_REAL difference = to - from;
  if (fabs(share) < (UPDATE_REAL)0.5) return UPDATE_NAME(plus_product)(from, share, difference, is_fused);
  return UPDATE_NAME(plus_product)(to, -difference, (UPDATE_REAL)1 - share, is_fused);
}

GPU_FUNCTION void UPDATE_NAME(sgd_step)(UPDATE_NAME(UpdateValues) * of, GPU_SHARED_POINTER const UPDATE_REAL* numbers,
                                        int fuses) {
  of->first = of->first * numbers[update_momentum] + of->gradient;
  const UPDATE_REAL direction = UPDATE_NAME(plus_product)(of->first * numbers[update_velocity_weight], of->gradient,
                                                          numbers[update_gradient_weight], fuses);
  of->parameter -= direction * numbers[update_rate];
}

// Returns the denominator of a step.
GPU_FUNCTION UPDATE_REAL UPDATE_NAME(updated_moments)(UPDATE_NAME(UpdateValues) * of,
                                                      GPU_SHARED_POINTER const UPDATE_REAL* numbers, int fuses) {
  of->first =
      UPDATE_NAME(plus_product)(of->first * numbers[update_beta1], of->gradient, numbers[update_beta1_rest], fuses);
  of->second = of->second * numbers[update_beta2] + of->gradient * of->gradient * numbers[update_beta2_rest];
  return sqrt(of->second) * numbers[update_root_scale] + numbers[update_epsilon];
}

GPU_FUNCTION void UPDATE_NAME(adam_step)(UPDATE_NAME(UpdateValues) * of, GPU_SHARED_POINTER const UPDATE_REAL* numbers,
                                         int fuses) {
  const UPDATE_REAL root = UPDATE_NAME(updated_moments)(of, numbers, fuses);
  of->parameter = of->parameter * numbers[update_shrink] - of->first / root * numbers[update_corrected_rate];
}

GPU_FUNCTION void UPDATE_NAME(nadam_step)(UPDATE_NAME(UpdateValues) * of, GPU_SHARED_POINTER const UPDATE_REAL* numbers,
                                          int fuses) {
  const UPDATE_REAL root = UPDATE_NAME(updated_moments)(of, numbers, fuses);
  const UPDATE_REAL step = UPDATE_NAME(plus_product)(of->first * numbers[update_corrected_rate], of->gradient,
                                                     numbers[update_gradient_rate], fuses);
  of->parameter -= step / root;
}

GPU_FUNCTION void UPDATE_NAME(rmsprop_step)(UPDATE_NAME(UpdateValues) * of,
                                            GPU_SHARED_POINTER const UPDATE_REAL* numbers) {
  of->second = of->second * numbers[update_alpha] + of->gradient * of->gradient * numbers[update_alpha_rest];
  const UPDATE_REAL root = sqrt(of->second) + numbers[update_epsilon];
  of->first = of->first * numbers[update_momentum] + of->gradient / root;
  of->parameter -= of->first * numbers[update_rate];
}

// Each slot has `slot_groups` groups of update_group_size items, one after another. The tensors are [slots, stride];
// `second` and `averages` may be null. `numbers` is [slots, update_number_count]. `optimizer` is one of update_by_sgd
// and so on, `fused` a sum of update_fuses_products and so on.
GPU_KERNEL(update_group_size)
void UPDATE_NAME(fused_update)(GPU_GLOBAL UPDATE_REAL* parameters, GPU_GLOBAL const UPDATE_REAL* gradients,
                               GPU_GLOBAL UPDATE_REAL* first, GPU_GLOBAL UPDATE_REAL* second,
                               GPU_GLOBAL UPDATE_REAL* averages, GPU_GLOBAL const UPDATE_REAL* numbers,
                               gpu_int64 stride, int slot_groups, int optimizer, int fused) {
  GPU_SHARED UPDATE_REAL of_slot[update_number_count];
  const gpu_int64 slot = GPU_GROUP / slot_groups;
  for (int number = GPU_ITEM; number < update_number_count; number += GPU_ITEMS)
    of_slot[number] = numbers[slot * update_number_count + number];
  GPU_BARRIER();

  const int fuses = (fused & update_fuses_products) != 0;
  const gpu_int64 step = (gpu_int64)slot_groups * GPU_ITEMS;
  for (gpu_int64 value = (gpu_int64)(GPU_GROUP % slot_groups) * GPU_ITEMS + GPU_ITEM; value < stride; value += step) {
    const gpu_int64 place = slot * stride + value;
    UPDATE_NAME(UpdateValues) of = {parameters[place], gradients[place], first[place], second ? second[place] : 0};
    of.gradient = UPDATE_NAME(plus_product)(of.gradient, of.parameter, of_slot[update_weight_decay], fuses);
    switch (optimizer) {
      case update_by_sgd:
        UPDATE_NAME(sgd_step)(&of, of_slot, fuses);
        break;
      case update_by_adam:
        UPDATE_NAME(adam_step)(&of, of_slot, fuses);
        break;
      case update_by_rmsprop:
        UPDATE_NAME(rmsprop_step)(&of, of_slot);
        break;
      default:
        UPDATE_NAME(nadam_step)(&of, of_slot, fuses);
    }
    parameters[place] = of.parameter;
    first[place] = of.first;
    if (second) second[place] = of.second;
    if (averages)
      averages[place] = UPDATE_NAME(mean_of)(averages[place], of.parameter, of_slot[update_average_share],
                                             (fused & update_fuses_means) != 0);
  }
}

// SPDX-License-Identifier: MIT
#include "engines/libtorch/update_kernel.hpp"

namespace sheaf {

UpdateKernel update_kernel(torch::Device) {
  return {};
}

}  // namespace sheaf

// SPDX-License-Identifier: MIT
#include "engines/usable_gpus.hpp"

#include <fmt/format.h>

#include "engines/torch_backend.hpp"

namespace sheaf {

VisibleGpus find_usable_gpus() {
  if constexpr (!SHEAF_TORCH_HAS_CUDA) return {{}, "the LibTorch of this build has no CUDA support"};
  VisibleGpus visible = find_gpus();
  if (visible.gpus.empty()) return visible;
  const TorchInfo torch = torch_backend().info();
  if (torch.cuda_device_count >= static_cast<int>(visible.gpus.size())) return visible;
  if (torch.cuda_device_count > 0)
    return {{}, fmt::format("LibTorch can use {} of the {} GPUs", torch.cuda_device_count, visible.gpus.size())};
  return {{},
          torch.built_with_cuda ? "LibTorch cannot use the GPUs; the driver may be too old"
                                : "LibTorch was built without CUDA"};
}

}  // namespace sheaf

// SPDX-License-Identifier: MIT
#pragma once

#include "core/error.hpp"

namespace sheaf {

/// The GPU of a process has failed while it was in use, and the process cannot use it any more. Its cores still can
/// train, and so can another job.
class GpuError : public DeviceError {
 public:
  using DeviceError::DeviceError;
};

}  // namespace sheaf

// SPDX-License-Identifier: MIT
#include "engines/libtorch/torch_call.hpp"

#include <fmt/format.h>

#include <string>

#include "core/error.hpp"
#include "engines/libtorch/torch_messages.hpp"

namespace sheaf {

void throw_run_error(const c10::Error& error) {
  const std::string message = "LibTorch: " + torch_messages(error);
  // After such an error the process cannot use CUDA any more. Messages about a lack of memory are different.
  if (message.find("CUDA error") != std::string::npos) throw DeviceError(message);
  throw RunError(message);
}

void throw_start_error(const c10::Error& error, LaneDevice device) {
  throw RunError(
      fmt::format("LibTorch could not start on {} ({}). Choose another device with run.device, or use fewer "
                  "ranks per GPU if it ran out of memory.",
                  device.gpu < 0 ? std::string("the CPU") : fmt::format("GPU {}", device.gpu), torch_messages(error)));
}

}  // namespace sheaf

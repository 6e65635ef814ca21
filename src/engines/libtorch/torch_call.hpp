// Calls of LibTorch whose errors become those of the program.
// SPDX-License-Identifier: MIT
#pragma once

#include <c10/core/DeviceGuard.h>
#include <c10/core/StreamGuard.h>
#include <c10/util/Exception.h>
#include <torch/types.h>

#include "parallel/devices/lane_device.hpp"

namespace sheaf {

/// Throws the error of a call as RunError: as MemoryError if memory is too small, as GpuError if the process cannot
/// use the GPU any more.
[[noreturn]] void throw_run_error(const c10::Error& error);

/// Remembers that a lane of this process could use the device. Thread-safe.
void note_start(LaneDevice device);

/// Throws the error of a first call of a lane on a device as RunError, with advice: as MemoryError if memory is too
/// small, as GpuError if the process could use the GPU before.
[[noreturn]] void throw_start_error(const c10::Error& error, LaneDevice device);

/// use(), with `device` as the current one. Errors of LibTorch become those of throw_run_error().
template <class Use>
auto call_torch(torch::Device device, const Use& use) {
  const c10::OptionalDeviceGuard guard(device);
  try {
    return use();
  } catch (const c10::Error& error) {
    throw_run_error(error);
  }
}

/// The same with `stream` as the current one, and its device.
template <class Use>
auto call_torch(c10::Stream stream, const Use& use) {
  return call_torch(stream.device(), [&] {
    const c10::StreamGuard guard(stream);
    return use();
  });
}

/// make(), the first use of a device by a lane. Errors of LibTorch become those of throw_start_error().
template <class Make>
auto start_torch(LaneDevice device, const Make& make) {
  try {
    auto made = make();
    note_start(device);
    return made;
  } catch (const c10::Error& error) {
    throw_start_error(error, device);
  }
}

}  // namespace sheaf

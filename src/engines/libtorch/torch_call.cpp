// SPDX-License-Identifier: MIT
#include "engines/libtorch/torch_call.hpp"

#include <fmt/format.h>

#include <mutex>
#include <set>
#include <string>

#include "core/error.hpp"
#include "engines/libtorch/torch_messages.hpp"
#include "training/gpu_error.hpp"

namespace sheaf {

namespace {

// Also if a library that LibTorch calls lacks memory: "CUDA error: out of memory", "CUDA error:
// CUBLAS_STATUS_ALLOC_FAILED when calling ...", "[enforce fail ...] ... not enough memory".
bool lacks_memory(const c10::Error& error, const std::string& message) {
  if (dynamic_cast<const c10::OutOfMemoryError*>(&error) != nullptr) return true;
  for (const char* text : {"out of memory", "ALLOC_FAILED", "not enough memory", "can't allocate memory"})
    if (message.find(text) != std::string::npos) return true;
  return false;
}

// After such an error the process cannot use CUDA any more.
bool is_end_of_cuda(const std::string& message) {
  return message.find("CUDA error") != std::string::npos;
}

std::mutex started_mutex;
std::set<int> started_gpus;

bool has_started(LaneDevice device) {
  const std::lock_guard lock(started_mutex);
  return started_gpus.count(device.gpu) > 0;
}

}  // namespace

void note_start(LaneDevice device) {
  if (!device.on_gpu()) return;
  const std::lock_guard lock(started_mutex);
  started_gpus.insert(device.gpu);
}

void throw_run_error(const c10::Error& error) {
  const std::string message = "LibTorch: " + torch_messages(error);
  if (lacks_memory(error, message)) throw MemoryError(message);
  if (is_end_of_cuda(message)) throw GpuError(message);
  throw RunError(message);
}

void throw_start_error(const c10::Error& error, LaneDevice device) {
  const std::string message = torch_messages(error);
  const std::string place = device.gpu < 0 ? std::string("the CPU") : fmt::format("GPU {}", device.gpu);
  if (lacks_memory(error, message))
    throw MemoryError(fmt::format("LibTorch could not start on {} ({}). {}.", place, message,
                                  device.on_gpu()
                                      ? "Use fewer ranks per GPU or lanes, or choose another device with run.device"
                                      : "Use fewer lanes, or a node with more memory"));
  const std::string problem =
      fmt::format("LibTorch could not start on {} ({}). Choose another device with run.device.", place, message);
  if (has_started(device) && is_end_of_cuda(message)) throw GpuError(problem);
  throw RunError(problem);
}

}  // namespace sheaf

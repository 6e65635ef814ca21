// SPDX-License-Identifier: MIT
#include "engines/libtorch/stack_graph.hpp"

#include <c10/util/Exception.h>

#include <mutex>
#include <utility>

#include "core/log.hpp"
#include "engines/libtorch/torch_messages.hpp"

namespace sheaf {
namespace {

StackGraph::Recorder recorder_on(torch::Device device, const RecordedWork* other) {
  if (!device.is_cuda()) return nullptr;
  return [other](const StackWork& work) { return record_work(work, other); };
}

// Once, because all stacks of a process have the same problem.
void log_problem(const c10::Error& error) {
  static std::once_flag logged;
  std::call_once(logged, [&] {
    log_rank("Steps of stacks are not recorded in CUDA graphs but launched one by one, which is slower. LibTorch: " +
             torch_messages(error));
  });
}

}  // namespace

StackGraph::StackGraph(torch::Device device, StackWork work, const StackGraph* other)
    : StackGraph(std::move(work), recorder_on(device, other == nullptr ? nullptr : other->recorded_.get())) {}

StackGraph::StackGraph(StackWork work, const Recorder& record) : work_(std::move(work)) {
  if (!record) return;
  work_();
  try {
    recorded_ = record(work_);
  } catch (const c10::OutOfMemoryError&) {
    throw;
  } catch (const c10::Error& error) {
    log_problem(error);
  }
}

void StackGraph::launch() const {
  if (recorded_)
    recorded_->replay();
  else
    work_();
}

}  // namespace sheaf

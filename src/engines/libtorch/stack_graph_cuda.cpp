// SPDX-License-Identifier: MIT
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAStream.h>

#include <mutex>

#include "engines/libtorch/stack_graph.hpp"

namespace sheaf {
namespace {

// Recordings begin and end, and graphs are destroyed.
std::mutex one_at_a_time;

class CudaGraph : public RecordedWork {
 public:
  CudaGraph(const StackWork& work, at::cuda::MempoolId_t pool) : pool_(pool) {
    const c10::DeviceIndex device = c10::cuda::getCurrentCUDAStream().device_index();
    // Other threads may use the GPU meanwhile.
    graph_->capture_begin(pool_, cudaStreamCaptureModeThreadLocal);
    try {
      work();
      graph_->capture_end();
    } catch (...) {
      abandon(device);
      throw;
    }
  }

  // Generators of random numbers know the graphs, without a lock.
  ~CudaGraph() override {
    const std::lock_guard lock(one_at_a_time);
    graph_.reset();
  }

  void replay() override { graph_->replay(); }

  at::cuda::MempoolId_t pool() const { return pool_; }

 private:
  // Ends a capture that has failed, so that the stream and the allocator can be used as before. If it cannot be ended,
  // some versions of LibTorch leave a pointer to the graph in the allocator, so the graph is not destroyed then.
  void abandon(c10::DeviceIndex device) {
    const auto attempt = [](const auto& call) {
      try {
        call();
        return true;
      } catch (const c10::Error&) {  // the first error is reported
        return false;
      }
    };
    if (attempt([&] { graph_->capture_end(); })) return;
    attempt([&] { c10::cuda::CUDACachingAllocator::endAllocateToPool(device, pool_); });
    attempt([&] { c10::cuda::CUDACachingAllocator::releasePool(device, pool_); });
    graph_.release();
  }

  at::cuda::MempoolId_t pool_;  // of memory for the values between its operations
  std::unique_ptr<at::cuda::CUDAGraph> graph_ = std::make_unique<at::cuda::CUDAGraph>();
};

}  // namespace

std::unique_ptr<RecordedWork> record_work(const StackWork& work, const RecordedWork* other) {
  const std::lock_guard lock(one_at_a_time);
  c10::cuda::getCurrentCUDAStream().synchronize();
  c10::cuda::CUDACachingAllocator::emptyCache();  // a recording cannot use what the allocator keeps for other calls
  const auto* const graph = static_cast<const CudaGraph*>(other);
  return std::make_unique<CudaGraph>(work, graph == nullptr ? at::cuda::graph_pool_handle() : graph->pool());
}

}  // namespace sheaf

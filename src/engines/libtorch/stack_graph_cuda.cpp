// SPDX-License-Identifier: MIT
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAStream.h>

#include <mutex>

#include "engines/libtorch/stack_graph.hpp"

namespace sheaf {
namespace {

class CudaGraph : public RecordedWork {
 public:
  CudaGraph(const StackWork& work, at::cuda::MempoolId_t pool) : pool_(pool) {
    const c10::DeviceIndex device = c10::cuda::getCurrentCUDAStream().device_index();
    try {
      // Other threads may use the GPU meanwhile.
      graph_->capture_begin(pool_, cudaStreamCaptureModeThreadLocal);
      work();
      graph_->capture_end();
    } catch (...) {
      abandon(device);
      throw;
    }
  }

  void replay() override { graph_->replay(); }

  at::cuda::MempoolId_t pool() const { return pool_; }

 private:
  // Ends a capture that has failed, so that the stream and the allocator can be used as before. Some versions of
  // LibTorch leave a pointer to the graph in the allocator then, so the graph is not destroyed.
  void abandon(c10::DeviceIndex device) {
    try {
      graph_->capture_end();
    } catch (const c10::Error&) {  // it has told why at first
    }
    try {
      c10::cuda::CUDACachingAllocator::endAllocateToPool(device, pool_);
    } catch (const c10::Error&) {  // the allocator has ended it
    }
    graph_.release();
  }

  at::cuda::MempoolId_t pool_;  // of memory for the values between its operations
  std::unique_ptr<at::cuda::CUDAGraph> graph_ = std::make_unique<at::cuda::CUDAGraph>();
};

}  // namespace

std::unique_ptr<RecordedWork> record_work(const StackWork& work, const RecordedWork* other) {
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  c10::cuda::getCurrentCUDAStream().synchronize();
  const auto* const graph = static_cast<const CudaGraph*>(other);
  return std::make_unique<CudaGraph>(work, graph == nullptr ? at::cuda::graph_pool_handle() : graph->pool());
}

}  // namespace sheaf
